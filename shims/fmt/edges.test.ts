import { recordedSuite } from '../../test/commands/recorded-suite.ts';

recordedSuite('fmt', new URL('./edges.json', import.meta.url));
