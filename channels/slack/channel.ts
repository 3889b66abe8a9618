/** A Slack app that is running, through the adapter of the Chat SDK. */
import type { SlackAdapterConfig, SlackEvent } from '@chat-adapter/slack';

type LogLevel = NonNullable<NonNullable<SlackAdapterConfig['webClientOptions']>['logLevel']>;

import type {
  ChannelHost,
  IncomingMessage,
  OpenChannel,
  OutgoingMessage,
} from '../../src/serve/channels/index.ts';
import { fetchFile, filesOf } from '../chat-sdk/files.ts';
import { chatInstance } from '../chat-sdk/instance.ts';
import { postable } from '../chat-sdk/sending.ts';
import { load } from '../library.ts';
import { withoutBroadcasts } from './broadcasts.ts';
import { slackFailure } from './failures.ts';
import { richText } from './rich-text.ts';
import type { SlackSettings } from './settings.ts';

type Host = ChannelHost<SlackSettings>;

/** By this a message that was sent is found again. */
const SENT = 'dirigent_message';
/** What its client prints by itself: a server by JSON lines has its stdout for other things. */
const QUIET = 'error' as LogLevel;
/** Clocks differ. In seconds. */
const EARLIER = 120;
/** Messages that are looked through for one: those since it was sent. */
const MOST_FOUND = 200;

export async function openSlack(host: Host): Promise<OpenChannel> {
  const { settings, secret } = host;
  const { SlackAdapter } = await load(
    host.name,
    ['chat', '@chat-adapter/slack'],
    () => import('@chat-adapter/slack'),
  );
  const { chat, logger } = chatInstance(host, {
    message: ({ raw, threadId, isMention, author, attachments }) => {
      const message = incoming(raw as SlackEvent, threadId, isMention === true, author.fullName);
      if (message !== null) host.receive({ ...message, files: filesOf(attachments) });
    },
    command: () => undefined,
    action: ({ actionId, threadId, messageId, user }) =>
      host.pressed({
        token: actionId,
        thread: threadOf(threadId, messageId),
        message: messageId,
        sender: { id: user.userId, name: user.fullName },
      }),
  });
  /** It answers for an event before it is kept; here after that. */
  class KeepingAdapter extends SlackAdapter {
    protected override async routeSocketEvent(
      ...[body, type, ack, options]: Parameters<SlackAdapterInside['routeSocketEvent']>
    ): Promise<void> {
      const begun: Promise<unknown>[] = [];
      let answer: Record<string, unknown> | undefined;
      const waitUntil = (work: Promise<unknown>): void => void begun.push(work);
      const hold = async (given?: Record<string, unknown>): Promise<void> => {
        answer = given;
      };
      // Without a count of tries it is taken as new: what was kept is not kept twice.
      await super.routeSocketEvent(body, type, hold, { ...options, waitUntil }, undefined);
      try {
        await Promise.all(begun);
      } catch (error) {
        // Slack delivers it again.
        host.onFault(error);
        return;
      }
      // A connection that is gone by now: it is delivered again, and known.
      await ack(answer).catch(() => undefined);
    }
  }
  const common: SlackAdapterConfig = {
    botToken: secret(settings.token),
    logger,
    // A request is made once: what came of it is decided by the row that it is.
    webClientOptions: {
      retryConfig: { retries: 0 },
      rejectRateLimitedCalls: true,
      logLevel: QUIET,
    },
    ...(settings.baseUrl === undefined ? {} : { apiUrl: settings.baseUrl }),
  };
  const adapter = new KeepingAdapter(
    settings.mode === 'socket'
      ? { ...common, mode: 'socket', appToken: secret(settings.appToken) }
      : { ...common, mode: 'webhook', signingSecret: secret(settings.signingSecret) },
  );
  await adapter.initialize(chat);
  const client = adapter.webClient;
  let canShowTyping = true;
  const attempt = async <T>(work: () => Promise<T>): Promise<T> => {
    try {
      return await work();
    } catch (error) {
      throw slackFailure(error);
    }
  };
  const placeOf = (thread: string) => {
    const { channel, threadTs } = adapter.decodeThreadId(thread);
    return {
      channel,
      ...(threadTs === undefined || threadTs === '' ? {} : { thread_ts: threadTs }),
    };
  };
  return {
    send: (message) =>
      attempt(async () => {
        if (message.files.length > 0)
          return (await adapter.postMessage(message.thread, postable(quiet(message)))).id;
        const { ts } = await client.chat.postMessage({
          ...placeOf(message.thread),
          ...contentOf(message),
          client_msg_id: message.key,
          metadata: { event_type: SENT, event_payload: { key: message.key } },
          unfurl_links: false,
          unfurl_media: false,
        } as unknown as Parameters<typeof client.chat.postMessage>[0]);
        if (ts === undefined) throw new Error('Slack gave a message no id');
        return ts;
      }),
    edit: (id, message) =>
      attempt(async () => {
        await client.chat.update({
          channel: placeOf(message.thread).channel,
          ts: id,
          ...contentOf(message),
          metadata: { event_type: SENT, event_payload: { key: message.key } },
        } as unknown as Parameters<typeof client.chat.update>[0]);
      }),
    find: async (message, sentAt) => {
      // A file that was sent has no key.
      if (message.files.length > 0) return undefined;
      const { channel, thread_ts } = placeOf(message.thread);
      const since = String(Math.floor(sentAt / 1_000) - EARLIER);
      const asked = { channel, oldest: since, limit: MOST_FOUND, include_all_metadata: true };
      const { messages = [], has_more } = (await (thread_ts === undefined
        ? client.conversations.history(asked)
        : client.conversations.replies({ ...asked, ts: thread_ts }))) as unknown as Page;
      return found(messages, has_more === true, message.key, adapter.botUserId);
    },
    showTyping: async (thread) => {
      const { channel: channel_id, thread_ts } = placeOf(thread);
      if (!canShowTyping || thread_ts === undefined) return;
      try {
        await client.assistant.threads.setStatus({ channel_id, thread_ts, status: 'is typing…' });
      } catch {
        // It is for apps that are assistants.
        canShowTyping = false;
      }
    },
    fetch: (file, most) => fetchFile(adapter, file, most),
    ...(settings.mode === 'webhook'
      ? { respond: (request: Request) => respond(adapter, request) }
      : {}),
    close: () => adapter.disconnect(),
  };
}

/** Of a message that begins a thread a button says the thread; between two people, where none was begun, there is none. */
const threadOf = (thread: string, message: string): string =>
  thread.replace(/^(slack:D[^:]*):(.*)$/, (_, place: string, ts: string) =>
    ts === message ? `${place}:` : `${place}:${ts}`,
  );

/** What its type keeps to its heirs. */
interface SlackAdapterInside {
  routeSocketEvent(
    body: Record<string, unknown>,
    type: string,
    ack: (response?: Record<string, unknown>) => Promise<void>,
    options?: { waitUntil?: (work: Promise<unknown>) => void },
    retryNum?: number,
  ): Promise<void>;
}

interface Page {
  messages?: {
    ts: string;
    user?: string;
    metadata?: { event_type?: string; event_payload?: { key?: string } };
  }[];
  has_more?: boolean;
}

/** The one of a key; undefined where its own messages are shown without their keys. */
function found(
  messages: NonNullable<Page['messages']>,
  isPart: boolean,
  key: string,
  me: string | undefined,
): string | null | undefined {
  const own = messages.filter(({ user }) => user === me);
  const it = own.find(({ metadata }) => metadata?.event_payload?.key === key);
  if (it !== undefined) return it.ts;
  return isPart || own.some(({ metadata }) => metadata === undefined) ? undefined : null;
}

const quiet = (message: OutgoingMessage): OutgoingMessage => ({
  ...message,
  text: withoutBroadcasts(message.text),
});

/** Markdown, or above buttons what no text can break out of. */
function contentOf({ text, buttons, isExact }: OutgoingMessage): Record<string, unknown> {
  if (!isExact) return { markdown_text: withoutBroadcasts(text) };
  const actions = buttons.map(({ token, label }) => ({
    type: 'button',
    action_id: token,
    text: { type: 'plain_text', text: label },
  }));
  return {
    // For notifications.
    text: /^\*\*([^*\n]+)\*\*/.exec(text)?.[1] ?? 'You are asked',
    blocks: [
      richText(text),
      ...(actions.length === 0 ? [] : [{ type: 'actions', elements: actions }]),
    ],
  };
}

/** Slack is answered once all that it sent is kept. */
async function respond(
  adapter: { handleWebhook(request: Request, options: object): Promise<Response> },
  request: Request,
): Promise<Response> {
  const headers = new Headers(request.headers);
  headers.delete('x-slack-retry-num');
  const begun: Promise<unknown>[] = [];
  const init = { method: request.method, headers, body: await request.text() };
  const response = await adapter.handleWebhook(new Request(request.url, init), {
    waitUntil: (work: Promise<unknown>) => void begun.push(work),
  });
  await Promise.all(begun);
  return response;
}

/** What somebody wrote; null for what a program did. */
function incoming(
  event: SlackEvent,
  thread: string,
  isMention: boolean,
  name: string,
): IncomingMessage | null {
  const { user, bot_id, channel, ts, text = '', channel_type } = event;
  if (user === undefined || bot_id !== undefined || channel === undefined || ts === undefined)
    return null;
  const isDirect = channel_type === 'im';
  const { attachments = [] } = event as { attachments?: { text?: string; fallback?: string }[] };
  const quoted = attachments.flatMap((each) => each.text ?? each.fallback ?? []).join('\n');
  return {
    id: `${channel}:${ts}`,
    thread,
    sender: { id: user, name },
    text: plainOf(text).replace(/^@\S+\s+/, isMention ? '' : '$&'),
    isAddressed: isDirect || isMention,
    quoted: quoted === '' ? undefined : quoted,
  };
}

const ENTITIES: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>' };

/** A text as it was written: Slack has `&`, `<` and `>` as entities, and puts what it knows in angles. */
function plainOf(text: string): string {
  return text
    .replaceAll(
      /<([@#!]?)([^<>|]+)(?:\|([^<>]*))?>/g,
      (_, mark: string, what: string, label?: string) =>
        mark === ''
          ? label === undefined || label === what
            ? what
            : `${label} (${what})`
          : `${mark === '#' ? '#' : '@'}${label ?? what}`,
    )
    .replaceAll(/&(amp|lt|gt);/g, (_, name: string) => ENTITIES[name] ?? '');
}
