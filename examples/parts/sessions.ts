/**
 * The logs of all sessions in one file of SQLite, which processes of one machine
 * share. Whoever writes a session holds a lease: it goes with its process, and
 * at the latest when it was not renewed in time. A number that is given once
 * fences it: whoever has lost the lease writes no more.
 * `options`: `{ file: './.dirigent/sessions.sqlite' }`, which is where it is without.
 */
import { closeSync, mkdirSync, openSync } from 'node:fs';
import { hostname } from 'node:os';
import { dirname, resolve } from 'node:path';
import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite';
import { z } from 'zod';
import type { LogReader, LogStat, LogWriter, PartModule, SessionStore } from '../../entry/parts.ts';

const optionsSchema = z.strictObject({ file: z.string().default('./.dirigent/sessions.sqlite') });

const TABLES = `
  CREATE TABLE IF NOT EXISTS logs (
    session TEXT PRIMARY KEY, bytes INTEGER NOT NULL, changed INTEGER NOT NULL
  ) WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS pieces (
    session TEXT NOT NULL, at INTEGER NOT NULL, bytes BLOB NOT NULL, PRIMARY KEY (session, at)
  );
  CREATE TABLE IF NOT EXISTS torn (
    session TEXT NOT NULL, at INTEGER NOT NULL, bytes BLOB NOT NULL, PRIMARY KEY (session, at)
  );
  CREATE TABLE IF NOT EXISTS heads (session TEXT PRIMARY KEY, head TEXT NOT NULL) WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS writers (
    token INTEGER PRIMARY KEY AUTOINCREMENT, session TEXT NOT NULL UNIQUE,
    host TEXT NOT NULL, pid INTEGER NOT NULL, began INTEGER NOT NULL,
    since INTEGER NOT NULL, until INTEGER NOT NULL
  );
`;

/** How long a lease is, and how often it is renewed. Milliseconds. */
const LEASE_MS = 30_000;
const RENEW_MS = 5_000;
/**
 * How long one process waits for another's transaction. SQLite lets nobody queue: whoever waits beside
 * several that write looks seldom, and may be unlucky for long.
 */
const BUSY_MS = 30_000;

/** What SQLite's result codes are called by the system. */
const CODES: Readonly<Record<number, string>> = {
  3: 'EACCES',
  5: 'EBUSY',
  8: 'EROFS',
  13: 'ENOSPC',
  23: 'EACCES',
};

const failure = (code: string, message: string, cause?: unknown): Error =>
  Object.assign(new Error(message, { cause }), { code });

/** When this process began; milliseconds of the clock, give or take its steps. */
const began = (): number => Math.round(Date.now() - process.uptime() * 1000);

/** One connection, whose failures are the system's. */
class Connection {
  readonly file: string;
  readonly #database: DatabaseSync;
  readonly #statements = new Map<string, StatementSync>();

  constructor(file: string) {
    this.file = file;
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
    try {
      closeSync(openSync(file, 'wx', 0o600));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    }
    this.#database = this.#named(() => new DatabaseSync(file, { timeout: BUSY_MS }));
    this.#named(() => this.#useWal());
    // What is appended is made durable by the commit of `sync`.
    this.#named(() => this.#database.exec('PRAGMA synchronous = NORMAL'));
    this.transaction(() => this.#database.exec(TABLES));
  }

  one(sql: string, ...values: SQLInputValue[]): Record<string, unknown> | undefined {
    return this.#named(() => this.#statement(sql).get(...values));
  }

  run(sql: string, ...values: SQLInputValue[]): number {
    return this.#named(() => Number(this.#statement(sql).run(...values).changes));
  }

  /** Rows as they come, until `take` says that it has enough. */
  each(
    sql: string,
    values: SQLInputValue[],
    take: (row: Record<string, unknown>) => boolean,
  ): void {
    this.#named(() => {
      for (const row of this.#statement(sql).iterate(...values)) if (!take(row)) return;
    });
  }

  /** One transaction. @param durable on the disk when this returns, with all that was committed before */
  transaction<T>(work: () => T, durable = false): T {
    return this.#named(() => {
      if (durable) this.#database.exec('PRAGMA synchronous = FULL');
      try {
        this.#database.exec('BEGIN IMMEDIATE');
        const result = work();
        this.#database.exec('COMMIT');
        return result;
      } catch (error) {
        // After some failures SQLite has done so itself.
        if (this.#database.isTransaction) this.#database.exec('ROLLBACK');
        throw error;
      } finally {
        if (durable) this.#database.exec('PRAGMA synchronous = NORMAL');
      }
    });
  }

  close(): void {
    this.#statements.clear();
    if (this.#database.isOpen) this.#database.close();
  }

  #statement(sql: string): StatementSync {
    const known = this.#statements.get(sql);
    if (known !== undefined) return known;
    const statement = this.#database.prepare(sql);
    this.#statements.set(sql, statement);
    return statement;
  }

  #named<T>(work: () => T): T {
    try {
      return work();
    } catch (error) {
      if (!(error instanceof Error && 'errcode' in error)) throw error;
      const code = CODES[Number(error.errcode) & 0xff] ?? 'EIO';
      throw failure(code, `${this.file}: ${error.message}`, error);
    }
  }

  /** Of a file that another process has just made, SQLite does not wait for it here. */
  #useWal(): void {
    const never = new Int32Array(new SharedArrayBuffer(4));
    for (const end = Date.now() + BUSY_MS; ; Atomics.wait(never, 0, 0, 5)) {
      try {
        return this.#database.exec('PRAGMA journal_mode = WAL');
      } catch (error) {
        const isBusy = error instanceof Error && 'errcode' in error && error.errcode === 5;
        if (!isBusy || Date.now() >= end) throw error;
      }
    }
  }
}

/** {@link SessionStore} over one file. */
class SqliteStore implements SessionStore {
  readonly #data: Connection;
  readonly #writers = new Set<SqliteWriter>();

  constructor(file: string) {
    this.#data = new Connection(file);
  }

  list(): string[] {
    const ids: string[] = [];
    this.#data.each('SELECT session FROM logs', [], ({ session }) => ids.push(String(session)) > 0);
    return ids;
  }

  stat(session: string): LogStat | null {
    const row = this.#data.one('SELECT bytes, changed FROM logs WHERE session = ?', session);
    if (row === undefined) return null;
    return { bytes: Number(row['bytes']), changed: new Date(Number(row['changed'])) };
  }

  read(session: string): LogReader {
    if (this.stat(session) === null) throw failure('ENOENT', `there is no session ${session}`);
    const data = this.#data;
    return { read: (into, at) => readPieces(data, session, into, at), close: () => undefined };
  }

  write(session: string): LogWriter {
    const data = this.#data;
    const now = Date.now();
    const token = data.transaction(() => {
      const row = data.one('SELECT * FROM writers WHERE session = ?', session);
      if (row !== undefined && isWriting(row, now)) {
        const since = new Date(Number(row['since'])).toISOString();
        const who = `process ${row['pid']} on ${row['host']}, since ${since}`;
        throw failure('EBUSY', `session ${session} is being written by ${who}`);
      }
      data.run('DELETE FROM writers WHERE session = ?', session);
      data.run(
        'INSERT INTO writers (session, host, pid, began, since, until) VALUES (?, ?, ?, ?, ?, ?)',
        ...[session, hostname(), process.pid, began(), now, now + LEASE_MS],
      );
      return Number(data.one('SELECT last_insert_rowid() AS token')?.['token']);
    });
    const writer = new SqliteWriter(data, session, token, () => this.#writers.delete(writer));
    this.#writers.add(writer);
    return writer;
  }

  head(session: string): string | null {
    const row = this.#data.one('SELECT head FROM heads WHERE session = ?', session);
    return row === undefined ? null : String(row['head']);
  }

  where(session: string): string {
    return `${this.#data.file} (session ${session})`;
  }

  close(): void {
    for (const writer of this.#writers) writer.release();
    this.#data.close();
  }
}

/** The right to write one session, with the number that fences it. */
class SqliteWriter implements LogWriter {
  readonly #data: Connection;
  readonly #session: string;
  readonly #token: number;
  readonly #onEnd: () => void;
  readonly #renewing: NodeJS.Timeout;

  constructor(data: Connection, session: string, token: number, onEnd: () => void) {
    this.#data = data;
    this.#session = session;
    this.#token = token;
    this.#onEnd = onEnd;
    this.#renewing = setInterval(() => this.#renewSoon(), RENEW_MS).unref();
  }

  append(bytes: Uint8Array, at: number): void {
    this.#fenced(() => {
      const end = this.#end();
      if (end !== at) throw failure('ESTALE', `the log has ${end} bytes, and ${at} were expected`);
      this.#data.run(
        'INSERT INTO pieces (session, at, bytes) VALUES (?, ?, ?)',
        this.#session,
        at,
        bytes,
      );
      this.#endsAt(at + bytes.length);
    });
  }

  sync(): void {
    this.#renew(true);
  }

  undo(at: number): void {
    this.#fenced(() => this.#shrink(at));
  }

  cut(at: number): string {
    this.#fenced(() => {
      const tail = Buffer.alloc(this.#end() - at);
      readPieces(this.#data, this.#session, tail, at);
      this.#data.run('INSERT OR REPLACE INTO torn VALUES (?, ?, ?)', this.#session, at, tail);
      this.#shrink(at);
    }, true);
    return `${this.#data.file} (the table "torn")`;
  }

  keepHead(head: string): void {
    this.#fenced(() =>
      this.#data.run('INSERT OR REPLACE INTO heads VALUES (?, ?)', this.#session, head),
    );
  }

  remove(): void {
    this.#fenced(() => {
      for (const table of ['logs', 'pieces', 'torn', 'heads', 'writers'])
        this.#data.run(`DELETE FROM ${table} WHERE session = ?`, this.#session);
    }, true);
    this.#ended();
  }

  release(): void {
    this.#ended();
    this.#data.run('DELETE FROM writers WHERE token = ?', this.#token);
  }

  #ended(): void {
    clearInterval(this.#renewing);
    this.#onEnd();
  }

  /** Does what nobody may do who has lost the lease, in one transaction with the question whether it was lost. */
  #fenced(work: () => unknown, durable = false): void {
    this.#data.transaction(() => {
      if (this.#data.one('SELECT 1 FROM writers WHERE token = ?', this.#token) === undefined)
        throw failure('ESTALE', `another one has begun to write session ${this.#session}`);
      work();
    }, durable);
  }

  #renew(durable: boolean): void {
    const until = Date.now() + LEASE_MS;
    this.#fenced(
      () => this.#data.run('UPDATE writers SET until = ? WHERE token = ?', until, this.#token),
      durable,
    );
  }

  /** The timer's: whatever fails here, the next append says. */
  #renewSoon(): void {
    try {
      this.#renew(false);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ESTALE') this.#ended();
    }
  }

  #end(): number {
    const row = this.#data.one('SELECT bytes FROM logs WHERE session = ?', this.#session);
    return Number(row?.['bytes'] ?? 0);
  }

  #endsAt(end: number): void {
    this.#data.run('INSERT OR REPLACE INTO logs VALUES (?, ?, ?)', this.#session, end, Date.now());
  }

  #shrink(at: number): void {
    if (this.#end() <= at) return;
    this.#data.run('DELETE FROM pieces WHERE session = ? AND at >= ?', this.#session, at);
    this.#data.run(
      'UPDATE pieces SET bytes = substr(bytes, 1, ? - at) WHERE session = ? AND at + length(bytes) > ?',
      ...[at, this.#session, at],
    );
    if (at > 0) this.#endsAt(at);
    else this.#data.run('DELETE FROM logs WHERE session = ?', this.#session);
  }
}

/** Fills a buffer from an offset of a log on; gives how many bytes there were. */
function readPieces(data: Connection, session: string, into: Uint8Array, at: number): number {
  let done = 0;
  data.each(
    `SELECT at, bytes FROM pieces WHERE session = ? AND at >=
       coalesce((SELECT max(at) FROM pieces WHERE session = ? AND at <= ?), 0) ORDER BY at`,
    [session, session, at],
    (row) => {
      const piece = (row['bytes'] as Uint8Array).subarray(Math.max(0, at - Number(row['at'])));
      const part = piece.subarray(0, into.length - done);
      into.set(part, done);
      done += part.length;
      return done < into.length;
    },
  );
  return done;
}

/** Does whoever has a lease still write? A process of this machine that is gone does not. */
function isWriting(row: Record<string, unknown>, now: number): boolean {
  if (Number(row['until']) <= now) return false;
  if (row['host'] !== hostname()) return true;
  const pid = Number(row['pid']);
  // A container may give its one process the number of the one before.
  if (pid === process.pid) return Math.abs(Number(row['began']) - began()) < 2_000;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'ESRCH';
  }
}

const sessions: PartModule<SessionStore> = ({ options, directory }) =>
  new SqliteStore(resolve(directory, optionsSchema.parse(options ?? {}).file));

export default sessions;
