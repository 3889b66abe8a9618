/** GitHub’s comments, by its API and its webhook, through the house’s own client. */
import { Octokit } from '@octokit/rest';
import { type Delivery, requireSignature } from '../../src/mount/index.ts';
import {
  type ChannelHost,
  NotSent,
  type OpenChannel,
  type OutgoingMessage,
} from '../../src/serve/channels/index.ts';
import { isAsSent, LOOKED_MS, noteSent, type Shown } from '../as-sent.ts';
import { failureOf } from '../chat-sdk/sending.ts';
import { answered, type Look, rememberButtons, takeComment } from '../comments.ts';
import { bodyOf, commentIn, markOf, mentionOf, placeOf } from './comments.ts';
import type { GithubSettings } from './settings.ts';

const TIMEOUT_MS = 20_000;
/** What was sent may come so much later than its time-out. In ms. */
const LATE_MS = 30_000;
/** GitHub waits ten seconds for the answer to a delivery. In ms. */
const LOOK_MS = 5_000;

export async function openGithub(host: ChannelHost<GithubSettings>): Promise<OpenChannel> {
  const { settings, memory } = host;
  const secret = host.secret(settings.secret);
  const octokit = new Octokit({
    auth: host.secret(settings.token),
    baseUrl: settings.baseUrl.replace(/\/$/, ''),
    log: quiet,
  });
  const timed = (ms = TIMEOUT_MS): { request: { signal: AbortSignal } } => ({
    request: { signal: AbortSignal.timeout(ms) },
  });
  /** Comments of a thread, page by page. The client's own pages forget the time-out of a request. */
  async function* commentsSince(thread: string, since: number, ms: number) {
    const query = { ...placeOf(thread), since: new Date(since).toISOString(), per_page: 100 };
    const limit = timed(ms);
    for (let page = 1; ; page += 1) {
      const { data, headers } = await octokit.issues.listComments({ ...query, ...limit, page });
      yield data;
      if (headers.link?.includes('rel="next"') !== true) return;
    }
  }
  const arrived = (id: number, message: OutgoingMessage): string => {
    rememberButtons(memory, message, String(id));
    noteSent(memory, String(id), bodyOf(message));
    return String(id);
  };
  /** Whoever may write to a repository may edit what others have said there, the agent's comments too. */
  const look: Look = async (thread, button) => {
    const shown: Shown[] = [];
    try {
      for await (const data of commentsSince(thread, Date.now() - LOOKED_MS, LOOK_MS))
        for (const { id, body = '', user, created_at, updated_at } of data)
          if (isOf(settings.login, user?.login))
            shown.push({ id: String(id), text: body, isTouched: updated_at !== created_at });
      return isAsSent(memory, shown, button) ? undefined : 'edited';
    } catch (error) {
      host.onFault(error);
      return 'unseen';
    }
  };
  return {
    send: async (message) => {
      try {
        const place = { ...placeOf(message.thread), body: bodyOf(message) };
        return arrived(
          (await octokit.issues.createComment({ ...place, ...timed() })).data.id,
          message,
        );
      } catch (error) {
        throw failureIn(error);
      }
    },
    find: async (message, sentAt) => {
      const pages = commentsSince(message.thread, sentAt - LATE_MS, TIMEOUT_MS);
      for await (const data of pages) {
        const found = data.find(({ body }) => body?.includes(markOf(message)) === true);
        if (found !== undefined) return arrived(found.id, message);
      }
      if (Date.now() - sentAt > TIMEOUT_MS + LATE_MS) return null;
      throw new Error('it is not there, and may be on its way still');
    },
    respond: async (request) => {
      const body = new Uint8Array(await request.arrayBuffer());
      return answer(host, { secret, look }, { body, header: (name) => request.headers.get(name) });
    },
    close: async () => undefined,
  };
}

/** Is that the account? An app is one with `[bot]`. */
const isOf = (login: string, author = ''): boolean =>
  author.toLowerCase().replace(/\[bot\]$/, '') === login.toLowerCase();

const nothing = (): void => undefined;
const quiet = { debug: nothing, info: nothing, warn: nothing, error: nothing };

/** Takes what somebody wrote, and answers GitHub when it is on the disk. */
const answer = (
  host: ChannelHost<GithubSettings>,
  { secret, look }: { secret: string; look: Look },
  delivery: Delivery,
): Promise<Response> =>
  answered(async () => {
    const { login } = host.settings;
    const [, signature = null] =
      /^sha256=(.*)$/.exec(delivery.header('x-hub-signature-256') ?? '') ?? [];
    requireSignature(delivery, { secret, now: new Date() }, signature);
    const comment = commentIn(delivery);
    // What the agent says itself mentions nobody, and is told of as everything is.
    if (comment === null || isOf(login, comment.sender.name))
      return new Response(null, { status: 204 });
    await takeComment(host, comment, mentionOf(login), look);
    return new Response(null, { status: 202 });
  });

/** A refusal of GitHub: the comment is not there. */
function failureIn(error: unknown): unknown {
  if (!(error instanceof Error) || !('status' in error) || !('response' in error))
    return failureOf(error);
  const { status, response } = error as Error & {
    status: number;
    response?: { headers: Record<string, string | undefined> };
  };
  const seconds = Number(response?.headers['retry-after']);
  if (Number.isFinite(seconds))
    return new NotSent('GitHub takes no more just now', seconds * 1_000, error);
  if (response?.headers['x-ratelimit-remaining'] === '0')
    return new NotSent('GitHub takes no more just now', 60_000, error);
  const isRefused = status >= 400 && status < 500 && status !== 408;
  return isRefused && response !== undefined
    ? new NotSent(error.message, null, error)
    : failureOf(error);
}
