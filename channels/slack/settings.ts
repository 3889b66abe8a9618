/** The fields of a Slack channel. */
import { z } from 'zod';

export const slackSettings = z.strictObject({
  /** The variable of the environment that has the token of the bot, `xoxb-…`. */
  token: z.string().min(1).default('SLACK_BOT_TOKEN'),
  /** `socket`: by a connection of the server's own. `webhook`: Slack sends to `/channels/NAME`. */
  mode: z.enum(['socket', 'webhook']).default('socket'),
  /** Of `socket`: the variable that has the token of the app, `xapp-…`. */
  appToken: z.string().min(1).default('SLACK_APP_TOKEN'),
  /** Of `webhook`: the variable that has what Slack signs with. */
  signingSecret: z.string().min(1).default('SLACK_SIGNING_SECRET'),
  /** Of another server that speaks the Web API, with a slash at its end. */
  baseUrl: z.url().optional(),
});

export type SlackSettings = z.output<typeof slackSettings>;
