import { recordedSuite } from '../../test/commands/recorded-suite.ts';

recordedSuite('rename', new URL('./edges.json', import.meta.url));
