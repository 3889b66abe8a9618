import { recordedSuite } from '../../test/commands/recorded-suite.ts';

recordedSuite('date', new URL('./edges.json', import.meta.url));
