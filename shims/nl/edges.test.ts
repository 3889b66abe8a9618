import { recordedSuite } from '../../test/commands/recorded-suite.ts';

recordedSuite('nl', new URL('./edges.json', import.meta.url));
