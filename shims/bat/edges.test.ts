import { recordedSuite } from '../../test/commands/recorded-suite.ts';

recordedSuite('bat', new URL('./edges.json', import.meta.url));
