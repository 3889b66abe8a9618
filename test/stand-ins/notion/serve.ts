/** Serves the Notion stand-in in the process that loads this. */
import { serving } from '../serving.ts';
import { childOptionsSchema } from './control.ts';
import { seedOf } from './seed.ts';
import { NotionServer } from './server.ts';

export const serve = serving(childOptionsSchema, (named) => {
  const seed = seedOf(named);
  return { server: new NotionServer(seed), tokens: seed.tokens };
});
