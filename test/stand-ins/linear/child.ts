/** The process of the Linear stand-in. */
import { runChild } from '../child.ts';
import { childOptionsSchema } from './control.ts';
import { Front } from './front.ts';
import { seedOf } from './seed.ts';

runChild(childOptionsSchema, async (named, place) => {
  const seed = seedOf(named);
  return { port: await new Front(seed).listen(place), tokens: seed.tokens };
});
