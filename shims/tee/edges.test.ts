import { recordedSuite } from '../../test/commands/recorded-suite.ts';

recordedSuite('tee', new URL('./edges.json', import.meta.url));
