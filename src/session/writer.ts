/**
 * The one writer of a log: a record is one write at the end of the file, and
 * durable before anything acts on it. After a failure that leaves unknown what
 * is on the disk, it writes no more.
 */
import { type Errno, FsError, isErrno, isFsError, STRERROR } from '../errors.ts';
import type { LogWriter } from './store.ts';

/** Someone who waits for lines to be durable. */
interface Waiting {
  /** How long the file must be on the disk. */
  end: number;
  resolve(): void;
  reject(error: Error): void;
}

const ADVICE: Readonly<Partial<Record<Errno, string>>> = {
  ENOSPC: 'make room on the disk and try again',
  EDQUOT: 'make room on the disk and try again',
  EBUSY: 'try again',
  ESTALE: 'another one writes it by now; open the session again',
};

/** A log that only grows, by whole lines. */
export class LineWriter {
  readonly #log: LogWriter;
  readonly #session: string;
  /** Bytes written, and bytes known to be durable. */
  #end: number;
  #durable: number;
  #waiting: Waiting[] = [];
  #syncing = false;
  #failure: FsError | null = null;
  #closed = false;

  /**
   * @param session its id, for messages
   * @param end where its last whole line ends
   */
  constructor(log: LogWriter, session: string, end: number) {
    this.#log = log;
    this.#session = session;
    this.#end = end;
    this.#durable = end;
  }

  /** True once it is unknown what is on the disk. */
  get failed(): boolean {
    return this.#failure !== null;
  }

  /** Adds a line, which is not durable yet; gives its length in bytes. @throws FsError */
  write(line: string): number {
    if (this.#failure !== null) throw this.#failure;
    const data = Buffer.from(line);
    try {
      this.#log.append(data, this.#end);
    } catch (error) {
      throw this.#undo(error);
    }
    this.#end += data.length;
    return data.length;
  }

  /** Makes all lines durable, and answers those who wait for them. @throws FsError */
  sync(): void {
    if (this.#failure !== null) throw this.#failure;
    try {
      this.#log.sync();
    } catch (error) {
      throw this.#fail(error);
    }
    this.#settle(this.#end);
  }

  /** Resolves when all lines written so far are durable. One sync serves everybody who waits. */
  synced(): Promise<void> {
    if (this.#failure !== null) return Promise.reject(this.#failure);
    if (this.#durable >= this.#end) return Promise.resolve();
    return new Promise((resolve, reject) => {
      this.#waiting.push({ end: this.#end, resolve, reject });
      if (!this.#syncing) {
        this.#syncing = true;
        // Whoever asks within this turn of the event loop is served by the same sync.
        setImmediate(() => this.#syncLater());
      }
    });
  }

  /** Makes durable what was written and is not yet. @throws FsError */
  flush(): void {
    if (this.#durable < this.#end) this.sync();
  }

  /** Writes no more. What was written since the last sync is left to the store. */
  close(): void {
    this.#closed = true;
  }

  #syncLater(): void {
    if (this.#closed || this.#waiting.length === 0) {
      this.#syncing = false;
      return;
    }
    const end = this.#end;
    const done = (settle: () => void): void => {
      // Whoever closes has made durable what matters.
      if (!this.#closed) settle();
    };
    this.#synced().then(
      () =>
        done(() => {
          this.#settle(end);
          this.#syncLater();
        }),
      (error: unknown) => done(() => void this.#fail(error)),
    );
  }

  async #synced(): Promise<void> {
    if (this.#log.synced === undefined) this.#log.sync();
    else await this.#log.synced();
  }

  #settle(end: number): void {
    this.#durable = Math.max(this.#durable, end);
    const done = this.#waiting.filter((each) => each.end <= this.#durable);
    this.#waiting = this.#waiting.filter((each) => each.end > this.#durable);
    for (const each of done) each.resolve();
  }

  /** Takes back what a failed write has left, so that no line begins in the middle of another. */
  #undo(error: unknown): FsError {
    const failure = this.#describe(error);
    // What is there is another one's.
    if (failure.code === 'ESTALE') return this.#fail(error);
    try {
      this.#log.undo(this.#end);
    } catch (second) {
      return this.#fail(second);
    }
    return failure.code === 'EIO' ? this.#fail(error) : failure;
  }

  /** What is on the disk is not known any more: a second sync would say yes to what the first has lost. */
  #fail(error: unknown): FsError {
    this.#failure ??= this.#describe(error);
    for (const each of this.#waiting.splice(0)) each.reject(this.#failure);
    this.#syncing = false;
    return this.#failure;
  }

  #describe(error: unknown): FsError {
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'EIO';
    const errno = isErrno(code) ? code : 'EIO';
    // A store of the deployment's own says what happened; the system's calls only which it was.
    const said = isFsError(error) && error.reason !== undefined ? `: ${error.reason}` : '';
    return new FsError(errno, {
      path: '/session/log.jsonl',
      op: 'write',
      rule: 'an entry is durable before anything acts on it',
      reason: `the log of session ${this.#session} cannot be written (${STRERROR[errno]}${said}), so nothing more is done: ${ADVICE[errno] ?? 'look after the disk, then open the session again'}`,
      cause: error,
    });
  }
}
