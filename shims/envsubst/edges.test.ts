import { recordedSuite } from '../../test/commands/recorded-suite.ts';

recordedSuite('envsubst', new URL('./edges.json', import.meta.url));
