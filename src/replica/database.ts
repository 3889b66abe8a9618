/** A SQLite file that several processes share: opening it, bringing its schema forward, transactions. */
import type { DatabaseSync, SQLInputValue, StatementSync } from 'node:sqlite';
import { ConfigError } from '../errors.ts';
import { openSqlite } from './sqlite.ts';

/** How long one process waits for another's transaction, in ms. */
export const BUSY_TIMEOUT_MS = 5_000;
/** How soon it tries again where SQLite does not wait, in ms. */
const RETRY_MS = 5;

/** The result code of SQLite where another connection has what is wanted. */
const SQLITE_BUSY = 5;

/** A row as SQLite gave it. */
export type Row = Record<string, unknown>;

/** A statement that was prepared. What SQLite finds damaged fails as a sentence. */
export type Statement = Pick<StatementSync, 'get' | 'all' | 'run' | 'iterate'>;

/** An open file (or ':memory:'). Statements are prepared once. */
export class Database {
  readonly #database: DatabaseSync;
  readonly #statements = new Map<string, Statement>();
  /** The failure that names the file and the remedy. */
  readonly #broken: (error: Error) => ConfigError;

  /**
   * Opens (or makes) a database with the journal mode that lets one process
   * write while others read.
   *
   * @param schema migrations: `[n]` brings schema version n to n + 1, which is
   *   kept in `user_version`. Or a text, for tables in a file whose version is
   *   another's: statements that do nothing where the tables are there
   * @param ifBroken what to do about a file that cannot be used
   * @throws ConfigError when it is broken, or was written by a newer program
   */
  constructor(file: string, schema: readonly string[] | string, ifBroken: string) {
    this.#broken = (error) => broken(file, error, ifBroken);
    this.#database = openSqlite(file, { timeout: BUSY_TIMEOUT_MS });
    try {
      this.#useWal();
      this.exec('PRAGMA synchronous = NORMAL');
      if (typeof schema === 'string') this.exec(schema);
      else this.#migrate(file, schema);
    } catch (error) {
      this.close();
      throw isBroken(error) ? this.#broken(error) : error;
    }
  }

  close(): void {
    this.#statements.clear();
    this.#database.close();
  }

  /** Runs statements that take and give nothing. */
  exec(sql: string): void {
    this.#named(() => this.#database.exec(sql));
  }

  prepare(sql: string): Statement {
    let statement = this.#statements.get(sql);
    if (statement === undefined) {
      statement = this.#naming(this.#named(() => this.#database.prepare(sql)));
      this.#statements.set(sql, statement);
    }
    return statement;
  }

  /** The same statement, whose failures name the file where it is damaged. */
  #naming(prepared: StatementSync): Statement {
    const named = <T>(work: () => T): T => this.#named(work);
    return {
      get: (...values: SQLInputValue[]) => named(() => prepared.get(...values)),
      all: (...values: SQLInputValue[]) => named(() => prepared.all(...values)),
      run: (...values: SQLInputValue[]) => named(() => prepared.run(...values)),
      iterate: (...values: SQLInputValue[]) => eachNamed(prepared.iterate(...values), named),
    } as Statement;
  }

  /** A file may be damaged while it is open: by a disk, by whoever writes into it. */
  #named<T>(work: () => T): T {
    try {
      return work();
    } catch (error) {
      throw isDamaged(error) ? this.#broken(error) : error;
    }
  }

  /** The first row that a query gives. */
  one(sql: string, ...values: SQLInputValue[]): Row | undefined {
    return this.prepare(sql).get(...values);
  }

  all(sql: string, ...values: SQLInputValue[]): Row[] {
    return this.prepare(sql).all(...values);
  }

  get inTransaction(): boolean {
    return this.#database.isTransaction;
  }

  /**
   * Another text than before whenever something in the file was changed, be it by another process.
   * @param ignored how many of the changes made here do not count
   */
  generation(ignored = 0): string {
    const others = this.one('PRAGMA data_version')?.['data_version'];
    const own = Number(this.one('SELECT total_changes() AS own')?.['own']);
    return `${others} ${own - ignored}`;
  }

  /**
   * Brings a table forward that an earlier version has made, in a file whose version is another's.
   * @param columns what it did not have at first, as SQL defines each: the name comes first
   * @param then statements about the rows that were there, run where something was added
   */
  addColumns(table: string, columns: readonly string[], then = ''): void {
    const lacking = (): string[] => {
      const there = this.all('SELECT name FROM pragma_table_info(?)', table);
      return columns.filter((each) => !there.some(({ name }) => name === each.split(' ')[0]));
    };
    if (lacking().length === 0) return;
    this.transaction(() => {
      // Asked again inside the transaction: another process may have been first.
      const added = lacking();
      for (const column of added) this.exec(`ALTER TABLE ${table} ADD COLUMN ${column}`);
      if (added.length > 0) this.exec(then);
    });
  }

  /** Runs `work` as one transaction; inside another one, as part of it. */
  transaction<T>(work: () => T): T {
    if (this.#database.isTransaction) return work();
    this.exec('BEGIN IMMEDIATE');
    try {
      const result = work();
      this.exec('COMMIT');
      return result;
    } catch (error) {
      // After some failures SQLite has done so itself.
      if (this.#database.isTransaction) this.exec('ROLLBACK');
      throw error;
    }
  }

  /**
   * Of a new file that another process has just made, too, and writes to,
   * SQLite itself does not wait for it before it changes the journal mode.
   */
  #useWal(): void {
    const until = Date.now() + BUSY_TIMEOUT_MS;
    const never = new Int32Array(new SharedArrayBuffer(4));
    for (;;) {
      try {
        return this.exec('PRAGMA journal_mode = WAL');
      } catch (error) {
        if (!isBusy(error) || Date.now() >= until) throw error;
      }
      Atomics.wait(never, 0, 0, RETRY_MS);
    }
  }

  #migrate(file: string, migrations: readonly string[]): void {
    if (this.#schemaVersion() === migrations.length) return;
    this.transaction(() => {
      // Asked again inside the transaction: another process may have been first.
      const version = this.#schemaVersion();
      if (version > migrations.length) {
        throw new ConfigError(
          'state',
          `${file} has schema version ${version}, this program knows ${migrations.length}: use a newer one`,
        );
      }
      for (const step of migrations.slice(version)) this.exec(step);
      this.exec(`PRAGMA user_version = ${migrations.length}`);
    });
  }

  #schemaVersion(): number {
    const row = this.#database.prepare('PRAGMA user_version').get();
    return Number(row?.['user_version'] ?? 0);
  }
}

/** SQLITE_ERROR, of a schema that is not what its version says, SQLITE_CORRUPT and SQLITE_NOTADB. */
const BROKEN: ReadonlySet<unknown> = new Set([1, 11, 26]);

/** Has another connection what was wanted? */
export function isBusy(error: unknown): boolean {
  return error instanceof Error && 'errcode' in error && error.errcode === SQLITE_BUSY;
}

/** SQLITE_CORRUPT and SQLITE_NOTADB, whatever they say beyond that. */
const DAMAGED: ReadonlySet<unknown> = new Set([11, 26]);

function isDamaged(error: unknown): error is Error {
  if (!(error instanceof Error && 'errcode' in error)) return false;
  return DAMAGED.has(Number(error.errcode) & 0xff);
}

function* eachNamed<T>(rows: Iterator<T>, named: <R>(work: () => R) => R): Generator<T> {
  try {
    for (;;) {
      const row = named(() => rows.next());
      if (row.done === true) return;
      yield row.value;
    }
  } finally {
    rows.return?.();
  }
}

function isBroken(error: unknown): error is Error {
  return error instanceof Error && 'errcode' in error && BROKEN.has(error.errcode);
}

function broken(file: string, error: Error, ifBroken: string): ConfigError {
  return new ConfigError('state', `${file} cannot be used (${error.message}); ${ifBroken}`, error);
}
