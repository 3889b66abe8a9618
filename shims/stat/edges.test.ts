import { recordedSuite } from '../../test/commands/recorded-suite.ts';

recordedSuite('stat', new URL('./edges.json', import.meta.url));
