import { recordedSuite } from '../../test/commands/recorded-suite.ts';

recordedSuite('mkdir', new URL('./edges.json', import.meta.url));
