import { recordedSuite } from '../../test/commands/recorded-suite.ts';

recordedSuite('split', new URL('./edges.json', import.meta.url));
