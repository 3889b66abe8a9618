/** The event stream: entries as they become durable, and what passes through without being kept. */
import type { Entry } from './entry.ts';

/** Something that front ends are told and the log does not keep, such as a delta of a turn. */
export interface TransientEvent {
  transient: true;
  type: string;
  [field: string]: unknown;
}

/** What a front end reads: an entry of the log, or what is told once and not kept. */
export type SessionEvent = Entry | TransientEvent;

/** Where to begin, and when to stop. */
export interface EventOptions {
  /** An entry's id: what follows it in the file comes first. Without it, what comes from now on. */
  after?: string;
  signal?: AbortSignal;
}

export const isTransient = (event: SessionEvent): event is TransientEvent =>
  'transient' in event && event.transient === true && !('hash' in event);

/** Whoever listens, and their queues. */
export class EventHub {
  readonly #streams = new Set<Stream>();

  publish(event: SessionEvent): void {
    for (const stream of this.#streams) stream.push(event);
  }

  /** A stream that begins with `past`, and misses nothing that is published from this call on. */
  subscribe(past: Iterable<Entry>, signal?: AbortSignal): AsyncIterableIterator<SessionEvent> {
    const stream = new Stream(past, () => {
      this.#streams.delete(stream);
      signal?.removeEventListener('abort', stream.end);
    });
    if (signal?.aborted === true) stream.end();
    else {
      this.#streams.add(stream);
      signal?.addEventListener('abort', stream.end, { once: true });
    }
    return stream;
  }

  /** Ends all streams, once each has given what it holds. */
  close(): void {
    for (const stream of [...this.#streams]) stream.finish();
  }
}

class Stream implements AsyncIterableIterator<SessionEvent> {
  readonly #past: Iterator<Entry>;
  readonly #queue: SessionEvent[] = [];
  readonly #onEnd: () => void;
  readonly #waiting: ((result: IteratorResult<SessionEvent>) => void)[] = [];
  #pastIsOver = false;
  #ended = false;

  constructor(past: Iterable<Entry>, onEnd: () => void) {
    this.#past = past[Symbol.iterator]();
    this.#onEnd = onEnd;
  }

  push(event: SessionEvent): void {
    const waiting = this.#waiting.shift();
    if (waiting === undefined) this.#queue.push(event);
    else waiting({ done: false, value: event });
  }

  async next(): Promise<IteratorResult<SessionEvent>> {
    if (!this.#pastIsOver) {
      const { done, value } = this.#past.next();
      if (done !== true) return { done: false, value };
      this.#pastIsOver = true;
    }
    const value = this.#queue.shift();
    if (value !== undefined) return { done: false, value };
    if (this.#ended) return { done: true, value: undefined };
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  /** No more will come; what is there is still given. */
  finish(): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#onEnd();
    for (const resolve of this.#waiting.splice(0)) resolve({ done: true, value: undefined });
  }

  /** Ends at once. */
  readonly end = (): void => {
    this.#pastIsOver = true;
    this.#queue.length = 0;
    this.finish();
  };

  async return(): Promise<IteratorResult<SessionEvent>> {
    this.end();
    return { done: true, value: undefined };
  }

  [Symbol.asyncIterator](): this {
    return this;
  }
}
