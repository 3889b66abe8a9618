import { recordedSuite } from '../../test/commands/recorded-suite.ts';

recordedSuite('mktemp', new URL('./edges.json', import.meta.url));
