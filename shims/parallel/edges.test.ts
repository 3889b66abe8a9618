import { recordedSuite } from '../../test/commands/recorded-suite.ts';

recordedSuite('parallel', new URL('./edges.json', import.meta.url));
