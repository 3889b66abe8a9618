import { recordedSuite } from '../../test/commands/recorded-suite.ts';

recordedSuite('factor', new URL('./edges.json', import.meta.url));
