import { recordedSuite } from '../../test/commands/recorded-suite.ts';

recordedSuite('git', new URL('./edges.json', import.meta.url));
