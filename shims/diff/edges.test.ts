import { recordedSuite } from '../../test/commands/recorded-suite.ts';

recordedSuite('diff', new URL('./edges.json', import.meta.url));
