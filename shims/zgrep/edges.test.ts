import { recordedSuite } from '../../test/commands/recorded-suite.ts';

recordedSuite('zgrep', new URL('./edges.json', import.meta.url));
