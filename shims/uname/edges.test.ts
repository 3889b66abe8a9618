import { recordedSuite } from '../../test/commands/recorded-suite.ts';

recordedSuite('uname', new URL('./edges.json', import.meta.url));
