import { recordedSuite } from '../../test/commands/recorded-suite.ts';

recordedSuite('basename', new URL('./edges.json', import.meta.url));
