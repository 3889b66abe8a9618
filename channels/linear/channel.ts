/** Linear’s comments, by its API and its webhook, through the client of the house. */
import { z } from 'zod';
import { isDuplicate, LinearClient } from '../../mounts/linear/client.ts';
import {
  type Delivery,
  mutation,
  readBody,
  requireRecent,
  requireSignature,
  ServiceFailure,
} from '../../src/mount/index.ts';
import {
  type ChannelHost,
  NotSent,
  type OpenChannel,
  type OutgoingMessage,
} from '../../src/serve/channels/index.ts';
import { answered, type Comment, commentText, rememberButtons, takeComment } from '../comments.ts';
import type { LinearSettings } from './settings.ts';

type Host = ChannelHost<LinearSettings>;

/** Linear signs when it sends, each attempt anew. In ms. */
const RECENT_MS = 60_000;
const AGAIN_MS = 30_000;

const VIEWER = 'query { viewer { id } }';
const FIND = 'query ($id: String!) { comment(id: $id) { id } }';
const CREATE =
  'mutation ($input: CommentCreateInput!) { commentCreate(input: $input) { success comment { id } } }';
const UPDATE =
  'mutation ($id: String!, $input: CommentUpdateInput!) { commentUpdate(id: $id, input: $input) { success } }';

const payload = z.looseObject({
  action: z.string(),
  type: z.string(),
  webhookTimestamp: z.number(),
  actor: z
    .looseObject({ id: z.string(), type: z.string().nullish(), name: z.string().nullish() })
    .nullish(),
  data: z.looseObject({
    id: z.string(),
    body: z.string().nullish(),
    userId: z.string().nullish(),
    issueId: z.string().nullish(),
    parentId: z.string().nullish(),
  }),
});
const viewerSchema = z.looseObject({ viewer: z.looseObject({ id: z.string() }) });
const kind = z.looseObject({ type: z.string() });

export async function openLinear(host: Host): Promise<OpenChannel> {
  const { settings, memory } = host;
  const secret = host.secret(settings.secret);
  const client = new LinearClient({
    token: host.secret(settings.token),
    baseUrl: settings.baseUrl,
    now: () => new Date(),
  });
  const self = viewerSchema.parse((await client.ask(VIEWER, {})).data).viewer.id;
  const write = (query: string, variables: Record<string, unknown>) =>
    client.send(mutation(query, variables));
  return {
    send: async (message) => {
      const { key, thread } = message;
      const [issueId = '', parentId] = thread.split('/');
      rememberButtons(memory, message, key);
      try {
        await write(CREATE, { input: { id: key, issueId, parentId, body: commentText(message) } });
      } catch (error) {
        // One with its id is there: it has arrived before.
        if (!(error instanceof ServiceFailure && isDuplicate(error))) throw failureOf(error);
      }
      return key;
    },
    edit: async (id, message) => {
      try {
        await write(UPDATE, { id, input: { body: commentText(message) } });
      } catch (error) {
        throw failureOf(error);
      }
    },
    find: async ({ key }: OutgoingMessage) => {
      try {
        await client.ask(FIND, { id: key });
        return key;
      } catch (error) {
        // Sent once more it is refused, if it is only late: there is one comment of an id.
        if (error instanceof ServiceFailure && error.absent) return null;
        throw error;
      }
    },
    respond: async (request) => {
      const body = new Uint8Array(await request.arrayBuffer());
      return answer(host, secret, self, { body, header: (name) => request.headers.get(name) });
    },
    close: async () => undefined,
  };
}

/** Takes what somebody wrote, and answers Linear when it is on the disk. */
const answer = (host: Host, secret: string, self: string, delivery: Delivery): Promise<Response> =>
  answered(async () => {
    const check = { secret, now: new Date() };
    requireSignature(delivery, check, delivery.header('linear-signature'));
    const comment = commentIn(delivery, check);
    // What the agent says itself it is told of as everything is.
    if (comment !== null && comment.sender.id !== self)
      await takeComment(host, comment, mentionOf(host.settings.login));
    // Linear takes no other status for an answer, and sends again what has another.
    return new Response(null, { status: 200 });
  });

/** What a person has written below an issue; null for whatever else happened. */
function commentIn(delivery: Delivery, check: { secret: string; now: Date }): Comment | null {
  if (readBody(delivery, kind).type !== 'Comment') return null;
  const { action, webhookTimestamp, actor, data } = readBody(delivery, payload);
  requireRecent(webhookTimestamp, check, RECENT_MS);
  const { id, body, userId, issueId, parentId } = data;
  // Comments of programs, and those that came from elsewhere, are of nobody here.
  const isOfPerson = actor?.type === 'user' && actor.id === userId;
  if (action !== 'create' || !isOfPerson || typeof issueId !== 'string') return null;
  return {
    id: `comment:${id}`,
    // What is answered below a comment belongs to it.
    thread: `${issueId}/${parentId ?? id}`,
    sender: { id: actor.id, name: actor.name ?? '' },
    text: body ?? '',
  };
}

/** `@name`, or the address of the account's page, which Linear makes a mention of. */
function mentionOf(login: string): RegExp {
  const name = login.replaceAll('.', '\\.');
  const end = '(?![\\p{L}\\p{N}_-]|\\.[\\p{L}\\p{N}])';
  return new RegExp(
    `(^|[^\\p{L}\\p{N}_/-])(?:@|https://linear\\.app/[\\w-]+/profiles/)${name}${end}`,
    'giu',
  );
}

/** {@link NotSent} where that is certain, else the error itself. */
function failureOf(error: unknown): unknown {
  if (!(error instanceof ServiceFailure) || error.uncertain) return error;
  const { retryAt, kind: what, unsent } = error;
  if (retryAt !== undefined)
    return new NotSent(error.message, Math.max(0, retryAt.getTime() - Date.now()), error);
  return new NotSent(
    error.message,
    unsent || what === 'limited' || what === 'auth' ? AGAIN_MS : null,
    error,
  );
}
