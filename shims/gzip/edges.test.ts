import { recordedSuite } from '../../test/commands/recorded-suite.ts';

recordedSuite('gzip', new URL('./edges.json', import.meta.url));
