import { recordedSuite } from '../../test/commands/recorded-suite.ts';

recordedSuite('find', new URL('./edges.json', import.meta.url));
