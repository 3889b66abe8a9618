import { recordedSuite } from '../../test/commands/recorded-suite.ts';

recordedSuite('dd', new URL('./edges.json', import.meta.url));
