import { recordedSuite } from '../../test/commands/recorded-suite.ts';

recordedSuite('tree', new URL('./edges.json', import.meta.url));
