/** The fields of a GitHub channel. */
import { z } from 'zod';

export const githubSettings = z.strictObject({
  /** As whom the agent writes, and is mentioned: a login, of an app without `[bot]`. */
  login: z.string().regex(/^[A-Za-z0-9][A-Za-z0-9-]{0,38}$/),
  /** The variable of the environment that has the token of that account. */
  token: z.string().min(1).default('GITHUB_TOKEN'),
  /** The variable that has the secret of the webhook. */
  secret: z.string().min(1).default('GITHUB_WEBHOOK_SECRET'),
  /** Of GitHub Enterprise. */
  baseUrl: z.url().default('https://api.github.com'),
});

export type GithubSettings = z.output<typeof githubSettings>;
