import { recordedSuite } from '../../test/commands/recorded-suite.ts';

recordedSuite('timeout', new URL('./edges.json', import.meta.url));
