import { recordedSuite } from '../../test/commands/recorded-suite.ts';

recordedSuite('xargs', new URL('./edges.json', import.meta.url));
