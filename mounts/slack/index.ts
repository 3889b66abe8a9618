/** The Slack mount: channels, their days, messages and threads; a message is posted by writing a file. */
import { z } from 'zod';
import {
  byCursor,
  HttpClient,
  openResourceMount,
  type Place,
  type Query,
  resource,
  type Scope,
  type ServiceMount,
  type ServiceOptions,
  type ServiceRequest,
  type Values,
  view,
} from '../../src/mount/index.ts';
import { refusalOf } from './failures.ts';
import { OTHERS, OWN } from './records.ts';
import {
  answerSchema,
  channelSchema,
  iso,
  type Message,
  messageSchema,
  pageSchema,
  selfSchema,
  userSchema,
} from './schemas.ts';
import { readable, slackOf, textOf } from './text.ts';

/** `days`: how far back channels are listed, 90 by default; `types`: which kinds of conversations, as Slack lists them. */
export interface SlackMountOptions extends ServiceOptions {
  days?: number | undefined;
  types?: string | undefined;
}

type At = Scope<HttpClient>;
const SELDOM_MS = 300_000;
const DAY_MS = 86_400_000;
const PAGE = 200;

const next = byCursor((page) => pageSchema.parse(page).response_metadata.next_cursor);
const rowsOf = (name: string) => (page: unknown) =>
  z.array(z.unknown()).parse((page as Values)[name]);
const all = (
  { client }: At,
  method: string,
  query: Query,
  rows: string,
  from: string | null = null,
) => client.listing(method, { limit: PAGE, ...query }, next, rowsOf(rows), from);
const call = (method: string, body: Values): ServiceRequest => ({
  method: 'POST',
  url: method,
  body,
});

const self = resource('self', {
  about: 'who we are',
  schema: selfSchema,
  freshMs: SELDOM_MS,
  key: () => 'me',
  list: async ({ client }: At) => [await client.ask('auth.test')],
});
const users = resource('users', {
  about: 'people',
  schema: userSchema,
  freshMs: SELDOM_MS,
  key: ({ id }) => id,
  list: (at: At, _, from) => all(at, 'users.list', {}, 'members', from),
});
const me = (place: Place) => place.held(self, 'me')?.user_id;
const nameOf = (place: Place) => (id: string) => place.held(users, id)?.name ?? id;
const isMine = (one: Message, place: Place) =>
  one.user === me(place) || (one.bot_id !== '' && one.bot_id === place.held(self, 'me')?.bot_id);

const channelsOf = (types: string) =>
  resource('channels', {
    about: 'a channel; those that we are no member of are found when named',
    path: '/:channel',
    schema: channelSchema,
    freshMs: SELDOM_MS / 5,
    key: ({ id }) => id,
    name: ({ name }) => name,
    formerNames: ({ previous_names }) => previous_names,
    listed: ({ is_member }) => is_member,
    list: (at: At, _, from) =>
      all(at, 'conversations.list', { exclude_archived: true, types }, 'channels', from),
  });

/** What the messages of a channel and the answers in a thread share. `parent`: the message that is answered. */
function messagesOf(
  channels: ReturnType<typeof channelsOf>,
  parent: (place: Place) => string | undefined,
) {
  const channel = (at: At) => at.record(channels).id;
  const method = (at: At) => `conversations.${parent(at) === undefined ? 'history' : 'replies'}`;
  const asked = (at: At, query: Query) =>
    at.client.rows(
      method(at),
      { limit: PAGE, channel: channel(at), ts: parent(at), ...query },
      next,
      rowsOf('messages'),
    );
  return {
    schema: messageSchema,
    with: [self, users],
    key: ({ ts }: Message) => ts,
    updatedAt: ({ ts, edited }: Message) => iso(edited?.ts ?? ts),
    typeOf: (one: Message | null, place: Place) =>
      one === null || isMine(one, place) ? OWN : OTHERS,
    values: (one: Message, place: Place): Values => ({
      author: nameOf(place)(one.user || one.bot_id),
      at: iso(one.ts),
      edited: one.edited && iso(one.edited.ts),
      thread: one.reply_count || undefined,
      reactions: one.reactions.map(
        (each) => `${each.name}: ${each.users.map(nameOf(place)).join(', ')}`,
      ),
      my_reactions: one.reactions
        .filter((each) => each.users.includes(me(place) ?? ''))
        .map(({ name }) => name),
      body: textOf(one.text),
    }),
    get: async (ts: string, at: At) => {
      const rows = await asked(at, { oldest: ts, latest: ts, inclusive: true });
      return { data: rows.find((one) => messageSchema.parse(one).ts === ts) };
    },
    create: ({ body }: Values, at: At, key: string) =>
      call('chat.postMessage', {
        channel: channel(at),
        text: slackOf(String(body)),
        thread_ts: parent(at),
        client_msg_id: key,
      }),
    // Slack keeps the id with the message of a person; that of a bot is known by its text and its time.
    find: async ({ body }: ServiceRequest, at: At, sentAt: number) => {
      const { client_msg_id: key, text } = body as Values;
      const rows = await asked(at, { oldest: String(sentAt / 1000 - 60) });
      const found = rows.map((one) => messageSchema.parse(one)).filter((one) => isMine(one, at));
      const alike = found.filter((one) => one.text === text && one.client_msg_id === undefined);
      return (
        found.find((one) => one.client_msg_id === key) ?? (alike.length === 1 ? alike[0] : null)
      );
    },
    update: (one: Message, { body, my_reactions }: Values, at: At) => {
      const where = { channel: channel(at), timestamp: one.ts };
      const wanted = my_reactions as string[] | undefined;
      const had = one.reactions
        .filter(({ users: by }) => by.includes(me(at) ?? ''))
        .map(({ name }) => name);
      const reaction = (way: string, names: string[]) =>
        names.map((name) => call(`reactions.${way}`, { ...where, name }));
      return [
        ...(body === undefined
          ? []
          : [
              call('chat.update', {
                channel: channel(at),
                ts: one.ts,
                text: slackOf(String(body)),
              }),
            ]),
        ...reaction(
          'add',
          (wanted ?? []).filter((name) => !had.includes(name)),
        ),
        ...reaction(
          'remove',
          wanted === undefined ? [] : had.filter((name) => !wanted.includes(name)),
        ),
      ];
    },
    remove: (one: Message, at: At) =>
      isMine(one, at)
        ? call('chat.delete', { channel: channel(at), ts: one.ts })
        : 'only your own messages can be removed',
    made: (answer: unknown, { url, body }: ServiceRequest, one: Message | null, place: Place) => {
      if (url.startsWith('reactions.') && one !== null)
        return reacted(one, url, body as Values, me(place));
      const { ts, message } = answerSchema.parse(answer);
      return { ...one, ...message, ts };
    },
    url: (one: Message, place: Place) =>
      `https://slack.com/archives/${place.record(channels).id}/p${one.ts.replace('.', '')}`,
  };
}

/** The message with a reaction of ours that came or went. */
function reacted(one: Message, method: string, { name }: Values, user = ''): Message {
  const others = one.reactions.filter((each) => each.name !== name);
  const before = one.reactions.find((each) => each.name === name)?.users ?? [];
  const without = before.filter((each) => each !== user);
  const users = method === 'reactions.add' ? [...without, user] : without;
  return {
    ...one,
    reactions: [...others, ...(users.length > 0 ? [{ name: String(name), users }] : [])],
  };
}

const paragraph = (one: Message, place: Place) =>
  `## ${iso(one.ts).slice(11, 19)} ${nameOf(place)(one.user || one.bot_id)} (${one.ts})\n\n${readable(one.text, nameOf(place))}\n${
    one.reply_count > 0 ? `\n${one.reply_count} answers: threads/${one.ts}/\n` : ''
  }`;

/** Everything in the last days of a channel. The newest come first, so what is known ends a listing that follows. */
function listing(channels: ReturnType<typeof channelsOf>, days: number) {
  return async function* (at: At, since: string | null, from: string | null) {
    const { id: channel, created } = at.record(channels);
    const midnight = (Math.floor(at.now().getTime() / DAY_MS - days) * DAY_MS) / 1000;
    const before = iso(String(midnight)).slice(0, 10);
    const lacking =
      created >= midnight ? null : `what was said before ${before} is found by its name alone`;
    const query = { channel, oldest: `${midnight}.000000` };
    let newest: string | null = null;
    for await (const page of all(at, 'conversations.history', query, 'messages', from)) {
      const said = page.rows.map((row) => messageSchema.parse(row).ts);
      newest ??= from === null ? (said[0] ?? since) : null;
      const last = said.at(-1) ?? '';
      const covers = since === null ? {} : { covers: ({ ts }: Message) => ts >= last };
      yield { ...page, cursor: newest, lacking, ...covers };
      if (since !== null && last <= since) return;
    }
  };
}

export function createSlackMount({
  days = 90,
  types = 'public_channel,private_channel',
  ...options
}: SlackMountOptions): ServiceMount {
  const channels = channelsOf(types);
  const messages = resource('messages', {
    ...messagesOf(channels, () => undefined),
    about: 'a message; your own can be reworded and removed, all can be reacted to',
    path: '/:channel/messages/:ts.md',
    list: listing(channels, days),
  });
  const threads = resource('threads', {
    about: 'the answers to a message; there for each, listed for those that have some',
    path: '/:channel/threads/:ts',
    of: messages,
    schema: messageSchema,
    key: ({ ts }) => ts,
    listed: ({ reply_count }) => reply_count > 0,
  });
  const parent = ({ params }: Place) => params['ts'];
  const answers = messagesOf(channels, parent);
  const replies = resource('replies', {
    ...answers,
    about: 'an answer; your own can be reworded and removed, all can be reacted to',
    path: '/:channel/threads/:ts/:reply.md',
    costly: true,
    touches: threads,
    where: ({ ts, thread_ts }) => ts !== thread_ts,
    list: (at: At, _, from) => {
      const thread = { channel: at.record(channels).id, ts: parent(at) };
      return all(at, 'conversations.replies', thread, 'messages', from);
    },
  });
  return openResourceMount(options, {
    kind: 'slack',
    title: 'Slack',
    about: 'Channels of Slack with their days, messages and threads.',
    hints: [
      'Read a channel by its days; write to `messages/new.md` to post, to `threads/TS/new.md` to answer.',
      "People are mentioned as `<@ID>`, by the ids in users.tsv; `<!here>` and `<#ID>` are Slack's, too.",
      'An answer shows in its thread alone, unless whoever gave it sent it to the channel, too.',
    ],
    records: [OWN],
    client: (given) =>
      new HttpClient({
        baseUrl: 'https://slack.com/api',
        ...given,
        service: 'Slack',
        encoding: 'form',
        refusal: refusalOf,
        limitOf: (path) => path.split('?')[0] ?? '',
      }),
    account: async (client) => {
      const { team_id, user_id } = selfSchema.parse(await client.ask('auth.test'));
      return `${team_id}.${user_id}`;
    },
    probe: async (client) => {
      const { user, team } = selfSchema.parse(await client.ask('auth.test'));
      return `${user}, ${team}`;
    },
    params: {
      channel: { matches: /^[^\s./:]+$/u, example: 'general' },
      day: { matches: /^\d{4}-\d\d-\d\d$/, example: '2026-01-31' },
      ts: { matches: /^\d+\.\d{6}$/, example: '1763900000.000000' },
      reply: { matches: /^\d+\.\d{6}$/, example: '1763900001.000000' },
    },
    resources: [self, users, channels, messages, threads, replies],
    views: [
      view({
        about: 'people: id, name, full name, whether they are gone',
        path: '/users.tsv',
        of: users,
        columns: ['id', 'name', 'full name', 'gone'],
        rows: ({ id, name, real_name, deleted }) => [[id, name, real_name, deleted ? 'gone' : '']],
      }),
      view({
        about: 'channels: name, id, whether we are in it, topic, purpose',
        path: '/channels.tsv',
        of: channels,
        columns: ['name', 'id', 'member', 'topic', 'purpose'],
        rows: (one) => [
          [one.name, one.id, one.is_member ? 'yes' : '', one.topic.value, one.purpose.value],
        ],
      }),
      view({
        about: 'what was said on a day (UTC)',
        path: '/:channel/days/:day.md',
        of: messages,
        document: true,
        by: ({ ts }) => iso(ts).slice(0, 10),
        text: (said, place) => said.map((one) => paragraph(one, place)).join('\n'),
      }),
      view({
        about: 'a message and its answers, to be read',
        path: '/:channel/threads/:ts.md',
        of: replies,
        document: true,
        text: (said, place) =>
          [place.record(threads), ...said]
            .map((one) => paragraph({ ...one, reply_count: 0 }, place))
            .join('\n'),
      }),
    ],
  });
}
