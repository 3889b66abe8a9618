import { recordedSuite } from '../../test/commands/recorded-suite.ts';

recordedSuite('fd', new URL('./edges.json', import.meta.url));
