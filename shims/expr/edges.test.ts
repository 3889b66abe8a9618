import { recordedSuite } from '../../test/commands/recorded-suite.ts';

recordedSuite('expr', new URL('./edges.json', import.meta.url));
