import { recordedSuite } from '../../test/commands/recorded-suite.ts';

recordedSuite('rev', new URL('./edges.json', import.meta.url));
