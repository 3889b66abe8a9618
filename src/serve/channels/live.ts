/** A turn as it is seen in a channel while it runs: typing is shown, and one message grows in place. */
import { setTimeout as delay } from 'node:timers/promises';
import type { FeedEvent } from '../feed.ts';
import type { OpenChannel } from './contract.ts';
import type { ChannelLedger } from './ledger.ts';

/** What it is shown with. */
export interface LiveParts {
  channel: string;
  /** The message of the queue. */
  turn: string;
  thread: string;
  open: OpenChannel;
  ledger: ChannelLedger;
  follow(signal: AbortSignal): AsyncIterable<FeedEvent>;
  /** Puts down the message that grows. */
  begin(text: string): void;
  mostText: number;
  /** Waits so many ms, or until it has ended. */
  wait?(ms: number, ended: AbortSignal): Promise<void>;
}

/** Services take a few edits a minute of one message. In ms. */
const EDIT_MS = 3_000;
/** An answer that is there sooner is sent as a whole. In ms. */
const QUIET_MS = 2_500;
const LOOK_MS = 500;
const TYPING_MS = 4_000;
const MORE = ' …';

/** One turn that is shown. */
export class LiveTurn {
  readonly #parts: LiveParts;
  readonly #ended = new AbortController();
  readonly #done: Promise<unknown>;
  #text = '';

  constructor(parts: LiveParts) {
    this.#parts = parts;
    this.#done = Promise.all([this.#listen(), this.#type(), this.#grow()]);
  }

  /** From now on nothing of it is edited. */
  async end(): Promise<void> {
    this.#ended.abort();
    await this.#done;
  }

  async #listen(): Promise<void> {
    for await (const news of this.#parts.follow(this.#ended.signal)) {
      if (news.kind !== 'passing') continue;
      const { type, text } = news.event;
      // What it says between two commands is not its answer.
      if (type === 'tool-start') this.#text = '';
      if (type === 'text-delta' && typeof text === 'string') this.#text += text;
    }
  }

  async #type(): Promise<void> {
    const { open, thread } = this.#parts;
    while (open.showTyping !== undefined && !this.#ended.signal.aborted) {
      // It is for the eye alone.
      await open.showTyping(thread).catch(() => undefined);
      await this.#wait(TYPING_MS);
    }
  }

  async #grow(): Promise<void> {
    const { open, ledger, channel, turn, thread, begin } = this.#parts;
    if (open.edit === undefined) return;
    let shown = '';
    while (!this.#ended.signal.aborted && this.#shown() === '') await this.#wait(LOOK_MS);
    await this.#wait(QUIET_MS);
    while (!this.#ended.signal.aborted) {
      const text = this.#shown();
      const post = ledger.find(channel, liveOf(turn));
      if (post === null && text !== '') {
        begin(text);
        shown = text;
      } else if (post?.state === 'sent' && post.remote !== null && text !== shown && text !== '') {
        const message = { key: post.id, thread, text, buttons: [], isExact: false, files: [] };
        // The next one, or the answer, has all of it.
        await open.edit(post.remote, message).catch(() => undefined);
        shown = text;
      }
      await this.#wait(EDIT_MS);
    }
  }

  #shown(): string {
    const { mostText } = this.#parts;
    const text = this.#text.trim();
    return text === '' ? '' : `${text.slice(0, mostText - 100)}${MORE}`;
  }

  async #wait(ms: number): Promise<void> {
    const { wait = pause } = this.#parts;
    await wait(ms, this.#ended.signal);
  }
}

async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await delay(ms, undefined, { signal, ref: false }).catch(() => undefined);
}

/** The purpose of the message that grows. */
export const liveOf = (turn: string): string => `live:${turn}`;
