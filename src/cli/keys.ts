/** Keys of a terminal: as readline takes them, and for those who read them themselves. */
import { EventEmitter } from 'node:events';
import { StringDecoder } from 'node:string_decoder';

/** The part of a terminal's input that is needed; tests hand in a stream. */
export interface TerminalInput extends NodeJS.ReadableStream {
  setRawMode?(raw: boolean): unknown;
}

/** An input for readline that gives it no more keys than it is to have. */
export class FedKeys extends EventEmitter {
  readonly #terminal: TerminalInput;
  readonly #onResume: () => void;
  paused = false;

  constructor(terminal: TerminalInput, onResume: () => void) {
    super();
    this.#terminal = terminal;
    this.#onResume = onResume;
  }

  feed(keys: string): void {
    this.emit('data', keys);
  }

  end(): void {
    this.emit('end');
  }

  setRawMode(raw: boolean): void {
    this.#terminal.setRawMode?.(raw);
  }

  pause(): this {
    this.paused = true;
    return this;
  }

  resume(): this {
    this.paused = false;
    this.#onResume();
    return this;
  }
}

/** A key that sends several characters, a line end of two, or one character. */
const KEY = /^(?:\x1b\[[0-?]*[ -/]*[@-~]|\x1bO.|\r\n|.)/su;

/** The first key of what was typed, as it was sent; empty where nothing was. */
export const firstKey = (typed: string): string => KEY.exec(typed)?.[0] ?? '';

/** Reads the keys of a terminal one by one, from `start` to `stop`. */
export class RawKeys {
  readonly #input: TerminalInput;
  readonly #decoder = new StringDecoder('utf8');
  #pending: string;
  #waiting: (() => void) | null = null;
  #ended = false;

  /** @param pending keys that were typed before */
  constructor(input: TerminalInput, pending = '') {
    this.#input = input;
    this.#pending = pending;
  }

  start(): void {
    this.#input.setRawMode?.(true);
    this.#input.on('data', this.#onData);
    this.#input.on('end', this.#onEnd);
    this.#input.resume();
  }

  stop(): void {
    this.#input.off('data', this.#onData);
    this.#input.off('end', this.#onEnd);
    this.#input.pause();
    this.#input.setRawMode?.(false);
  }

  /** What was typed and not read; it is read by nobody else then. */
  takePending(): string {
    const pending = this.#pending;
    this.#pending = '';
    return pending;
  }

  /**
   * The next key: a character, or the whole sequence of a key that sends several; null when the
   * terminal is gone, or `signal` says that nobody waits any more.
   */
  async next(signal?: AbortSignal): Promise<string | null> {
    while (this.#pending === '') {
      if (this.#ended || signal?.aborted === true) return null;
      const { promise, resolve } = Promise.withResolvers<void>();
      this.#waiting = resolve;
      signal?.addEventListener('abort', () => resolve(), { once: true });
      await promise;
      this.#waiting = null;
    }
    const key = firstKey(this.#pending);
    this.#pending = this.#pending.slice(key.length);
    return key;
  }

  readonly #onData = (data: Buffer | string): void => {
    this.#pending += typeof data === 'string' ? data : this.#decoder.write(data);
    this.#waiting?.();
  };

  readonly #onEnd = (): void => {
    this.#ended = true;
    this.#waiting?.();
  };
}
