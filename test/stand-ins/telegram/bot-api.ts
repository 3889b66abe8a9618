/** The methods of the Bot API, as https://core.telegram.org/bots/api documents them, over chats in memory. */
import { ParseFault, shownOf } from './markdown.ts';

/** `ok: false`. */
export class Refusal extends Error {
  readonly code: number;
  readonly retryAfter: number | undefined;

  constructor(code: number, description: string, retryAfter?: number) {
    super(description);
    this.code = code;
    this.retryAfter = retryAfter;
  }
}

export interface TelegramUser {
  id: number;
  is_bot: boolean;
  first_name: string;
  username?: string;
}

export interface TelegramChat {
  id: number;
  type: 'private' | 'group' | 'supergroup' | 'channel';
  title?: string;
  first_name?: string;
}

/** A message that the bot sent, as its readers see it. */
export interface SentMessage {
  chat: number;
  id: number;
  /** Without its marks. */
  text: string;
  buttons: { text: string; data: string }[];
  files: { name: string; bytes: Uint8Array }[];
  /** What it said before. */
  earlier: string[];
}

/** Arguments of a call: from JSON or from a form. */
export type Arguments = Readonly<Record<string, unknown>>;

type Update = { update_id: number } & Record<string, unknown>;

const MOST_TEXT = 4_096;
const MOST_RICH = 32_768;
const MOST_CAPTION = 1_024;
const MOST_DATA = 64;
const MOST_FILE = 20 * 1024 * 1024;

/** A bot and those who speak to it. */
export class BotApi {
  readonly bot: TelegramUser = {
    id: 7_000_000_001,
    is_bot: true,
    first_name: 'Desk',
    username: 'desk_bot',
  };
  readonly sent: SentMessage[] = [];
  /** Whoever has no rich messages says so of the method, as an older server does. */
  hasRich = true;
  readonly files = new Map<string, { name: string; bytes: Uint8Array }>();
  readonly #chats = new Map<number, TelegramChat>();
  readonly #updates: Update[] = [];
  #lastUpdate = 500_000_000;
  #lastMessage = 0;
  #polls = 0;
  #wake: () => void = () => undefined;

  addChat(chat: TelegramChat): void {
    this.#chats.set(chat.id, chat);
  }

  /** Somebody writes. @returns the update, and the message */
  say(chatId: number, from: TelegramUser, message: Record<string, unknown>): Update {
    const chat = this.#chats.get(chatId);
    if (chat === undefined) throw new Error(`there is no chat ${chatId}`);
    const at = { message_id: this.#nextMessage(), date: Math.floor(Date.now() / 1000) };
    return this.#add({ message: { ...at, chat, from, ...message } });
  }

  /** Somebody presses a button of a message. */
  press(sent: SentMessage, from: TelegramUser, data: string): Update {
    const chat = this.#chats.get(sent.chat);
    const message = { message_id: sent.id, date: 1, chat, from: this.bot, text: sent.text };
    const id = String(this.#lastUpdate + 1);
    return this.#add({ callback_query: { id, from, message, chat_instance: '1', data } });
  }

  /** Delivers an update once more, as after an answer that was lost. */
  again(update: Update): void {
    this.#updates.push(update);
    this.#updates.sort((one, other) => one.update_id - other.update_id);
    this.#wake();
  }

  #add(update: Record<string, unknown>): Update {
    this.#lastUpdate += 1;
    const made = { update_id: this.#lastUpdate, ...update };
    this.#updates.push(made);
    this.#wake();
    return made;
  }

  /** @param isGone whether the client has hung up */
  async call(method: string, args: Arguments, isGone: () => boolean): Promise<unknown> {
    switch (method) {
      case 'getMe':
        return { ...this.bot, can_join_groups: true, supports_inline_queries: false };
      case 'deleteWebhook':
      case 'sendChatAction':
      case 'answerCallbackQuery':
        return true;
      case 'getWebhookInfo':
        return { url: '', has_custom_certificate: false, pending_update_count: 0 };
      case 'getUpdates':
        return this.#getUpdates(args, isGone);
      case 'sendMessage':
        return this.#send(args, this.#textOf(args, 'text', MOST_TEXT), []);
      case 'sendRichMessage':
        if (!this.hasRich) throw new Refusal(404, 'Not Found');
        return this.#send(args, richOf(args), []);
      case 'sendDocument':
        return this.#sendDocument(args);
      case 'editMessageText':
        return this.#edit(args);
      case 'getFile':
        return this.#getFile(args);
      default:
        throw new Refusal(404, 'Not Found');
    }
  }

  async #getUpdates(args: Arguments, isGone: () => boolean): Promise<Update[]> {
    const offset = Number(args['offset'] ?? 0);
    const limit = Number(args['limit'] ?? 100);
    // "An update is considered confirmed as soon as getUpdates is called with an offset higher than its update_id."
    while ((this.#updates[0]?.update_id ?? offset) < offset) this.#updates.shift();
    this.#polls += 1;
    const poll = this.#polls;
    this.#wake();
    const end = Date.now() + Number(args['timeout'] ?? 0) * 1_000;
    while (this.#updates.length === 0 && Date.now() < end && !isGone()) {
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, Math.min(end - Date.now(), 200));
        this.#wake = () => {
          clearTimeout(timer);
          resolve();
        };
      });
      if (poll !== this.#polls)
        throw new Refusal(
          409,
          'Conflict: terminated by other getUpdates request; make sure that only one bot instance is running',
        );
    }
    return this.#updates.slice(0, limit);
  }

  #textOf(args: Arguments, name: string, most: number): string {
    const text = String(args[name] ?? '');
    const shown = args['parse_mode'] === 'MarkdownV2' ? parsed(text) : text;
    if (shown.trim() === '') throw new Refusal(400, 'Bad Request: message text is empty');
    if (shown.length > most) throw new Refusal(400, 'Bad Request: message is too long');
    return shown;
  }

  #send(args: Arguments, text: string, files: SentMessage['files']): unknown {
    const chat = this.#chats.get(Number(args['chat_id']));
    if (chat === undefined) throw new Refusal(400, 'Bad Request: chat not found');
    const sent: SentMessage = {
      chat: chat.id,
      id: this.#nextMessage(),
      text,
      buttons: buttonsOf(args),
      files,
      earlier: [],
    };
    this.sent.push(sent);
    return this.#shown(sent, chat);
  }

  #sendDocument(args: Arguments): unknown {
    const document = args['document'] as { name: string; bytes: Uint8Array } | undefined;
    if (document === undefined)
      throw new Refusal(400, 'Bad Request: there is no document in the request');
    const caption =
      args['caption'] === undefined ? '' : this.#textOf(args, 'caption', MOST_CAPTION);
    return this.#send(args, caption, [document]);
  }

  #edit(args: Arguments): unknown {
    const sent = this.sent.find(
      ({ chat, id }) => chat === Number(args['chat_id']) && id === Number(args['message_id']),
    );
    const chat = this.#chats.get(Number(args['chat_id']));
    if (sent === undefined || chat === undefined)
      throw new Refusal(400, 'Bad Request: message to edit not found');
    const text =
      args['rich_message'] === undefined ? this.#textOf(args, 'text', MOST_TEXT) : richOf(args);
    const buttons = buttonsOf(args);
    if (sent.text === text && JSON.stringify(sent.buttons) === JSON.stringify(buttons))
      throw new Refusal(
        400,
        'Bad Request: message is not modified: specified new message content and reply markup are exactly the same as a current content and reply markup of the message',
      );
    sent.earlier.push(sent.text);
    Object.assign(sent, { text, buttons });
    return this.#shown(sent, chat);
  }

  #getFile(args: Arguments): unknown {
    const id = String(args['file_id']);
    const file = this.files.get(id);
    if (file === undefined) throw new Refusal(400, 'Bad Request: invalid file_id');
    if (file.bytes.length > MOST_FILE) throw new Refusal(400, 'Bad Request: file is too big');
    return {
      file_id: id,
      file_unique_id: `u${id}`,
      file_size: file.bytes.length,
      file_path: `documents/${id}`,
    };
  }

  #shown({ id, text }: SentMessage, chat: TelegramChat): unknown {
    return { message_id: id, date: Math.floor(Date.now() / 1000), chat, from: this.bot, text };
  }

  #nextMessage(): number {
    this.#lastMessage += 1;
    return this.#lastMessage;
  }
}

function parsed(text: string): string {
  try {
    return shownOf(text);
  } catch (error) {
    if (error instanceof ParseFault) throw new Refusal(400, error.message);
    throw error;
  }
}

function richOf(args: Arguments): string {
  const { markdown = '' } = (args['rich_message'] ?? {}) as { markdown?: string };
  if (markdown.trim() === '') throw new Refusal(400, 'Bad Request: message text is empty');
  if ([...markdown].length > MOST_RICH) throw new Refusal(400, 'Bad Request: message is too long');
  return markdown;
}

function buttonsOf(args: Arguments): SentMessage['buttons'] {
  const given = args['reply_markup'];
  const markup = (typeof given === 'string' ? JSON.parse(given) : (given ?? {})) as {
    inline_keyboard?: { text: string; callback_data?: string }[][];
  };
  return (markup.inline_keyboard ?? []).flat().map(({ text, callback_data: data = '' }) => {
    const length = Buffer.byteLength(data);
    if (length < 1 || length > MOST_DATA)
      throw new Refusal(400, 'Bad Request: BUTTON_DATA_INVALID');
    return { text, data };
  });
}
