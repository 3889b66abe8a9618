import { recordedSuite } from '../../test/commands/recorded-suite.ts';

recordedSuite('wc', new URL('./edges.json', import.meta.url));
