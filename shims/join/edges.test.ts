import { recordedSuite } from '../../test/commands/recorded-suite.ts';

recordedSuite('join', new URL('./edges.json', import.meta.url));
