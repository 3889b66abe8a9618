import { recordedSuite } from '../../test/commands/recorded-suite.ts';

recordedSuite('fold', new URL('./edges.json', import.meta.url));
