import { recordedSuite } from '../../test/commands/recorded-suite.ts';

recordedSuite('patch', new URL('./edges.json', import.meta.url));
