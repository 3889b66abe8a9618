import { recordedSuite } from '../../test/commands/recorded-suite.ts';

recordedSuite('iconv', new URL('./edges.json', import.meta.url));
