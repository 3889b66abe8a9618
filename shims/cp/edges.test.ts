import { recordedSuite } from '../../test/commands/recorded-suite.ts';

recordedSuite('cp', new URL('./edges.json', import.meta.url));
