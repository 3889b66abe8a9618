import { recordedSuite } from '../../test/commands/recorded-suite.ts';

recordedSuite('hexdump', new URL('./edges.json', import.meta.url));
