import { recordedSuite } from '../../test/commands/recorded-suite.ts';

recordedSuite('bc', new URL('./edges.json', import.meta.url));
