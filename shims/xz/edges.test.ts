import { recordedSuite } from '../../test/commands/recorded-suite.ts';

recordedSuite('xz', new URL('./edges.json', import.meta.url));
