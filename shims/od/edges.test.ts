import { recordedSuite } from '../../test/commands/recorded-suite.ts';

recordedSuite('od', new URL('./edges.json', import.meta.url));
