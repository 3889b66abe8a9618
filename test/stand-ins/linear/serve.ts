/** Serves the Linear stand-in in the process that loads this. */
import { serving } from '../serving.ts';
import { childOptionsSchema } from './control.ts';
import { Front } from './front.ts';
import { seedOf } from './seed.ts';

export const serve = serving(childOptionsSchema, (named) => {
  const seed = seedOf(named);
  return { server: new Front(seed), tokens: seed.tokens };
});
