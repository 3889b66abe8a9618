import { recordedSuite } from '../../test/commands/recorded-suite.ts';

recordedSuite('xxd', new URL('./edges.json', import.meta.url));
