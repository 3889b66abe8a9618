import { recordedSuite } from '../../test/commands/recorded-suite.ts';

recordedSuite('file', new URL('./edges.json', import.meta.url));
