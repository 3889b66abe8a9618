import { recordedSuite } from '../../test/commands/recorded-suite.ts';

recordedSuite('cut', new URL('./edges.json', import.meta.url));
