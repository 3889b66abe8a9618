import { recordedSuite } from '../../test/commands/recorded-suite.ts';

recordedSuite('shuf', new URL('./edges.json', import.meta.url));
