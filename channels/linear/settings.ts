/** The fields of a Linear channel. */
import { z } from 'zod';

export const linearSettings = z.strictObject({
  /** As whom the agent is mentioned: the display name of the account that answers. */
  login: z.string().regex(/^[\p{L}\p{N}][\p{L}\p{N}._-]{0,63}$/u),
  /** The variable of the environment that has the key of that account. */
  token: z.string().min(1).default('LINEAR_API_KEY'),
  /** The variable that has the secret of the webhook. */
  secret: z.string().min(1).default('LINEAR_WEBHOOK_SECRET'),
  /** Of a server that speaks as Linear does. */
  baseUrl: z.url().optional(),
});

export type LinearSettings = z.output<typeof linearSettings>;
