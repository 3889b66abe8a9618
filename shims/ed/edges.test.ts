import { recordedSuite } from '../../test/commands/recorded-suite.ts';

recordedSuite('ed', new URL('./edges.json', import.meta.url));
