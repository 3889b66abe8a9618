/** Serves the Slack stand-in in the process that loads this. */
import { serving } from '../serving.ts';
import { childOptionsSchema } from './control.ts';
import { SlackServer } from './server.ts';

export const serve = serving(childOptionsSchema, (seed) => ({
  server: new SlackServer(seed),
  tokens: seed.tokens,
}));
