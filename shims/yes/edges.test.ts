import { recordedSuite } from '../../test/commands/recorded-suite.ts';

recordedSuite('yes', new URL('./edges.json', import.meta.url));
