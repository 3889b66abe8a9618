import { recordedSuite } from '../../test/commands/recorded-suite.ts';

recordedSuite('head', new URL('./edges.json', import.meta.url));
