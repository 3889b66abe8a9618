import { recordedSuite } from '../../test/commands/recorded-suite.ts';

recordedSuite('cmp', new URL('./edges.json', import.meta.url));
