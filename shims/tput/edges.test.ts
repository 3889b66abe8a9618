import { recordedSuite } from '../../test/commands/recorded-suite.ts';

recordedSuite('tput', new URL('./edges.json', import.meta.url));
