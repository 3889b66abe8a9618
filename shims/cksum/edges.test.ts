import { recordedSuite } from '../../test/commands/recorded-suite.ts';

recordedSuite('cksum', new URL('./edges.json', import.meta.url));
