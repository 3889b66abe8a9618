import { recordedSuite } from '../../test/commands/recorded-suite.ts';

recordedSuite('sed', new URL('./edges.json', import.meta.url));
