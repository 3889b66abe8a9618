import { recordedSuite } from '../../test/commands/recorded-suite.ts';

recordedSuite('tac', new URL('./edges.json', import.meta.url));
