import { recordedSuite } from '../../test/commands/recorded-suite.ts';

recordedSuite('look', new URL('./edges.json', import.meta.url));
