import { recordedSuite } from '../../test/commands/recorded-suite.ts';

recordedSuite('du', new URL('./edges.json', import.meta.url));
