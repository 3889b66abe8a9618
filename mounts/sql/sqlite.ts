/** SQLite: one file of the host. */
import { existsSync } from 'node:fs';
import process from 'node:process';
import type { DatabaseSync, SQLInputValue } from 'node:sqlite';
import {
  ConfigError,
  Meter,
  ServiceFailure,
  type Table,
  type TableColumn,
  type TableValue as Value,
} from '../../src/mount/index.ts';
import { type Driver, oneRow, type Result, type Statement, takesOf } from './driver.ts';

const BUSY_TIMEOUT_MS = 5_000;
const [BUSY, LOCKED, READONLY, AUTH] = [5, 6, 8, 23];
/** What a statement that reads may do: select, read a column, call a function, recurse. SQLite's numbers. */
const READS: ReadonlySet<number> = new Set([21, 20, 31, 33]);
/** What is no statement: spaces, semicolons, comments. */
const EMPTY = /[;\s]|--.*|\/\*[\s\S]*?\*\//g;
/** Functions that reach outside of the database. */
const OUTSIDE = /^(load_extension|readfile|writefile|edit|fts3_tokenizer)$/i;

const COLUMNS =
  'SELECT name, type, "notnull", dflt_value, pk, hidden FROM pragma_table_xinfo(?) WHERE hidden <> 1';
const TABLES =
  "SELECT name, sql FROM sqlite_schema WHERE type IN ('table', 'view') AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' ORDER BY name";

export class SqliteDriver implements Driver {
  readonly #file: string;
  readonly #meter: Meter;
  #reader: DatabaseSync | null = null;

  /** @throws ConfigError where there is no such file */
  constructor(file: string, isBehind: (() => boolean) | undefined) {
    if (!existsSync(file)) throw new ConfigError('', `there is no database ${file}`);
    this.#file = file;
    this.#meter = new Meter(isBehind);
  }

  usage() {
    return this.#meter.usage();
  }

  parameter(index: number): string {
    return `?${index}`;
  }

  async tables(): Promise<Table[]> {
    return this.#within(true, (database) =>
      database
        .prepare(TABLES)
        .all()
        .map((row) => ({
          name: String(row['name']),
          schema: `${row['sql']};\n`,
          columns: database.prepare(COLUMNS).all(String(row['name'])).map(columnOf),
        })),
    );
  }

  async read(statement: Statement, most: number): Promise<Result> {
    this.#reader ??= readerOf(this.#file);
    const database = this.#reader;
    return this.#named(() => this.#run(database, statement, most));
  }

  async write(statements: readonly Statement[]): Promise<Result[]> {
    return this.#within(false, (database) => {
      database.exec('BEGIN IMMEDIATE');
      try {
        const results = statements.map((one, index) => {
          try {
            return oneRow(this.#run(database, one, 2));
          } catch (error) {
            throw failureOf(error, index);
          }
        });
        database.exec('COMMIT');
        return results;
      } catch (error) {
        if (database.isTransaction) database.exec('ROLLBACK');
        throw error;
      }
    });
  }

  #run(database: DatabaseSync, { sql, values }: Statement, most: number): Result {
    if (sql.replaceAll(EMPTY, '') === '')
      throw new ServiceFailure('invalid', 'there is no statement');
    const statement = database.prepare(sql);
    if (sql.slice(statement.sourceSQL.length).replaceAll(EMPTY, '') !== '') {
      throw new ServiceFailure('invalid', 'one statement at a time');
    }
    statement.setReadBigInts(true);
    statement.setReturnArrays(true);
    const rows: Value[][] = [];
    const given = values.map(inputOf);
    for (const row of statement.iterate(...given) as Iterable<unknown>) {
      if (rows.length === most) break;
      rows.push((row as unknown[]).map(shownValue));
    }
    const columns = statement.columns().map(({ name }) => name);
    this.#meter.received(JSON.stringify(rows).length);
    return { columns, rows };
  }

  /** On a connection of its own, which holds nothing up once it is done. */
  #within<T>(readOnly: boolean, work: (database: DatabaseSync) => T): T {
    return this.#named(() => {
      const database = opened(this.#file, readOnly);
      try {
        return work(database);
      } finally {
        database.close();
      }
    });
  }

  #named<T>(work: () => T): T {
    this.#meter.request(0);
    try {
      return work();
    } catch (error) {
      throw failureOf(error);
    }
  }
}

function opened(file: string, readOnly: boolean): DatabaseSync {
  const sqlite = process.getBuiltinModule('node:sqlite');
  return new sqlite.DatabaseSync(file, { readOnly, timeout: BUSY_TIMEOUT_MS });
}

/** A connection that can do nothing but read this one database. */
function readerOf(file: string): DatabaseSync {
  const { constants } = process.getBuiltinModule('node:sqlite');
  const database = opened(file, true);
  database.setAuthorizer((action, _first, called) => {
    const may = READS.has(action) && !OUTSIDE.test(called ?? '');
    return may ? constants.SQLITE_OK : constants.SQLITE_DENY;
  });
  return database;
}

/** @param statement which of several it was */
function failureOf(error: unknown, statement?: number): unknown {
  const isOurs = error instanceof Error && 'errcode' in error;
  const failure = isOurs ? refusalOf(error) : error;
  const isOne = failure instanceof ServiceFailure && statement !== undefined;
  return isOne ? failure.of(statement) : failure;
}

function refusalOf(error: Error): ServiceFailure {
  const code = Number((error as Error & { errcode: number }).errcode) & 0xff;
  if (code === BUSY || code === LOCKED) {
    const text = 'another program is writing to the database: try again in a moment';
    return new ServiceFailure('server', text, { unsent: true, cause: error });
  }
  if (code === READONLY) {
    return new ServiceFailure('forbidden', 'the database cannot be written', { cause: error });
  }
  const why =
    code === AUTH ? `a question only reads this database (${error.message})` : error.message;
  return new ServiceFailure('invalid', why, { cause: error });
}

function columnOf(row: Record<string, unknown>): TableColumn {
  const type = String(row['type']).toLowerCase();
  return {
    name: String(row['name']),
    type,
    takes: takesOf(type),
    key: Number(row['pk']),
    isNullable: row['notnull'] === 0,
    isGenerated: Number(row['hidden']) > 1,
    preset: row['dflt_value'] === null ? null : String(row['dflt_value']),
  };
}

function shownValue(value: unknown): Value {
  if (typeof value === 'bigint') {
    const number = Number(value);
    return Number.isSafeInteger(number) ? number : String(value);
  }
  if (value instanceof Uint8Array) return `\\x${Buffer.from(value).toString('hex')}`;
  return value as Value;
}

function inputOf(value: Value): SQLInputValue {
  if (typeof value === 'boolean') return value ? 1 : 0;
  return typeof value === 'object' && value !== null ? JSON.stringify(value) : value;
}
