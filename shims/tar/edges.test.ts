import { recordedSuite } from '../../test/commands/recorded-suite.ts';

recordedSuite('tar', new URL('./edges.json', import.meta.url));
