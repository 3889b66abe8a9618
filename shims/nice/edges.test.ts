import { recordedSuite } from '../../test/commands/recorded-suite.ts';

recordedSuite('nice', new URL('./edges.json', import.meta.url));
