/** What Slack's Web API answers, as far as it is kept here. */
import { z } from 'zod';

export const userSchema = z.object({
  id: z.string(),
  name: z.string(),
  real_name: z.string().default(''),
  deleted: z.boolean().default(false),
});

export const selfSchema = z.object({
  user_id: z.string(),
  user: z.string(),
  team_id: z.string(),
  team: z.string(),
  bot_id: z.string().optional(),
});

const topicSchema = z.object({ value: z.string() }).default({ value: '' });
export const channelSchema = z.object({
  id: z.string(),
  name: z.string(),
  /** Seconds since the epoch. */
  created: z.number().default(0),
  is_member: z.boolean().default(false),
  previous_names: z.array(z.string()).default([]),
  topic: topicSchema,
  purpose: topicSchema,
});

export const messageSchema = z.object({
  ts: z.string(),
  user: z.string().default(''),
  bot_id: z.string().default(''),
  text: z.string().default(''),
  thread_ts: z.string().optional(),
  reply_count: z.number().default(0),
  client_msg_id: z.string().optional(),
  edited: z.object({ ts: z.string() }).optional(),
  reactions: z.array(z.object({ name: z.string(), users: z.array(z.string()) })).default([]),
});
export type Message = z.infer<typeof messageSchema>;

/** What came of a message. It lacks what others made of it. */
export const answerSchema = z.object({
  ts: z.string(),
  message: z.looseObject({}),
});

/** Where a listing goes on; '' after the last page, and in answers that have none. */
export const pageSchema = z.looseObject({
  response_metadata: z.looseObject({ next_cursor: z.string().default('') }).prefault({}),
});

/** A message's name as a time: seconds and microseconds. */
export const iso = (ts: string) => new Date(Math.floor(Number(ts) * 1000)).toISOString();
