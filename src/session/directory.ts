/** The store of a state directory: a directory a session, with its log as a file that can be read without any program. */
import fs from 'node:fs';
import { join } from 'node:path';
import { FsError } from '../errors.ts';
import { replaceFile } from '../state.ts';
import { syncFile } from './blobs.ts';
import { takeWriterLock, type WriterLock } from './lock.ts';
import type { LogReader, LogStat, LogWriter, SessionStore } from './store.ts';

/** The system calls of the writer; tests make them fail. */
export interface WriterIo {
  write(descriptor: number, data: Uint8Array): number;
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

const LOG_FILE = 'log.jsonl';
/** Beside the log: the head that was signed last, as JSON. */
export const HEAD_FILE = 'head.sig';

/** `DIRECTORY/ID/log.jsonl`, and what belongs to it beside it. */
export class SessionDirectory implements SessionStore {
  readonly directory: string;
  readonly #io: WriterIo;

  constructor(directory: string, io: WriterIo = HOST_IO) {
    this.directory = directory;
    this.#io = io;
  }

  list(): string[] {
    if (!fs.existsSync(this.directory)) return [];
    return fs.readdirSync(this.directory).filter((id) => fs.existsSync(this.where(id)));
  }

  stat(session: string): LogStat | null {
    const stat = fs.statSync(this.where(session), { throwIfNoEntry: false });
    return stat === undefined ? null : { bytes: stat.size, changed: stat.mtime };
  }

  read(session: string): LogReader {
    const descriptor = fs.openSync(this.where(session), 'r');
    return {
      read: (into, at) => fs.readSync(descriptor, into, 0, into.length, at),
      close: () => fs.closeSync(descriptor),
    };
  }

  write(session: string): LogWriter {
    const folder = join(this.directory, session);
    fs.mkdirSync(folder, { recursive: true, mode: 0o700 });
    return new FileWriter(folder, this.directory, takeWriterLock(folder), this.#io);
  }

  head(session: string): string | null {
    try {
      return fs.readFileSync(join(this.directory, session, HEAD_FILE), 'utf8');
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
      throw error;
    }
  }

  where(session: string): string {
    return join(this.directory, session, LOG_FILE);
  }
}

class FileWriter implements LogWriter {
  readonly #folder: string;
  /** The directory that the folder is in. */
  readonly #sessions: string;
  readonly #file: string;
  readonly #lock: WriterLock;
  readonly #io: WriterIo;
  #open: { descriptor: number; end: number } | null = null;
  /** The file is new: its name is not durable yet. */
  #isNew = false;

  constructor(folder: string, sessions: string, lock: WriterLock, io: WriterIo) {
    this.#folder = folder;
    this.#sessions = sessions;
    this.#file = join(folder, LOG_FILE);
    this.#lock = lock;
    this.#io = io;
  }

  append(bytes: Uint8Array, at: number): void {
    const open = this.#opened();
    if (open.end !== at) throw otherLength(this.#file, at, open.end);
    for (let done = 0; done < bytes.length; )
      done += this.#io.write(open.descriptor, bytes.subarray(done));
    open.end += bytes.length;
  }

  sync(): void {
    this.#io.sync(this.#opened().descriptor);
    if (!this.#isNew) return;
    syncFile(this.#folder);
    syncFile(this.#sessions);
    this.#isNew = false;
  }

  synced(): Promise<void> {
    const { descriptor } = this.#opened();
    return new Promise((resolve, reject) => {
      this.#io.syncLater(descriptor, (error) => (error === null ? resolve() : reject(error)));
    });
  }

  undo(at: number): void {
    const open = this.#opened();
    this.#io.truncate(open.descriptor, at);
    open.end = at;
  }

  cut(at: number): string {
    const open = this.#opened();
    const descriptor = fs.openSync(this.#file, 'r');
    const tail = Buffer.alloc(open.end - at);
    try {
      fs.readSync(descriptor, tail, 0, tail.length, at);
    } finally {
      fs.closeSync(descriptor);
    }
    const torn = `${this.#file}.${at}.torn`;
    // On the disk before it is cut off here; a second try writes the same bytes.
    fs.writeFileSync(torn, tail, { mode: 0o600, flush: true });
    fs.ftruncateSync(open.descriptor, at);
    fs.fsyncSync(open.descriptor);
    syncFile(this.#folder);
    open.end = at;
    return torn;
  }

  keepHead(head: string): void {
    replaceFile(join(this.#folder, HEAD_FILE), head);
  }

  remove(): void {
    this.#close();
    // Without its log a directory is no session.
    fs.rmSync(this.#file, { force: true });
    fs.rmSync(this.#folder, { recursive: true, force: true });
    this.#lock.release();
    // Where an open file cannot be removed, the lock's had to be closed first.
    fs.rmSync(this.#folder, { recursive: true, force: true });
  }

  release(): void {
    this.#close();
    this.#lock.release();
  }

  #opened(): { descriptor: number; end: number } {
    if (this.#open !== null) return this.#open;
    this.#isNew = !fs.existsSync(this.#file);
    const descriptor = fs.openSync(this.#file, 'a', 0o600);
    this.#open = { descriptor, end: fs.fstatSync(descriptor).size };
    return this.#open;
  }

  #close(): void {
    if (this.#open !== null) fs.closeSync(this.#open.descriptor);
    this.#open = null;
  }
}

const otherLength = (path: string, at: number, end: number): FsError =>
  new FsError('ESTALE', {
    path,
    op: 'write',
    rule: 'a log is written at its end',
    reason: `the log has ${end} bytes, and ${at} were expected: another one has written it`,
  });
