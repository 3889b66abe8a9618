import { recordedSuite } from '../../test/commands/recorded-suite.ts';

recordedSuite('comm', new URL('./edges.json', import.meta.url));
