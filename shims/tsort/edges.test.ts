import { recordedSuite } from '../../test/commands/recorded-suite.ts';

recordedSuite('tsort', new URL('./edges.json', import.meta.url));
