/**
 * Streams of events that are open: so many, of which nobody has more than their share, and each for
 * no longer than whoever follows it may come in, and reads it.
 */
import type { Context } from 'hono';
import { type SSEStreamingApi, streamSSE } from 'hono/streaming';
import { HttpRefusal, Share } from '../../doors/http/limits.ts';
import type { ServeEnv } from './identity.ts';

/** An event, as it goes over the wire. */
export interface StreamedEvent {
  event: string;
  data: string;
  id?: string;
}

export interface EventStreamsOptions {
  /** Told of what ended a stream that nobody ended. */
  onFault(error: unknown): void;
  /** How often it is looked whether those who follow may come in still. In ms. */
  lookMs?: number;
  /** A line from time to time tells both ends, and what is between them, that the stream is there. In ms. */
  beatMs?: number;
}

/** Streams at once; one caller has half at most. */
export const STREAMS = 256;
const CALLERS = 2;
const LOOK_MS = 1_000;
/** Proxies end what has been silent for a minute. */
const BEAT_MS = 15_000;
/** Whoever has read nothing for so many beats is gone; one who is not comes back for the rest. */
const BEATS_UNREAD = 8;

interface Open {
  isKnown(): boolean;
  end(): void;
}

/** The streams of one server. */
export class EventStreams {
  readonly #onFault: (error: unknown) => void;
  readonly #lookMs: number;
  readonly #beatMs: number;
  readonly #open = new Set<Open>();
  readonly #share = new Share(
    STREAMS,
    () => CALLERS,
    (most) => new HttpRefusal(429, `${most} streams are open, and no more at once: close one`),
  );
  #looking: NodeJS.Timeout | undefined;

  constructor({ onFault, lookMs = LOOK_MS, beatMs = BEAT_MS }: EventStreamsOptions) {
    this.#onFault = onFault;
    this.#lookMs = lookMs;
    this.#beatMs = beatMs;
  }

  /**
   * Answers with what `follow` gives, until the signal that it is handed is aborted.
   * @throws HttpRefusal 429; what `follow` throws
   */
  send<T>(
    c: Context<ServeEnv>,
    follow: (signal: AbortSignal) => AsyncGenerator<T>,
    lineOf: (event: T) => StreamedEvent,
  ): Response {
    const ended = new AbortController();
    const release = this.#share.take(c.get('caller').actor);
    const events = attempt(() => follow(ended.signal), release);
    // nginx would keep what is sent until it has some kilobytes of it.
    c.header('x-accel-buffering', 'no');
    return streamSSE(c, async (stream) => {
      const leave = this.#enter({
        isKnown: c.get('isKnown'),
        end: () => stream.abort(),
      });
      stream.onAbort(() => {
        ended.abort();
        // With what waits to be read by somebody who does not read.
        c.env?.outgoing?.destroy();
      });
      const beat = this.#beat(stream);
      try {
        for await (const event of events) await stream.writeSSE(lineOf(event));
      } catch (error) {
        this.#onFault(error);
      } finally {
        clearInterval(beat);
        ended.abort();
        leave();
        release();
      }
    });
  }

  /** A line every so often, and the end of those who read none. */
  #beat(stream: SSEStreamingApi): NodeJS.Timeout {
    let unread = 0;
    return setInterval(() => {
      unread += 1;
      if (unread > BEATS_UNREAD) stream.abort();
      else if (unread === 1)
        void stream.write(': \n\n').then(() => {
          unread = 0;
        });
    }, this.#beatMs).unref();
  }

  /** @returns what is called when the stream has ended */
  #enter(open: Open): () => void {
    this.#open.add(open);
    this.#looking ??= setInterval(() => this.#look(), this.#lookMs).unref();
    return () => {
      this.#open.delete(open);
      if (this.#open.size > 0) return;
      clearInterval(this.#looking);
      this.#looking = undefined;
    };
  }

  /** Who may not come in any more hears no more, either. */
  #look(): void {
    for (const { isKnown, end } of this.#open) {
      try {
        if (!isKnown()) end();
      } catch (error) {
        this.#onFault(error);
        end();
      }
    }
  }
}

/** What cannot be followed takes no stream. */
function attempt<T>(work: () => T, release: () => void): T {
  try {
    return work();
  } catch (error) {
    release();
    throw error;
  }
}
