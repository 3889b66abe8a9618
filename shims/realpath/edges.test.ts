import { recordedSuite } from '../../test/commands/recorded-suite.ts';

recordedSuite('realpath', new URL('./edges.json', import.meta.url));
