/** What Discord tells of messages and presses. */
import { z } from 'zod';
import type {
  IncomingFile,
  IncomingMessage,
  PressedButton,
} from '../../src/serve/channels/index.ts';

const user = z.looseObject({
  id: z.string(),
  username: z.string(),
  global_name: z.string().nullish(),
  bot: z.boolean().optional(),
});
const attachment = z.looseObject({
  filename: z.string(),
  size: z.int().optional(),
  url: z.url(),
});
const said = z.looseObject({
  content: z.string().default(''),
  author: user.optional(),
});

export const messageSchema = z.looseObject({
  id: z.string(),
  channel_id: z.string(),
  /** Absent in a conversation of two, and in what the API lists. */
  guild_id: z.string().optional(),
  author: user,
  content: z.string().default(''),
  mentions: z.array(user).default([]),
  attachments: z.array(attachment).default([]),
  /** 0: said; 19: said as an answer. All others are what Discord says. */
  type: z.int().default(0),
  webhook_id: z.string().optional(),
  referenced_message: said.nullish(),
  message_snapshots: z.array(z.looseObject({ message: said })).default([]),
  embeds: z.array(z.looseObject({ description: z.string().optional() })).default([]),
});
export type DiscordMessage = z.output<typeof messageSchema>;

export const pressSchema = z.looseObject({
  id: z.string(),
  token: z.string(),
  /** 3: of a part of a message. */
  type: z.literal(3),
  channel_id: z.string(),
  message: z.looseObject({ id: z.string() }),
  data: z.looseObject({ custom_id: z.string() }),
  user: user.optional(),
  member: z.looseObject({ user }).optional(),
});

const nameOf = ({ username, global_name }: z.output<typeof user>): string =>
  global_name ?? username;

/** A message of a person; null for those of programs, and of Discord itself. */
export function messageOf(
  message: DiscordMessage,
  self: string,
  isDirect: boolean,
): IncomingMessage | null {
  const { id, channel_id: thread, author, content, mentions, type } = message;
  if (author.bot === true || message.webhook_id !== undefined || (type !== 0 && type !== 19))
    return null;
  const { referenced_message: answered, message_snapshots: passedOn } = message;
  const quoted = passedOn.map((one) => one.message.content);
  // What the agent has said itself it knows.
  if (answered?.author !== undefined && answered.author.id !== self) quoted.push(answered.content);
  const others = quoted.filter((text) => text.trim() !== '').join('\n');
  return {
    id,
    thread,
    sender: { id: author.id, name: nameOf(author) },
    text: content.replaceAll(new RegExp(`<@!?${self}>`, 'g'), '').trim(),
    isAddressed: isDirect || mentions.some((one) => one.id === self),
    ...(others === '' ? {} : { quoted: others }),
    files: message.attachments.map(fileOf),
  };
}

const fileOf = ({ filename, size, url }: z.output<typeof attachment>): IncomingFile => ({
  name: filename,
  size: size ?? null,
  reference: { url },
});

/** Who pressed what; null where nobody says who. */
export function pressOf(press: z.output<typeof pressSchema>): PressedButton | null {
  const by = press.member?.user ?? press.user;
  if (by === undefined) return null;
  return {
    thread: press.channel_id,
    message: press.message.id,
    sender: { id: by.id, name: nameOf(by) },
    token: press.data.custom_id,
  };
}
