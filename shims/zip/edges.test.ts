import { recordedSuite } from '../../test/commands/recorded-suite.ts';

recordedSuite('zip', new URL('./edges.json', import.meta.url));
