import { recordedSuite } from '../../test/commands/recorded-suite.ts';

recordedSuite('jq', new URL('./edges.json', import.meta.url));
