import { recordedSuite } from '../../test/commands/recorded-suite.ts';

recordedSuite('cal', new URL('./edges.json', import.meta.url));
