import { recordedSuite } from '../../test/commands/recorded-suite.ts';

recordedSuite('seq', new URL('./edges.json', import.meta.url));
