/** The methods of the Web API, as https://docs.slack.dev/reference/methods documents them. */
import type { Message } from './model.ts';
import type { Channel, Store } from './store.ts';

/** `ok: false`, with a status of 200. */
export class Refusal extends Error {}

/** What a method is called with. */
export interface Call {
  store: Store;
  args: URLSearchParams;
  viewer: { user: string; bot?: string | undefined };
  /** ms by which listings lag. */
  lag: number;
}

type Answer = Readonly<Record<string, unknown>>;

/** Longer texts are cut. */
const TEXT_MOST = 40_000;
const MARKDOWN_MOST = 12_000;
const DELETED = 'This message was deleted.';

export const METHODS: Readonly<Record<string, (call: Call) => Answer>> = {
  'auth.test': ({ store: { team, users }, viewer }) => ({
    url: 'https://example.slack.com/',
    team: team.name,
    team_id: team.id,
    user: users.find(({ id }) => id === viewer.user)?.name,
    user_id: viewer.user,
    ...(viewer.bot === undefined ? {} : { bot_id: viewer.bot }),
  }),
  'users.info': ({ store: { users }, args }) => {
    const user = users.find(({ id }) => id === args.get('user'));
    if (user === undefined) throw new Refusal('user_not_found');
    return { user: { ...user, is_bot: false, profile: { real_name: user.real_name } } };
  },
  'assistant.threads.setStatus': () => ({}),
  'users.list': ({ store, args }) => paged(args, store.users, 'members'),
  'conversations.list': ({ store, args, viewer }) =>
    paged(
      args,
      store.channels.map((one) => shown(one, viewer.user)),
      'channels',
    ),
  'conversations.history': (call) => {
    const { store, args, lag } = call;
    const channel = need(call, true);
    const all = store
      .messages(channel.id, isLookUp(args) ? 0 : lag)
      .filter(({ ts, thread_ts }) => thread_ts === undefined || thread_ts === ts)
      .filter((one) => isWithin(one, args))
      .reverse();
    const { has_more, ...page } = paged(
      args,
      all.map((one) => rendered(store, channel.id, shownTo(args, one))),
      'messages',
    );
    return { ...page, has_more };
  },
  'conversations.replies': (call) => {
    const { store, args, lag } = call;
    const channel = need(call, true);
    const at = args.get('ts') ?? '';
    const all = store.messages(channel.id, isLookUp(args) ? 0 : lag);
    const parent = all.find(({ ts }) => ts === at);
    if (parent === undefined) throw new Refusal('thread_not_found');
    const answers = all.filter(
      (one) => one.thread_ts === at && one.ts !== at && isWithin(one, args),
    );
    return paged(
      args,
      [parent, ...answers].map((one) => rendered(store, channel.id, shownTo(args, one))),
      'messages',
    );
  },
  'chat.postMessage': (call) => {
    const { store, args, viewer } = call;
    const channel = need(call, true);
    const { text, ...more } = contentOf(args);
    const thread = args.get('thread_ts');
    const parent = thread === null ? undefined : store.message(channel.id, thread);
    if (thread !== null && parent === undefined) throw new Refusal('thread_not_found');
    const client = args.get('client_msg_id');
    const message: Message = {
      ts: store.newTs(),
      user: viewer.user,
      text: kept(text),
      reactions: {},
      ...(viewer.bot === undefined ? {} : { bot_id: viewer.bot }),
      // Of a bot's messages Slack does not keep it.
      ...(client === null || viewer.bot !== undefined ? {} : { client_msg_id: client }),
      ...(thread === null ? {} : { thread_ts: thread }),
      ...more,
    };
    store.put(channel.id, message.ts, message);
    if (parent !== undefined) store.put(channel.id, parent.ts, { ...parent, thread_ts: parent.ts });
    return { channel: channel.id, ts: message.ts, message: rendered(store, channel.id, message) };
  },
  'chat.update': (call) => {
    const { store, args, viewer } = call;
    const channel = need(call, true);
    const found = store.message(channel.id, args.get('ts') ?? '');
    if (found === undefined) throw new Refusal('message_not_found');
    if (found.user !== viewer.user) throw new Refusal('cant_update_message');
    const { text, ...more } = contentOf(args);
    const edited = { user: viewer.user, ts: store.newTs() };
    const { blocks: _, ...before } = found;
    const message = { ...before, text: kept(text), edited, ...more };
    store.put(channel.id, found.ts, message);
    const { user, text: said } = message;
    return {
      channel: channel.id,
      ts: found.ts,
      text: said,
      message: { type: 'message', user, text: said, edited },
    };
  },
  'chat.delete': (call) => {
    const { store, args, viewer } = call;
    const channel = need(call, true);
    const found = store.message(channel.id, args.get('ts') ?? '');
    if (found === undefined || found.subtype === 'tombstone')
      throw new Refusal('message_not_found');
    if (found.user !== viewer.user) throw new Refusal('cant_delete_message');
    deleteMessage(store, channel.id, found);
    return { channel: channel.id, ts: found.ts };
  },
  'reactions.add': (call) =>
    reacted(call, (users, me) => {
      if (users.includes(me)) throw new Refusal('already_reacted');
      return [...users, me];
    }),
  'reactions.remove': (call) =>
    reacted(call, (users, me) => {
      if (!users.includes(me)) throw new Refusal('no_reaction');
      return users.filter((one) => one !== me);
    }),
};

/** What is said: Markdown, text, or blocks with a text for notifications. */
function contentOf(args: URLSearchParams): Pick<Message, 'text' | 'metadata' | 'blocks'> {
  const json = (name: string): unknown => JSON.parse(args.get(name) ?? 'null');
  const markdown = args.get('markdown_text');
  const blocks = json('blocks') as Message['blocks'] | null;
  if (markdown !== null && (args.has('text') || blocks !== null))
    throw new Refusal('markdown_text_conflict');
  if (markdown !== null && markdown.length > MARKDOWN_MOST) throw new Refusal('msg_too_long');
  const text = markdown ?? args.get('text') ?? '';
  if (text.trim() === '' && blocks === null) throw new Refusal('no_text');
  const metadata = json('metadata') as Message['metadata'] | null;
  return {
    text,
    ...(blocks === null ? {} : { blocks }),
    ...(metadata === null ? {} : { metadata }),
  };
}

/** A message that has answers leaves a place behind. */
export function deleteMessage(store: Store, channel: string, found: Message): void {
  const hasAnswers = store
    .messages(channel)
    .some((one) => one.thread_ts === found.ts && one.ts !== found.ts);
  const { ts, thread_ts } = found;
  const tombstone: Message = {
    ts,
    user: 'USLACKBOT',
    text: DELETED,
    reactions: {},
    subtype: 'tombstone',
    ...(thread_ts ? { thread_ts } : {}),
  };
  store.put(channel, ts, hasAnswers ? tombstone : null);
}

/** "&, < and > are replaced by entities" where they are not Slack's own; addresses become links. */
export function kept(text: string): string {
  const own =
    /(<(?:[@#!][^<>\n]+|(?:https?:|mailto:)[^<>\n]+)>)|(&(?:amp|lt|gt);)|(https?:\/\/[^\s<>|]+)|[&<>]/g;
  const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' };
  return text
    .slice(0, TEXT_MOST)
    .replace(own, (found: string, control?: string, entity?: string, link?: string) =>
      link !== undefined ? `<${link}>` : (control ?? entity ?? entities[found] ?? found),
    );
}

function reacted(call: Call, change: (users: string[], me: string) => string[]): Answer {
  const { store, args, viewer } = call;
  const channel = need(call, true);
  const found = store.message(channel.id, args.get('timestamp') ?? '');
  if (found === undefined) throw new Refusal('message_not_found');
  const name = args.get('name') ?? '';
  if (!/^[a-z0-9_+'-]+(::skin-tone-[2-6])?$/.test(name)) throw new Refusal('invalid_name');
  const users = change(found.reactions[name] ?? [], viewer.user);
  const { [name]: _, ...others } = found.reactions;
  const reactions = users.length === 0 ? others : { ...others, [name]: users };
  store.put(channel.id, found.ts, { ...found, reactions });
  return {};
}

function need({ store, args, viewer }: Call, member: boolean): Channel {
  const found = store.channel(args.get('channel'));
  if (found === undefined) throw new Refusal('channel_not_found');
  if (member && !found.members.includes(viewer.user)) throw new Refusal('not_in_channel');
  return found;
}

function shown({ members, topic, ...channel }: Channel, user: string): Answer {
  return {
    ...channel,
    is_channel: true,
    is_archived: false,
    is_member: members.includes(user),
    topic: { value: topic, creator: '', last_set: 0 },
    purpose: { value: '', creator: '', last_set: 0 },
  };
}

function rendered(store: Store, channel: string, { reactions, ...message }: Message): Answer {
  const answers = store
    .messages(channel)
    .filter((one) => one.thread_ts === message.ts && one.ts !== message.ts);
  const latest = answers.at(-1);
  return {
    type: 'message',
    ...message,
    ...(latest === undefined ? {} : { reply_count: answers.length, latest_reply: latest.ts }),
    ...(Object.keys(reactions).length === 0
      ? {}
      : {
          reactions: Object.entries(reactions).map(([name, users]) => ({
            name,
            users,
            count: users.length,
          })),
        }),
  };
}

/** "Return all metadata associated with this message." */
function shownTo(args: URLSearchParams, { metadata, ...message }: Message): Message {
  const isAsked = ['1', 'true'].includes(args.get('include_all_metadata') ?? '');
  return metadata === undefined || !isAsked ? message : { ...message, metadata };
}

const isLookUp = (args: URLSearchParams) =>
  args.has('oldest') && args.get('oldest') === args.get('latest');

/** "Only messages after", "before" a time; with it where `inclusive` is set. */
function isWithin({ ts }: Message, args: URLSearchParams): boolean {
  const [at, oldest, latest] = [
    Number(ts),
    Number(args.get('oldest') ?? 0),
    Number(args.get('latest') ?? Number.POSITIVE_INFINITY),
  ];
  return args.get('inclusive') === 'true'
    ? at >= oldest && at <= latest
    : at > oldest && at < latest;
}

/** Cursors say nothing to a client. An empty one is the last page's. */
function paged(args: URLSearchParams, all: readonly unknown[], name: string): Answer {
  const limit = Number(args.get('limit') ?? 100);
  if (!Number.isInteger(limit) || limit < 1 || limit > 1000) throw new Refusal('invalid_limit');
  const cursor = args.get('cursor') ?? '';
  const [, from = cursor === '' ? '0' : ''] =
    /^at:(\d+)$/.exec(Buffer.from(cursor, 'base64').toString()) ?? [];
  if (from === '') throw new Refusal('invalid_cursor');
  const end = Number(from) + limit;
  const more = end < all.length;
  const next_cursor = more ? Buffer.from(`at:${end}`).toString('base64') : '';
  return {
    [name]: all.slice(Number(from), end),
    has_more: more,
    response_metadata: { next_cursor },
  };
}
