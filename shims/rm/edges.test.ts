import { recordedSuite } from '../../test/commands/recorded-suite.ts';

recordedSuite('rm', new URL('./edges.json', import.meta.url));
