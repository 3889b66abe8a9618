import { recordedSuite } from '../../test/commands/recorded-suite.ts';

recordedSuite('chmod', new URL('./edges.json', import.meta.url));
