/** The process of the Slack stand-in. */
import { runChild } from '../child.ts';
import { childOptionsSchema } from './control.ts';
import { SlackServer } from './server.ts';

runChild(childOptionsSchema, async (seed, place) => {
  return { port: await new SlackServer(seed).listen(place), tokens: seed.tokens };
});
