import { recordedSuite } from '../../test/commands/recorded-suite.ts';

recordedSuite('sqlite3', new URL('./edges.json', import.meta.url));
