import { recordedSuite } from '../../test/commands/recorded-suite.ts';

recordedSuite('printf', new URL('./edges.json', import.meta.url));
