import { recordedSuite } from '../../test/commands/recorded-suite.ts';

recordedSuite('touch', new URL('./edges.json', import.meta.url));
