/**
 * The one writer of a log: a record is one write at the end of the file, and
 * durable before anything acts on it. After a failure that leaves unknown what
 * is on the disk, it writes no more.
 */
import fs from 'node:fs';
import { FsError, STRERROR } from '../errors.ts';
import { syncFile } from './blobs.ts';

/** The system calls of the writer; tests make them fail. */
export interface WriterIo {
  write(descriptor: number, data: Buffer): number;
  sync(descriptor: number): void;
  syncLater(descriptor: number, done: (error: Error | null) => void): void;
  truncate(descriptor: number, length: number): void;
}

export const HOST_IO: WriterIo = {
  write: (descriptor, data) => fs.writeSync(descriptor, data),
  sync: (descriptor) => fs.fdatasyncSync(descriptor),
  syncLater: (descriptor, done) => fs.fdatasync(descriptor, done),
  truncate: (descriptor, length) => fs.ftruncateSync(descriptor, length),
};

/** Someone who waits for lines to be durable. */
interface Waiting {
  /** How long the file must be on the disk. */
  end: number;
  resolve(): void;
  reject(error: Error): void;
}

/** A file that only grows, by whole lines. */
export class LineWriter {
  readonly #descriptor: number;
  readonly #io: WriterIo;
  readonly #session: string;
  /** Bytes written, and bytes known to be durable. */
  #end: number;
  #durable: number;
  #waiting: Waiting[] = [];
  #syncing = false;
  #failure: FsError | null = null;
  #closed = false;

  /** @param session its id, for messages */
  constructor(file: string, session: string, io: WriterIo = HOST_IO) {
    this.#descriptor = fs.openSync(file, 'a', 0o600);
    this.#io = io;
    this.#session = session;
    this.#end = fs.fstatSync(this.#descriptor).size;
    this.#durable = this.#end;
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
      for (let done = 0; done < data.length; )
        done += this.#io.write(this.#descriptor, data.subarray(done));
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
      this.#io.sync(this.#descriptor);
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

  /** Closes. What was written since the last sync is left to the system. */
  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    fs.closeSync(this.#descriptor);
  }

  #syncLater(): void {
    if (this.#closed || this.#waiting.length === 0) {
      this.#syncing = false;
      return;
    }
    const end = this.#end;
    this.#io.syncLater(this.#descriptor, (error) => {
      // Whoever closes has made durable what matters; the descriptor may be another file's by now.
      if (this.#closed) return;
      if (error !== null) {
        this.#fail(error);
        return;
      }
      this.#settle(end);
      this.#syncLater();
    });
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
    try {
      this.#io.truncate(this.#descriptor, this.#end);
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
    const errno = code in STRERROR ? (code as keyof typeof STRERROR) : 'EIO';
    const advice =
      errno === 'ENOSPC' || errno === 'EDQUOT'
        ? 'make room on the disk and try again'
        : 'look after the disk, then open the session again';
    return new FsError(errno, {
      path: '/session/log.jsonl',
      op: 'write',
      rule: 'an entry is durable before anything acts on it',
      reason: `the log of session ${this.#session} cannot be written (${STRERROR[errno]}), so nothing more is done: ${advice}`,
      cause: error,
    });
  }
}

/**
 * Cuts off what follows the last whole line, as a killed writer leaves it, and
 * keeps it beside the file.
 * @param end where the last whole line ends
 * @returns the file with the torn bytes; null where nothing is torn
 */
export function cutTornTail(file: string, end: number): string | null {
  const size = fs.statSync(file).size;
  if (size <= end) return null;
  const descriptor = fs.openSync(file, 'r+');
  try {
    const tail = Buffer.alloc(size - end);
    fs.readSync(descriptor, tail, 0, tail.length, end);
    const torn = `${file}.${end}.torn`;
    // On the disk before it is cut off here; a second try writes the same bytes.
    fs.writeFileSync(torn, tail, { mode: 0o600, flush: true });
    fs.ftruncateSync(descriptor, end);
    fs.fsyncSync(descriptor);
    syncFile(file.slice(0, file.lastIndexOf('/')));
    return torn;
  } finally {
    fs.closeSync(descriptor);
  }
}
