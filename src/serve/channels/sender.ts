/** Sends what was put down for a channel: in order within a thread, and none of it twice. */
import { setTimeout as delay } from 'node:timers/promises';
import { sentenceOf } from '../../errors.ts';
import {
  isNotSent,
  type NotSent,
  type OpenChannel,
  type OutgoingFile,
  type OutgoingMessage,
} from './contract.ts';
import type { ChannelLedger, Post } from './ledger.ts';

/** What a sender works with. */
export interface SenderParts {
  channel: string;
  open: OpenChannel;
  ledger: ChannelLedger;
  /** Reads the file that is sent, or says why it is not. */
  read(post: Post): Promise<OutgoingFile | string>;
  /** Waits until nothing else edits the message of a purpose. */
  settled(purpose: string): Promise<void>;
  /** Told of a message of which nobody knows whether it arrived. */
  onUnknown(post: Post): void;
  now(): number;
  onFault(error: unknown): void;
}

const POLL_MS = 1_000;
/** Before a second try, and at most before any later one. In ms. */
const FIRST_MS = 1_000;
const LONGEST_MS = 5 * 60_000;
/** Before a service is asked whether something has arrived. In ms. */
const ASK_AFTER_MS = 3_000;
/** So often something is tried that might work: some two days. */
const TRIES = 600;

/** The messages of one channel on their way out. */
export class ChannelSender {
  readonly #parts: SenderParts;
  readonly #ended = new AbortController();
  /** Posts that this process is sending. */
  readonly #busy = new Map<string, Promise<void>>();
  #wake: () => void = () => undefined;
  #running: Promise<void> | null = null;

  constructor(parts: SenderParts) {
    this.#parts = parts;
  }

  start(): void {
    this.#running = this.#run();
  }

  /** There is something new. */
  wake(): void {
    this.#wake();
  }

  /** Waits for what is being sent. */
  async close(): Promise<void> {
    this.#ended.abort();
    this.#wake();
    await this.#running;
    await Promise.all(this.#busy.values());
  }

  async #run(): Promise<void> {
    const { signal } = this.#ended;
    while (!signal.aborted) {
      const woken = new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
      try {
        this.#begin();
      } catch (error) {
        this.#parts.onFault(error);
      }
      const timer = new AbortController();
      const waited = delay(POLL_MS, undefined, { signal: timer.signal, ref: false });
      await Promise.race([woken, waited.catch(() => undefined)]);
      timer.abort();
    }
  }

  #begin(): void {
    const { channel, ledger, now, onFault } = this.#parts;
    for (const post of ledger.nextPosts(channel)) {
      if (this.#busy.has(post.id) || post.notBefore > now()) continue;
      const done = this.#handle(post)
        .catch((error: unknown) => {
          onFault(error);
          return this.#wait(FIRST_MS);
        })
        .finally(() => {
          this.#busy.delete(post.id);
          this.#wake();
        });
      this.#busy.set(post.id, done);
    }
  }

  async #handle(post: Post): Promise<void> {
    if (post.edits !== null) return this.#edit(post, post.edits);
    // The process that was sending it is no more, or its answer was lost.
    if (post.state === 'sending') return this.#ask(post);
    const { ledger, open } = this.#parts;
    const message = await this.#messageOf(post);
    ledger.sending(post.id);
    try {
      ledger.sent(post.id, await open.send(message));
    } catch (error) {
      if (isNotSent(error)) this.#notSent(post, error);
      // What is asked for now may not be there yet: it is asked for when the row comes up again.
      else if (open.find === undefined) this.#unknown(post, error);
    }
  }

  /** The same content twice is no harm: an edit is tried until it is there. */
  async #edit(post: Post, purpose: string): Promise<void> {
    const { channel, ledger, open, settled } = this.#parts;
    await settled(purpose);
    const original = ledger.find(channel, purpose);
    if (original?.remote == null || open.edit === undefined) {
      this.#noOriginal(post);
      return;
    }
    const message = await this.#messageOf(post);
    ledger.sending(post.id);
    try {
      await open.edit(original.remote, message);
      ledger.sent(post.id, original.remote);
    } catch (error) {
      if (isNotSent(error) && error.againAfterMs === null) this.#noOriginal(post);
      else if (isNotSent(error)) this.#notSent(post, error);
      else this.#again(post, sentenceOf(error), FIRST_MS);
    }
  }

  /** An answer is said all the same; what only closes a question is not. */
  #noOriginal(post: Post): void {
    const { ledger } = this.#parts;
    if (post.purpose.startsWith('answer:')) ledger.sendInstead(post.id);
    else ledger.ended(post.id, 'failed', 'the message that it belongs to is not there');
  }

  async #ask(post: Post): Promise<void> {
    const { ledger, open } = this.#parts;
    if (open.find === undefined) {
      this.#unknown(post, new Error('the process ended while it was being sent'));
      return;
    }
    const sentAt = post.sentAt ?? 0;
    // What is still on its way is not found, and would come twice.
    if (this.#parts.now() - sentAt < ASK_AFTER_MS) {
      await this.#wait(ASK_AFTER_MS);
      return;
    }
    const message = await this.#messageOf(post);
    try {
      const remote = await open.find(message, sentAt);
      if (remote === undefined) this.#unknown(post, new Error('the service cannot tell'));
      else if (remote === null) ledger.again(post.id, 0, null);
      else ledger.sent(post.id, remote);
    } catch (error) {
      // It stays in doubt until the service can be asked.
      this.#parts.onFault(error);
      await this.#wait(FIRST_MS);
    }
  }

  async #wait(ms: number): Promise<void> {
    const { signal } = this.#ended;
    await delay(ms, undefined, { signal, ref: false }).catch(() => undefined);
  }

  #notSent(post: Post, { message, againAfterMs }: NotSent): void {
    if (againAfterMs === null) this.#parts.ledger.ended(post.id, 'failed', message);
    else this.#again(post, message, againAfterMs);
  }

  #again(post: Post, error: string, atLeastMs: number): void {
    const { ledger, now } = this.#parts;
    if (post.attempts + 1 >= TRIES) {
      ledger.ended(post.id, 'failed', error);
      return;
    }
    const backoff = Math.min(FIRST_MS * 2 ** Math.min(post.attempts, 20), LONGEST_MS);
    ledger.again(post.id, now() + Math.max(atLeastMs, backoff), error);
  }

  #unknown(post: Post, error: unknown): void {
    // What is said of it comes first: a process that is killed between the two asks about it once more.
    this.#parts.onUnknown(post);
    this.#parts.ledger.ended(post.id, 'unknown', sentenceOf(error));
  }

  async #messageOf(post: Post): Promise<OutgoingMessage> {
    const { id: key, thread, text, buttons, purpose } = post;
    const isExact = /^(?:approval|answered|question|settled):/.test(purpose);
    const message = { key, thread, text, buttons, isExact, files: [] };
    if (post.files.length === 0) return message;
    const file = await this.#parts.read(post);
    return typeof file === 'string' ? { ...message, text: file } : { ...message, files: [file] };
  }
}
