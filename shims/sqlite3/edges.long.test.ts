import { recordedSuite } from '../../test/commands/recorded-suite.ts';

// Each of these starts the database some dozens of times.
recordedSuite('sqlite3', new URL('./edges.long.json', import.meta.url));
