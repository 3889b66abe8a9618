import { recordedSuite } from '../../test/commands/recorded-suite.ts';

recordedSuite('numfmt', new URL('./edges.json', import.meta.url));
