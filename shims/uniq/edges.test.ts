import { recordedSuite } from '../../test/commands/recorded-suite.ts';

recordedSuite('uniq', new URL('./edges.json', import.meta.url));
