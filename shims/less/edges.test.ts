import { recordedSuite } from '../../test/commands/recorded-suite.ts';

recordedSuite('less', new URL('./edges.json', import.meta.url));
