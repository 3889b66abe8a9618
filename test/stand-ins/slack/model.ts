/** What a workspace holds, as a seed says it. */
import { z } from 'zod';

export const messageSchema = z.object({
  ts: z.string().regex(/^\d+\.\d{6}$/),
  user: z.string(),
  bot_id: z.string().optional(),
  /** As Slack keeps it: `&`, `<` and `>` as entities. */
  text: z.string(),
  thread_ts: z.string().optional(),
  client_msg_id: z.string().optional(),
  /** What the app that sent it has put beside it. */
  metadata: z
    .object({ event_type: z.string(), event_payload: z.record(z.string(), z.unknown()) })
    .optional(),
  blocks: z.array(z.looseObject({ type: z.string() })).optional(),
  edited: z.object({ user: z.string(), ts: z.string() }).optional(),
  reactions: z.record(z.string(), z.array(z.string())).default({}),
  /** Of a deleted message that has answers. */
  subtype: z.literal('tombstone').optional(),
});

export const seedSchema = z.object({
  team: z.object({ id: z.string(), name: z.string() }),
  /** Who each token is; the first is that of the tests. */
  tokens: z.record(z.string(), z.object({ user: z.string(), bot: z.string().optional() })),
  users: z.array(
    z.object({
      id: z.string(),
      name: z.string(),
      real_name: z.string(),
      deleted: z.boolean().default(false),
    }),
  ),
  channels: z.array(
    z.object({
      id: z.string(),
      name: z.string(),
      created: z.number().int().default(0),
      previous_names: z.array(z.string()).default([]),
      members: z.array(z.string()),
      topic: z.string().default(''),
      messages: z.array(messageSchema).default([]),
    }),
  ),
});

export type Message = z.infer<typeof messageSchema>;
export type Seed = z.infer<typeof seedSchema>;
export type SeedInput = z.input<typeof seedSchema>;
