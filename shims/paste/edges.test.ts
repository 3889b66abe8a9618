import { recordedSuite } from '../../test/commands/recorded-suite.ts';

recordedSuite('paste', new URL('./edges.json', import.meta.url));
