import { recordedSuite } from '../../test/commands/recorded-suite.ts';

recordedSuite('sort', new URL('./edges.json', import.meta.url));
