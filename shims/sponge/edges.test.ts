import { recordedSuite } from '../../test/commands/recorded-suite.ts';

recordedSuite('sponge', new URL('./edges.json', import.meta.url));
