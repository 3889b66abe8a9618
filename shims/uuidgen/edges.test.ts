import { recordedSuite } from '../../test/commands/recorded-suite.ts';

recordedSuite('uuidgen', new URL('./edges.json', import.meta.url));
