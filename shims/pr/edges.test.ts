import { recordedSuite } from '../../test/commands/recorded-suite.ts';

recordedSuite('pr', new URL('./edges.json', import.meta.url));
