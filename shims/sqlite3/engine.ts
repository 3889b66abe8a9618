/** SQLite as WebAssembly, with statements that give every value as the command line shows it. */
import { createRequire } from 'node:module';
import { readVendored } from '../../src/vendored.ts';
import type { Guest, GuestStart } from '../support/program/guest.ts';
import { seriesModule } from './series.ts';
import type { Capi, InitSqlite, Memory, Pointer, Sqlite, Value } from './sqlite-wasm.ts';
import { NamespaceVfs } from './vfs.ts';

declare const WebAssembly: {
  Module: new (bytes: Uint8Array) => object;
  Instance: new (module: object, imports: object) => { exports: object };
};

const ROW = 100;
const DONE = 101;
const UTF8 = 1;
/** Text is copied by SQLite before the call returns. */
const TRANSIENT = -1;
/** Digits of a fraction as text, as sqlite3 has shown them up to version 3.52. */
const FRACTION_DIGITS = 15;

/** Bytes between statements: blanks and line ends. */
const BLANKS: ReadonlySet<number> = new Set([9, 10, 11, 12, 13, 32]);

/** Types of values, as `sqlite3_column_type` numbers them. */
export const INTEGER = 1;
export const FLOAT = 2;
export const BLOB = 4;
export const NULL = 5;

/** A value of a row. */
export interface Cell {
  type: number;
  /** Its text, or a blob's bytes, as a byte string. */
  bytes: string;
  /** The number of a FLOAT. */
  real: number;
}

/** What SQLite refused. */
export class SqlError extends Error {
  /** SQLite's result code. */
  readonly code: number;
  readonly phase: 'in prepare' | 'stepping';
  /** The text from the statement on, and where in it, in bytes; undefined if unknown. */
  readonly place: { text: Uint8Array; offset: number } | undefined;

  constructor(
    message: string,
    code: number,
    phase: SqlError['phase'],
    place?: { text: Uint8Array; offset: number },
  ) {
    super(message);
    this.code = code;
    this.phase = phase;
    this.place = place;
  }
}

/** SQLite in this thread. */
export class Engine {
  readonly files: NamespaceVfs;
  readonly #capi: Capi;
  readonly #wasm: Memory;
  readonly #series: Pointer;

  private constructor(sqlite: Sqlite, files: NamespaceVfs) {
    this.#series = seriesModule(sqlite);
    this.#capi = sqlite.capi;
    this.#wasm = sqlite.wasm;
    this.files = files;
  }

  static async load(guest: Guest, start: GuestStart, say: (text: string) => void): Promise<Engine> {
    const require = createRequire(import.meta.url);
    const binary = require.resolve('@sqlite.org/sqlite-wasm/sqlite3.wasm');
    const { default: init } = (await import('@sqlite.org/sqlite-wasm')) as unknown as {
      default: InitSqlite;
    };
    const sqlite = await init({
      print: () => undefined,
      printErr: say,
      instantiateWasm(imports, done) {
        const compile = (): object => new WebAssembly.Module(readVendored(binary));
        const module = guest.compiled(start, compile);
        const instance = new WebAssembly.Instance(module, imports);
        done(instance, module);
        return instance.exports;
      },
    });
    const files = new NamespaceVfs(sqlite, guest.bridge, start.cwd);
    files.install('namespace');
    return new Engine(sqlite, files);
  }

  get version(): string {
    return `${this.#capi.sqlite3_libversion()} ${this.#capi.sqlite3_sourceid()}`;
  }

  /** @throws SqlError */
  open(file: string, { readonly: isReadonly = false } = {}): Database {
    const { SQLITE_OPEN_READONLY, SQLITE_OPEN_READWRITE, SQLITE_OPEN_CREATE } = this.#capi;
    const flags = isReadonly
      ? SQLITE_OPEN_READONLY
      : (SQLITE_OPEN_READWRITE ?? 0) | (SQLITE_OPEN_CREATE ?? 0);
    const out = this.#wasm.alloc(8);
    const code = this.#capi.sqlite3_open_v2(file, out, flags ?? 0, null);
    const pointer = this.#wasm.peekPtr(out);
    this.#wasm.dealloc(out);
    const database = new Database(this.#capi, this.#wasm, pointer);
    if (code === 0) {
      this.#capi.sqlite3_create_module(pointer, 'generate_series', this.#series, 0);
      return database;
    }
    const error = database.error(code, 'stepping');
    database.close();
    throw error;
  }

  /** Does a text end in a whole statement? */
  isComplete(sql: string): boolean {
    return this.#capi.sqlite3_complete(sql) !== 0;
  }

  /** Must a name be quoted, being a word of SQL? */
  isKeyword(name: string): boolean {
    return this.#capi.sqlite3_keyword_check(name, Buffer.byteLength(name)) !== 0;
  }
}

/** A connection. */
export class Database {
  readonly #capi: Capi;
  readonly #wasm: Memory;
  readonly #db: Pointer;

  constructor(capi: Capi, wasm: Memory, db: Pointer) {
    this.#capi = capi;
    this.#wasm = wasm;
    this.#db = db;
    // Like the command line: "x" may be a text, and fractions have 15 digits.
    for (const option of ['SQLITE_DBCONFIG_DQS_DML', 'SQLITE_DBCONFIG_DQS_DDL'] as const) {
      capi.sqlite3_db_config(db, capi[option] ?? 0, 1, 0);
    }
    capi.sqlite3_db_config(db, capi['SQLITE_DBCONFIG_FP_DIGITS'] ?? 0, FRACTION_DIGITS, 0);
  }

  close(): void {
    this.#capi.sqlite3_close_v2(this.#db);
  }

  get changes(): number {
    return this.#capi.sqlite3_changes(this.#db);
  }

  /** Is no transaction under way? */
  get isAutocommit(): boolean {
    return this.#capi.sqlite3_get_autocommit(this.#db) !== 0;
  }

  get totalChanges(): number {
    return this.#capi.sqlite3_total_changes(this.#db);
  }

  error(code: number, phase: SqlError['phase']): SqlError {
    return new SqlError(this.#capi.sqlite3_errmsg(this.#db), code, phase);
  }

  /** Adds a function of SQL. */
  define(name: string, arity: number, run: (...values: Value[]) => unknown): void {
    this.#capi.sqlite3_create_function(
      this.#db,
      name,
      arity,
      UTF8,
      0,
      (_context, ...values) => {
        try {
          return run(...values);
        } catch (error) {
          // SQLite tells an error with its name before it.
          if (error instanceof Error) error.toString = () => error.message;
          throw error;
        }
      },
      null,
      null,
    );
  }

  /** The statements of a text one after the other, each when the one before was run. @throws SqlError */
  *statements(sql: Uint8Array): Generator<Statement> {
    const text = this.#wasm.alloc(sql.length + 1);
    const out = this.#wasm.alloc(16);
    try {
      const heap = this.#wasm.heap8u();
      heap.set(sql, text);
      heap[text + sql.length] = 0;
      for (let at = text; this.#wasm.heap8u()[at] !== 0; ) {
        // A place is told from the first word of the statement on.
        while (BLANKS.has(this.#wasm.heap8u()[at] ?? 0)) at += 1;
        const rest = text + sql.length - at + 1;
        const code = this.#capi.sqlite3_prepare_v2(this.#db, at, rest, out, out + 8);
        if (code !== 0) {
          const offset = this.#capi.sqlite3_error_offset(this.#db);
          const place = offset < 0 ? undefined : { text: sql.subarray(at - text), offset };
          throw new SqlError(this.error(code, 'in prepare').message, code, 'in prepare', place);
        }
        const pointer = this.#wasm.peekPtr(out);
        const start = at - text;
        at = this.#wasm.peekPtr(out + 8);
        if (pointer === 0) continue;
        const statement = new Statement(this.#capi, this.#wasm, pointer, {
          source: sql.subarray(start, at - text),
          fail: (failed) => this.error(failed, 'stepping'),
        });
        try {
          yield statement;
        } finally {
          statement.finalize();
        }
      }
    } finally {
      this.#wasm.dealloc(text);
      this.#wasm.dealloc(out);
    }
  }

  /** All rows of a text of SQL, as texts; null for NULL. @throws SqlError */
  rows(sql: string): (string | null)[][] {
    const found: (string | null)[][] = [];
    for (const statement of this.statements(Buffer.from(sql, 'latin1'))) {
      while (statement.step()) {
        found.push(statement.cells().map(({ type, bytes }) => (type === NULL ? null : bytes)));
      }
    }
    return found;
  }

  /** Copies a whole schema in the place of one of another connection. @throws SqlError */
  copyTo(target: Database, schema = 'main', targetSchema = 'main'): void {
    const backup = this.#capi.sqlite3_backup_init(target.#db, targetSchema, this.#db, schema);
    if (backup === 0) throw target.error(1, 'stepping');
    this.#capi.sqlite3_backup_step(backup, -1);
    const code = this.#capi.sqlite3_backup_finish(backup);
    if (code !== 0) throw target.error(code, 'stepping');
  }
}

/** A prepared statement. */
export class Statement {
  /** Its own part of the text. */
  readonly source: Uint8Array;
  /** 1 for EXPLAIN, 2 for EXPLAIN QUERY PLAN. */
  readonly explains: number;
  readonly #capi: Capi;
  readonly #wasm: Memory;
  readonly #pointer: Pointer;
  readonly #fail: (code: number) => SqlError;
  readonly #columns: number;

  constructor(
    capi: Capi,
    wasm: Memory,
    pointer: Pointer,
    given: { source: Uint8Array; fail: (code: number) => SqlError },
  ) {
    this.#capi = capi;
    this.#wasm = wasm;
    this.#pointer = pointer;
    this.source = given.source;
    this.#fail = given.fail;
    this.#columns = capi.sqlite3_column_count(pointer);
    this.explains = capi.sqlite3_stmt_isexplain(pointer);
  }

  /** The names of its columns, as byte strings. */
  get names(): string[] {
    return Array.from({ length: this.#columns }, (_, at) =>
      Buffer.from(this.#capi.sqlite3_column_name(this.#pointer, at)).toString('latin1'),
    );
  }

  /** Is there a further row? @throws SqlError */
  step(): boolean {
    const code = this.#capi.sqlite3_step(this.#pointer);
    if (code === ROW) return true;
    if (code === DONE) return false;
    throw this.#fail(code);
  }

  /** The values of this row. */
  cells(): Cell[] {
    const { sqlite3_column_type, sqlite3_column_double, sqlite3_column_bytes } = this.#capi;
    const { sqlite3_column_text, sqlite3_column_blob } = this.#wasm.exports;
    const statement = this.#pointer;
    return Array.from({ length: this.#columns }, (_, at) => {
      const type = sqlite3_column_type(statement, at);
      if (type === NULL) return { type, bytes: '', real: 0 };
      const real = type === FLOAT ? sqlite3_column_double(statement, at) : 0;
      const read = type === BLOB ? sqlite3_column_blob : sqlite3_column_text;
      const start = read(statement, at);
      const length = sqlite3_column_bytes(statement, at);
      const heap = this.#wasm.heap8u();
      const bytes = Buffer.from(heap.buffer, start, length).toString('latin1');
      return { type, bytes, real };
    });
  }

  /** The names of its parameters; undefined for those without one. */
  get parameters(): (string | undefined)[] {
    const count = this.#capi.sqlite3_bind_parameter_count(this.#pointer);
    return Array.from(
      { length: count },
      (_, at) => this.#capi.sqlite3_bind_parameter_name(this.#pointer, at + 1) ?? undefined,
    );
  }

  /** Gives a parameter a text; undefined is NULL. */
  bind(index: number, bytes: string | undefined): void {
    if (bytes === undefined) {
      this.#capi.sqlite3_bind_null(this.#pointer, index);
      return;
    }
    this.#bindBytes(this.#capi.sqlite3_bind_text, index, bytes);
  }

  /** Gives a parameter a value of a row. */
  bindCell(index: number, { type, bytes, real }: Cell): void {
    const { sqlite3_bind_int64, sqlite3_bind_double, sqlite3_bind_blob } = this.#capi;
    if (type === INTEGER) sqlite3_bind_int64(this.#pointer, index, BigInt(bytes));
    else if (type === FLOAT) sqlite3_bind_double(this.#pointer, index, real);
    else if (type === BLOB) this.#bindBytes(sqlite3_bind_blob, index, bytes);
    else this.bind(index, type === NULL ? undefined : bytes);
  }

  #bindBytes(bind: Capi['sqlite3_bind_text'], index: number, bytes: string): void {
    const text = Buffer.from(bytes, 'latin1');
    const at = this.#wasm.alloc(text.length + 1);
    this.#wasm.heap8u().set(text, at);
    bind(this.#pointer, index, at, text.length, TRANSIENT);
    this.#wasm.dealloc(at);
  }

  /** Ready for other parameters. */
  reset(): void {
    this.#capi.sqlite3_reset(this.#pointer);
  }

  finalize(): void {
    this.#capi.sqlite3_finalize(this.#pointer);
  }
}
