/**
 * Lines as the thread has them that opened the world. It is not asked about each question: the first of
 * several is told to it, and waits until leases were given back and the rules are those of now; and
 * what they do is read in the memory that both threads share.
 */
import { isDeepStrictEqual } from 'node:util';
import type { ActingContext } from '../../policy/context.ts';
import type { CallWatch } from '../job.ts';
import type { LeaseHolder } from '../leases.ts';
import { WorkerGone } from '../pending-calls.ts';
import { revive } from '../wire-errors.ts';
import type { LineAddress, LineFromWorker, LineNews, LineToWorker, LostLine } from './protocol.ts';

/** While a line is used: what it does is read this often, and who acts is looked at, ms. */
const LOOK_MS = 25;

const CUT =
  'the line to this world was cut: whether this was done is not known; look, and ask again';

/** In whose name a process asks, and who is told of it. */
export interface LineUse {
  /** The person in charge, if absent. */
  acting?: (() => ActingContext) | undefined;
  watch?: Pick<CallWatch, 'holder' | 'signal' | 'onParked' | 'onRead' | 'onChanged' | 'onFailed'>;
  /** Awaited ahead of the first of several questions. */
  before?: (() => Promise<void>) | undefined;
  /** The directory of the policy that is looked at ahead of each question; null where none is. */
  rules?: (() => string | null) | undefined;
  /** Paths are about to be changed. */
  touched(path: string): void;
  /** They have been. */
  changed(paths: readonly string[]): void;
}

/** What the lines of a world need of its worker. */
export interface LinesOptions {
  /** @throws WorkerGone where it ended meanwhile */
  call(request: Omit<Extract<LineToWorker, { type: 'line' }>, 'id'>): Promise<unknown>;
  post(message: LineToWorker): void;
  /** The world is used by somebody. */
  during(holder: LeaseHolder | undefined, work: () => Promise<void>): Promise<void>;
  /** Has what lines did told. */
  read(): void;
}

/** A process of the host that asks the world's worker by itself. */
export interface Line {
  /**
   * Has the worker come to where the process waits. The process asks for this when it has a question,
   * and nobody to ask: at the beginning, and when the worker has ended.
   * @returns what of its questions nobody answers any more
   * @throws Error where there is no worker: the world was closed, or cannot begin
   */
  open(address: LineAddress): Promise<LostLine>;
  /** Ends it. What it did is told by then. */
  close(): void;
}

/** Those of one world. */
export class Lines {
  readonly #options: LinesOptions;
  readonly #lines = new Map<number, OpenLine>();
  #last = 0;

  constructor(options: LinesOptions) {
    this.#options = options;
  }

  add(use: LineUse): Line {
    this.#last += 1;
    const id = this.#last;
    const line = new OpenLine(id, use, this.#options);
    this.#lines.set(id, line);
    return {
      open: (address) => line.open(address),
      close: () => {
        line.close();
        this.#lines.delete(id);
      },
    };
  }

  /** Is nothing asked on any of them? */
  get areIdle(): boolean {
    return [...this.#lines.values()].every(({ isUsed }) => !isUsed);
  }

  receive({ line, step }: LineFromWorker): void {
    this.#lines.get(line)?.receive(step);
  }

  told(line: number, news: LineNews): void {
    this.#lines.get(line)?.told(news);
  }

  /** The worker has ended. @param message what is said of what it had begun */
  lost(message: string): void {
    for (const line of this.#lines.values()) line.lost(message);
  }
}

class OpenLine {
  readonly #id: number;
  readonly #use: LineUse;
  readonly #options: LinesOptions;
  /** Whatever worker it is. */
  readonly #begun = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
  readonly #onAbort = (): void => this.#options.post({ type: 'line-abort', line: this.#id });
  #message = CUT;
  /** Ends the use that there is. */
  #rest: (() => void) | null = null;
  #context: ActingContext | undefined;
  #isClosed = false;

  constructor(id: number, use: LineUse, options: LinesOptions) {
    this.#id = id;
    this.#use = use;
    this.#options = options;
    use.watch?.signal?.addEventListener('abort', this.#onAbort, { once: true });
  }

  get isUsed(): boolean {
    return this.#rest !== null;
  }

  async open(address: LineAddress): Promise<LostLine> {
    if (this.#isClosed) throw new Error('this line was closed');
    const rules = this.#use.rules?.() ?? null;
    const request = { type: 'line', line: this.#id, address, rules, begun: this.#begun } as const;
    for (;;) {
      try {
        await this.#options.call(request);
        break;
      } catch (error) {
        // Another worker comes to the same place.
        if (!(error instanceof WorkerGone)) throw error;
      }
    }
    if (this.#use.watch?.signal?.aborted === true) this.#onAbort();
    // The line before it has ended, and what it had not begun by then it never begins.
    const lost = { begun: Atomics.load(this.#begun, 0), message: this.#message };
    this.#message = CUT;
    return lost;
  }

  close(): void {
    this.#isClosed = true;
    this.#use.watch?.signal?.removeEventListener('abort', this.#onAbort);
    this.#options.post({ type: 'line-end', line: this.#id });
    this.#options.read();
    this.#end();
  }

  lost(message: string): void {
    this.#message = message;
    this.#end();
  }

  receive(step: LineFromWorker['step']): void {
    if (step === 'waits') this.#use.watch?.onParked?.();
    else if (step === 'rests') this.#end();
    // The rules were edited: they are read anew.
    else if (this.#rest !== null) void this.#go(this.#rest);
    else void this.#used();
  }

  told(news: LineNews): void {
    const { watch, touched, changed } = this.#use;
    if ('touched' in news) {
      for (const path of news.touched) touched(path);
      return;
    }
    watch?.onRead?.(news.read);
    if (news.changed.length > 0) {
      changed(news.changed);
      watch?.onChanged?.(news.changed);
    }
    if (news.failed !== undefined) watch?.onFailed?.(revive(news.failed));
  }

  #end(): void {
    this.#rest?.();
    this.#rest = null;
  }

  /** From the first of several questions until no more come. */
  async #used(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#rest = resolve;
    await this.#options.during(this.#use.watch?.holder, async () => {
      await this.#go(resolve);
      const looking = setInterval(() => this.#look(), LOOK_MS);
      await promise;
      clearInterval(looking);
      this.#options.read();
    });
  }

  /** @param use is not gone on with where it has ended meanwhile */
  async #go(use: () => void): Promise<void> {
    await this.#use.before?.();
    if (this.#rest !== use) return;
    this.#context = this.#use.acting?.();
    const context = this.#context === undefined ? {} : { context: this.#context };
    this.#options.post({ type: 'line-go', line: this.#id, ...context });
  }

  #look(): void {
    this.#options.read();
    // What an agent may do can be other than it was.
    const context = this.#use.acting?.();
    if (this.#rest !== null && !isDeepStrictEqual(context, this.#context))
      void this.#go(this.#rest);
  }
}
