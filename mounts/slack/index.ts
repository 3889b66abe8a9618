/** The Slack mount: channels, their days, messages and threads; a message is posted by writing a file. */
import { z } from 'zod';
import {
  byCursor,
  type Conversations,
  conversations,
  HttpClient,
  identity,
  openResourceMount,
  people,
  refusalByWord,
  type Scope,
  type ServiceMount,
  type ServiceOptions,
  type ServiceRequest,
} from '../../src/mount/index.ts';
import { readable, slackOf, textOf } from './text.ts';

/** `days`: how far back channels are listed, 90 by default; `types`: which kinds of conversations, as Slack lists them. */
export interface SlackMountOptions extends ServiceOptions {
  days?: number | undefined;
  types?: string | undefined;
}

type At = Scope<HttpClient>;
const SELDOM_MS = 300_000;
const text = z.string().default('');

const refusal = refusalByWord({
  service: 'Slack',
  word: ({ ok, error }) => (ok === true ? null : String(error ?? 'unknown_error')),
  kinds: {
    auth: ['not_authed', 'invalid_auth', 'account_inactive', 'token_revoked', 'token_expired'],
    forbidden: [
      'missing_scope',
      'not_in_channel',
      'restricted_action',
      'cant_update_message',
      'cant_delete_message',
    ],
    missing: ['channel_not_found', 'message_not_found', 'thread_not_found'],
    server: ['internal_error', 'fatal_error', 'request_timeout', 'service_unavailable'],
  },
  done: ['already_reacted', 'no_reaction'],
  more: ({ needed }) => (needed === undefined ? '' : `the token needs the scope ${needed}`),
});

const self = identity({
  schema: z.object({ user_id: z.string(), user: text, team_id: text, team: text, bot_id: text }),
  freshMs: SELDOM_MS,
  key: ({ team_id, user_id }) => `${team_id}.${user_id}`,
  ask: (client: HttpClient) => client.ask('auth.test'),
  says: ({ user, team }) => `${user}, ${team}`,
});
const users = people({
  freshMs: SELDOM_MS,
  fields: { id: 'id', name: 'name', fullName: 'real_name', isGone: 'deleted' },
  list: ({ client }: At, _, from) => client.listing('users.list', {}, 'members', from),
});

const call = (url: string, body: object): ServiceRequest => ({ method: 'POST', url, body });

const messages: Conversations<unknown, HttpClient>['messages'] = {
  named: { matches: /^\d+\.\d{6}$/, example: '1763900000.000000' },
  fields: {
    id: 'ts',
    at: 'ts',
    order: 'ts',
    authors: ['user', 'bot_id'],
    text: 'text',
    edited: 'edited.ts',
    answers: 'reply_count',
    reactions: { at: 'reactions', name: 'name', by: 'users' },
    key: 'client_msg_id',
  },
  pages: ({ channel, thread, since, id }, { client }, from) => {
    const one = { oldest: id, latest: id, inclusive: true };
    const some = id === undefined ? { oldest: since && (since / 1000).toFixed(6) } : one;
    const method = `conversations.${thread === undefined ? 'history' : 'replies'}`;
    return client.listing(method, { channel: channel.id, ts: thread, ...some }, 'messages', from);
  },
  text: { about: 'the text, in mrkdwn', most: 40_000 },
  shown: textOf,
  sent: slackOf,
  readable,
  url: ({ id }, channel) => `https://slack.com/archives/${channel.id}/p${id.replace('.', '')}`,
  // Slack keeps the key with the message of a person; that of a bot comes without.
  post: ({ channel, thread, text: said, key }) =>
    call('chat.postMessage', {
      channel: channel.id,
      text: said,
      thread_ts: thread,
      client_msg_id: key,
    }),
  posted: { text: 'text', key: 'client_msg_id' },
  reword: ({ id }, said, { channel }) =>
    call('chat.update', { channel: channel.id, ts: id, text: said }),
  remove: ({ id }, { channel }) => call('chat.delete', { channel: channel.id, ts: id }),
  react: {
    named: z
      .string()
      .regex(/^[a-z0-9_+'-]+(::skin-tone-[2-6])?$/, 'a reaction is a name such as thumbsup'),
    request: ({ id }, name, isGiven, { channel }) =>
      call(`reactions.${isGiven ? 'add' : 'remove'}`, { channel: channel.id, timestamp: id, name }),
  },
  // What others made of a message is not in the answer, and that to a reaction has none.
  answered: 'message',
};

export function createSlackMount({
  days,
  types = 'public_channel,private_channel',
  ...options
}: SlackMountOptions): ServiceMount {
  const talk = conversations({
    self,
    idsOf: ({ user_id, bot_id }) => [user_id, bot_id],
    people: users,
    channels: {
      freshMs: SELDOM_MS / 5,
      named: { matches: /^[^\s./:]+$/u, example: 'general' },
      fields: {
        id: 'id',
        name: 'name',
        formerNames: 'previous_names',
        isMember: 'is_member',
        createdAt: 'created',
        topic: 'topic.value',
        purpose: 'purpose.value',
      },
      list: ({ client }: At, _, from) =>
        client.listing('conversations.list', { exclude_archived: true, types }, 'channels', from),
    },
    messages,
    threads: true,
    timeForm: 's',
    days,
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
    client: (given) =>
      new HttpClient({
        baseUrl: 'https://slack.com/api',
        ...given,
        service: 'Slack',
        encoding: 'form',
        page: { limit: 200 },
        next: byCursor('response_metadata.next_cursor'),
        refusal,
        limitOf: (method) => method,
      }),
    self,
    families: [users.family, talk],
  });
}
