/** A Telegram bot that is running, through the adapter of the Chat SDK. */
import type { TelegramAdapter, TelegramRawMessage } from '@chat-adapter/telegram';
import type { ChannelHost, IncomingMessage, OpenChannel } from '../../src/serve/channels/index.ts';
import { fetchFile, filesOf } from '../chat-sdk/files.ts';
import { chatInstance } from '../chat-sdk/instance.ts';
import { failureOf, hasPlaceholder, postable } from '../chat-sdk/sending.ts';
import { load } from '../library.ts';
import type { TelegramSettings } from './settings.ts';

/** A text of one message, after its marks. */
const MOST = 4_096;
/** What no message is asked for but those that are taken. */
const UPDATES = ['message', 'callback_query'];

type Host = ChannelHost<TelegramSettings>;

export async function openTelegram(host: Host): Promise<OpenChannel> {
  const { settings, secret } = host;
  const { TelegramAdapter, TelegramFormatConverter } = await load(
    host.name,
    ['chat', '@chat-adapter/telegram'],
    () => import('@chat-adapter/telegram'),
  );
  const { chat, logger } = chatInstance(host, {
    message: ({ raw }) => take(raw as TelegramRawMessage, false),
    command: ({ raw }) => take(raw as TelegramRawMessage, true),
    action: ({ actionId, threadId, messageId, user }) =>
      host.pressed({
        token: actionId,
        thread: threadId,
        message: messageId,
        sender: { id: user.userId, name: user.fullName },
      }),
  });
  const adapter = new TelegramAdapter({
    botToken: secret(settings.token),
    mode: settings.mode,
    mentionOnReply: true,
    logger,
    longPolling: { allowedUpdates: UPDATES },
    ...(settings.mode === 'webhook' ? { secretToken: secret(settings.secret) } : {}),
    ...(settings.baseUrl === undefined ? {} : { apiUrl: settings.baseUrl }),
  });
  const take = (raw: TelegramRawMessage, isCommand: boolean): void => {
    const message = incoming(adapter, raw, isCommand);
    if (message !== null) host.receive(message);
  };
  await adapter.initialize(chat);
  const format = new TelegramFormatConverter();
  return {
    send: async (message) => {
      try {
        return (await adapter.postMessage(message.thread, postable(message))).id;
      } catch (error) {
        throw failureOf(error);
      }
    },
    edit: async (id, message) => {
      try {
        await adapter.editMessage(message.thread, id, postable(message));
      } catch (error) {
        if (error instanceof Error && /message is not modified/i.test(error.message)) return;
        throw failureOf(error);
      }
    },
    shows: (text) => !hasPlaceholder(text) && lengthOf(format, text) <= MOST,
    showTyping: (thread) => adapter.startTyping(thread),
    fetch: (file, most) => fetchFile(adapter, file, most),
    ...(settings.mode === 'webhook'
      ? { respond: (request: Request) => adapter.handleWebhook(request) }
      : {}),
    close: () => adapter.disconnect(),
  };
}

/** After its marks; of what is nested deeper than its reader can follow, too long. */
function lengthOf(format: { fromMarkdown(text: string): string }, text: string): number {
  try {
    return format.fromMarkdown(text).length;
  } catch (error) {
    if (error instanceof RangeError) return Number.POSITIVE_INFINITY;
    throw error;
  }
}

/** What somebody wrote; null for what nobody did, such as a post of a channel. */
function incoming(
  adapter: TelegramAdapter,
  raw: TelegramRawMessage,
  isCommand: boolean,
): IncomingMessage | null {
  // A name, a title, a chat are nobody: who wrote it is `from` alone.
  if (raw.from === undefined || raw.from.is_bot) return null;
  const message = adapter.parseMessage(raw);
  const { forward_origin: forwarded } = raw as { forward_origin?: unknown };
  const text = isCommand ? (raw.text ?? raw.caption ?? '') : message.text;
  const { replyTo } = message;
  const isOthers =
    replyTo !== undefined && !replyTo.author.isMe && replyTo.author.userId !== String(raw.from.id);
  const quoted = forwarded !== undefined ? text : isOthers ? replyTo.text : undefined;
  return {
    id: message.id,
    thread: message.threadId,
    sender: { id: String(raw.from.id), name: message.author.fullName },
    text: forwarded === undefined ? text : '',
    isAddressed: raw.chat.type === 'private' || isCommand || message.isMention === true,
    quoted,
    files: filesOf(message.attachments),
  };
}
