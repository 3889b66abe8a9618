import { recordedSuite } from '../../test/commands/recorded-suite.ts';

recordedSuite('awk', new URL('./edges.json', import.meta.url));
