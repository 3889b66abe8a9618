/** The Slack mount: channels, their days, messages and threads; a message is posted by writing a file. */
import { z } from 'zod';
import {
  byCursor,
  directories,
  type FailureKind,
  HttpClient,
  kindOfCode,
  openResourceMount,
  type Refusal,
  resource,
  type ServiceMount,
  type ServiceOptions,
  view,
} from '../../src/mount/index.ts';
import { channels, iso, messagesOf, paragraph, self, users } from './messages.ts';

/** `days`: how far back channels are listed, 90 by default; `types`: which kinds of conversations, as Slack lists them. */
export interface SlackMountOptions extends ServiceOptions {
  days?: number | undefined;
  types?: string | undefined;
}

const DAY_S = 86_400;
const answerSchema = z.looseObject({
  ok: z.boolean(),
  error: z.string().default('unknown_error'),
  needed: z.string().optional(),
});
const KINDS: Partial<Record<FailureKind, readonly string[]>> = {
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
};
/** Nothing was to be done: it is as it was wanted. */
const DONE = ['already_reacted', 'no_reaction'];

const messages = resource('messages', {
  ...messagesOf(false),
  about: 'a message; your own can be reworded and removed, all can be reacted to',
  path: '/:channel/messages/:ts.md',
  newestFirst: ({ ts }) => ts,
  list: async function* (at, _, from) {
    const { id: channel, created } = at.record(channels);
    const oldest = (Math.floor(at.now().getTime() / 1000 / DAY_S) - at.client.days) * DAY_S;
    const before = iso(String(oldest)).slice(0, 10);
    const lacking = `what was said before ${before} is found by its name alone`;
    const query = { channel, oldest: `${oldest}.000000` };
    for await (const page of at.client.listing('conversations.history', query, 'messages', from))
      yield { ...page, lacking: created >= oldest ? null : lacking };
  },
});
const threads = directories('threads', messages, {
  about: 'the answers to a message; there for each, listed for those that have some',
  path: '/:channel/threads/:ts',
  listed: ({ reply_count }) => reply_count > 0,
});
const replies = resource('replies', {
  ...messagesOf(true),
  about: 'an answer; your own can be reworded and removed, all can be reacted to',
  path: '/:channel/threads/:ts/:reply.md',
  costly: true,
  touches: threads,
  where: ({ ts, thread_ts }) => ts !== thread_ts,
});

export function createSlackMount({
  days = 90,
  types = 'public_channel,private_channel',
  ...options
}: SlackMountOptions): ServiceMount {
  return openResourceMount(options, {
    kind: 'slack',
    title: 'Slack',
    about: 'Channels of Slack with their days, messages and threads.',
    hints: [
      'Read a channel by its days; write to `messages/new.md` to post, to `threads/TS/new.md` to answer.',
      "People are mentioned as `<@ID>`, by the ids in users.tsv; `<!here>` and `<#ID>` are Slack's, too.",
      'An answer shows in its thread alone, unless whoever gave it sent it to the channel, too.',
    ],
    client: (given) => {
      const client = new HttpClient({
        baseUrl: 'https://slack.com/api',
        ...given,
        service: 'Slack',
        encoding: 'form',
        page: { limit: 200 },
        next: byCursor('response_metadata.next_cursor'),
        refusal: refusalOf,
        limitOf: (method) => method,
      });
      return Object.assign(client, { days, types });
    },
    self,
    params: {
      channel: { matches: /^[^\s./:]+$/u, example: 'general' },
      day: { matches: /^\d{4}-\d\d-\d\d$/, example: '2026-01-31' },
      ts: { matches: /^\d+\.\d{6}$/, example: '1763900000.000000' },
      reply: { matches: /^\d+\.\d{6}$/, example: '1763900001.000000' },
    },
    resources: [users, channels, messages, threads, replies],
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
          [place.record(threads), ...said].map((one) => paragraph(one, place, 0)).join('\n'),
      }),
    ],
  });
}

/** The refusal in an answer; null where it did what was asked. */
function refusalOf(data: unknown, method: string): Refusal | null {
  const { ok, error, needed } = answerSchema.parse(data);
  if (ok || DONE.includes(error)) return null;
  const scope = needed === undefined ? '' : `: the token needs the scope ${needed}`;
  return {
    kind: kindOfCode(KINDS, error) ?? 'invalid',
    message: `Slack refused ${method}: ${error}${scope}`,
  };
}
