import { recordedSuite } from '../../test/commands/recorded-suite.ts';

recordedSuite('tr', new URL('./edges.json', import.meta.url));
