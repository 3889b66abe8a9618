import { recordedSuite } from '../../test/commands/recorded-suite.ts';

recordedSuite('dc', new URL('./edges.json', import.meta.url));
