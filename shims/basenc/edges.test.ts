import { recordedSuite } from '../../test/commands/recorded-suite.ts';

recordedSuite('basenc', new URL('./edges.json', import.meta.url));
