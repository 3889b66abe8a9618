import { recordedSuite } from '../../test/commands/recorded-suite.ts';

recordedSuite('grep', new URL('./edges.json', import.meta.url));
