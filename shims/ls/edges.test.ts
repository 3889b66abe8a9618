import { recordedSuite } from '../../test/commands/recorded-suite.ts';

recordedSuite('ls', new URL('./edges.json', import.meta.url));
