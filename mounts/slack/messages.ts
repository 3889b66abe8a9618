/** Messages of Slack as records: one's own can be reworded and removed, all can be reacted to. */
import { z } from 'zod';
import {
  type HttpClient,
  identity,
  list,
  listChanges,
  type Place,
  prose,
  type Query,
  type ResourceSpec,
  resource,
  type Scope,
  type ServiceRequest,
  shown,
  type Values,
} from '../../src/mount/index.ts';
import { readable, slackOf, textOf } from './text.ts';

/** `days`: how far back channels are listed; `types`: which kinds of conversations, as Slack lists them. */
export type SlackClient = HttpClient & { days: number; types: string };
type At = Scope<SlackClient>;

const SELDOM_MS = 300_000;
const text = z.string().default('');
const answerSchema = z.object({ ts: text, message: z.looseObject({}).nullable().default(null) });
const messageSchema = z.object({
  ts: z.string(),
  user: text,
  bot_id: text,
  text,
  thread_ts: z.string().optional(),
  reply_count: z.number().default(0),
  client_msg_id: z.string().optional(),
  edited: z.object({ ts: z.string() }).optional(),
  reactions: z.array(z.object({ name: z.string(), users: z.array(z.string()) })).default([]),
});
export type Message = z.infer<typeof messageSchema>;

const REACTION = /^[a-z0-9_+'-]+(::skin-tone-[2-6])?$/;
const messageRecord = {
  name: 'message',
  fields: {
    author: shown('who wrote it'),
    at: shown('when'),
    edited: shown('when it was reworded last'),
    thread: shown('how many answers it has, in threads/'),
    reactions: shown('who reacted with what'),
    my_reactions: list('names of emoji without colons, in brackets', {
      access: 'edit',
      item: z.string().regex(REACTION, 'a reaction is a name such as thumbsup'),
    }),
    body: prose('the text, in mrkdwn', { required: true, most: 40_000 }),
  },
};

export const self = identity({
  schema: z.object({
    user_id: z.string(),
    user: text,
    team_id: text,
    team: text,
    bot_id: z.string().optional(),
  }),
  freshMs: SELDOM_MS,
  key: ({ team_id, user_id }) => `${team_id}.${user_id}`,
  ask: (client: HttpClient) => client.ask('auth.test'),
  says: ({ user, team }) => `${user}, ${team}`,
});
export const users = resource('users', {
  about: 'people',
  schema: z.object({
    id: z.string(),
    name: z.string(),
    real_name: text,
    deleted: z.boolean().default(false),
  }),
  freshMs: SELDOM_MS,
  key: ({ id }) => id,
  list: ({ client }: At, _, from) => client.listing('users.list', {}, 'members', from),
});

const topicSchema = z.object({ value: text }).prefault({});
export const channels = resource('channels', {
  about: 'a channel; those that we are no member of are found when named',
  path: '/:channel',
  schema: z.object({
    id: z.string(),
    name: z.string(),
    created: z.number().default(0),
    is_member: z.boolean().default(false),
    previous_names: z.array(z.string()).default([]),
    topic: topicSchema,
    purpose: topicSchema,
  }),
  freshMs: SELDOM_MS / 5,
  key: ({ id }) => id,
  name: ({ name }) => name,
  formerNames: ({ previous_names }) => previous_names,
  listed: ({ is_member }) => is_member,
  list: ({ client }: At, _, from) => {
    const query = { exclude_archived: true, types: client.types };
    return client.listing('conversations.list', query, 'channels', from);
  },
});

/** A message's name as a time: seconds and microseconds. */
export const iso = (ts: string) => new Date(Math.floor(Number(ts) * 1000)).toISOString();
const nameOf = (place: Place) => (id: string) => place.held(users, id)?.name ?? id;
const isMine = (one: Message, place: Place) => {
  const { user_id, bot_id } = place.only(self) ?? {};
  return one.user === user_id || (one.bot_id !== '' && one.bot_id === bot_id);
};
const mine = ({ reactions }: Message, place: Place) =>
  reactions
    .filter((each) => each.users.includes(place.only(self)?.user_id ?? ''))
    .map(({ name }) => name);
const call = (url: string, body: Values): ServiceRequest => ({ method: 'POST', url, body });

/** What the messages of a channel share with the answers in a thread. */
export function messagesOf(inThread: boolean) {
  const where = (at: Place) => ({
    channel: at.record(channels).id,
    ts: inThread ? at.params['ts'] : undefined,
  });
  const method = `conversations.${inThread ? 'replies' : 'history'}`;
  const asked = async (at: At, query: Query) =>
    z
      .array(messageSchema)
      .parse(await at.client.rows(method, { ...where(at), ...query }, 'messages'));
  return {
    schema: messageSchema,
    with: [self, users],
    type: messageRecord,
    fixed: (one, place) =>
      isMine(one, place)
        ? null
        : { body: 'only your own messages can be reworded: answer in threads/TS/new.md' },
    key: ({ ts }) => ts,
    updatedAt: ({ ts, edited }) => iso(edited?.ts ?? ts),
    url: (one, place) =>
      `https://slack.com/archives/${where(place).channel}/p${one.ts.replace('.', '')}`,
    values: (one, place) => ({
      author: nameOf(place)(one.user || one.bot_id),
      at: iso(one.ts),
      edited: one.edited && iso(one.edited.ts),
      thread: one.reply_count || undefined,
      reactions: one.reactions.map(
        ({ name, users }) => `${name}: ${users.map(nameOf(place)).join(', ')}`,
      ),
      my_reactions: mine(one, place),
      body: textOf(one.text),
    }),
    list: (at: At, _: string | null, from: string | null) =>
      at.client.listing(method, where(at), 'messages', from),
    get: async (ts, at) => {
      const rows = await asked(at, { oldest: ts, latest: ts, inclusive: true });
      return { data: rows.find((one) => one.ts === ts) };
    },
    create: ({ body }, at, key) =>
      call('chat.postMessage', {
        channel: where(at).channel,
        text: slackOf(String(body)),
        thread_ts: where(at).ts,
        client_msg_id: key,
      }),
    // Slack keeps the id with the message of a person; that of a bot is known by its text and its time.
    find: async ({ body }, at, sentAt) => {
      const { client_msg_id: key, text } = body as Values;
      const all = await asked(at, { oldest: String(sentAt / 1000 - 60) });
      const own = all.filter((one) => isMine(one, at));
      const alike = own.filter((one) => one.text === text && one.client_msg_id === undefined);
      return own.find((one) => one.client_msg_id === key) ?? (alike.length === 1 ? alike[0] : null);
    },
    update: (one, { body, my_reactions }, at) => {
      const { added, removed } = listChanges(mine(one, at), my_reactions);
      const react = (way: string) => (name: string) =>
        call(`reactions.${way}`, { channel: where(at).channel, timestamp: one.ts, name });
      const reworded = { channel: where(at).channel, ts: one.ts, text: slackOf(String(body)) };
      return [
        body !== undefined && call('chat.update', reworded),
        ...added.map(react('add')),
        ...removed.map(react('remove')),
      ];
    },
    remove: (one, at) =>
      isMine(one, at)
        ? call('chat.delete', { channel: where(at).channel, ts: one.ts })
        : 'only your own messages can be removed',
    // What others made of a message is not in the answer, and that to a reaction has none.
    made: (answer, _request, one) => {
      const { ts, message } = answerSchema.parse(answer);
      return message && { ...one, ...message, ts };
    },
  } satisfies Partial<ResourceSpec<Message, SlackClient>>;
}

/** A message to be read. */
export function paragraph(one: Message, place: Place, answers = one.reply_count): string {
  const name = nameOf(place);
  const head = `## ${iso(one.ts).slice(11, 19)} ${name(one.user || one.bot_id)} (${one.ts})`;
  const more = answers > 0 ? `\n${answers} answers: threads/${one.ts}/\n` : '';
  return `${head}\n\n${readable(one.text, name)}\n${more}`;
}
