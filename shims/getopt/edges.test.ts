import { recordedSuite } from '../../test/commands/recorded-suite.ts';

recordedSuite('getopt', new URL('./edges.json', import.meta.url));
