import { recordedSuite } from '../../test/commands/recorded-suite.ts';

recordedSuite('env', new URL('./edges.json', import.meta.url));
