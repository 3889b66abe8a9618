import { recordedSuite } from '../../test/commands/recorded-suite.ts';

recordedSuite('cat', new URL('./edges.json', import.meta.url));
