/** The process of the Notion stand-in. */
import { runChild } from '../child.ts';
import { childOptionsSchema } from './control.ts';
import { seedOf } from './seed.ts';
import { NotionServer } from './server.ts';

runChild(childOptionsSchema, async (named, place) => {
  const seed = seedOf(named);
  return { port: await new NotionServer(seed).listen(place), tokens: seed.tokens };
});
