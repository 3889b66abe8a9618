import { recordedSuite } from '../../test/commands/recorded-suite.ts';

recordedSuite('expand', new URL('./edges.json', import.meta.url));
