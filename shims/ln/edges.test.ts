import { recordedSuite } from '../../test/commands/recorded-suite.ts';

recordedSuite('ln', new URL('./edges.json', import.meta.url));
