import { recordedSuite } from '../../test/commands/recorded-suite.ts';

recordedSuite('what commands share', new URL('./edges.json', import.meta.url));
