/** PostgreSQL, by `pg`, which whoever mounts one installs beside this package. */
import type { Client, QueryResult } from 'pg';
import {
  type ClientOptions,
  ConfigError,
  Meter,
  ServiceFailure,
  type Table,
  type TableValue as Value,
} from '../../src/mount/index.ts';
import { type Driver, oneRow, type Result, type Statement, takesOf } from './driver.ts';

const TIMEOUT_MS = 30_000;

const TABLES = `
  SELECT c.relname AS name, c.relkind AS kind, a.attname AS "column", format_type(a.atttypid, a.atttypmod) AS type,
    NOT a.attnotnull AS nullable, a.attgenerated <> '' OR a.attidentity = 'a' AS generated,
    pg_get_expr(d.adbin, d.adrelid) AS preset,
    coalesce(array_position(i.indkey::int2[], a.attnum) + 1, 0) AS key
  FROM pg_class c
  JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
  LEFT JOIN pg_attrdef d ON d.adrelid = c.oid AND d.adnum = a.attnum
  LEFT JOIN pg_index i ON i.indrelid = c.oid AND i.indisprimary
  WHERE c.relkind IN ('r', 'p', 'v', 'm', 'f') AND c.relnamespace = to_regnamespace(current_schema())
    AND has_table_privilege(c.oid, 'SELECT')
  ORDER BY c.relname, a.attnum`;

/** A value comes as PostgreSQL writes it, and is read by the type of its column. */
const TEXT = { getTypeParser: () => (value: unknown) => value };
const [BOOL, INT8, INT2, INT4, FLOAT4, FLOAT8, JSON_TYPE, JSONB] = [
  16, 20, 21, 23, 700, 701, 114, 3802,
];

/** Everything is undone, what a function has set for the session among it; its locks are let go of, too. */
const UNDO = 'ROLLBACK; SELECT pg_catalog.pg_advisory_unlock_all()';

export class PostgresDriver implements Driver {
  readonly #url: string;
  readonly #options: Pick<ClientOptions, 'timeoutMs'>;
  readonly #meter: Meter;
  /** One connection: what is asked goes one after the other. */
  #client: Promise<Client> | null = null;
  #last: Promise<unknown> = Promise.resolve();

  constructor(url: string, { isBehind, timeoutMs = TIMEOUT_MS }: ClientOptions) {
    this.#url = url;
    this.#options = { timeoutMs };
    this.#meter = new Meter(isBehind);
  }

  usage() {
    return this.#meter.usage();
  }

  parameter(index: number, type: string): string {
    return `$${index}::${type}`;
  }

  async tables(): Promise<Table[]> {
    const { rows } = await this.read({ sql: TABLES, values: [] }, Number.MAX_SAFE_INTEGER);
    const tables = new Map<string, Table>();
    for (const [table, , name, type, isNullable, isGenerated, preset, key] of rows) {
      const one = tables.get(String(table)) ?? { name: String(table), columns: [], schema: '' };
      tables.set(one.name, one);
      one.columns.push({
        name: String(name),
        type: String(type),
        takes: takesOf(String(type)),
        key: Number(key),
        isNullable: isNullable === true,
        isGenerated: isGenerated === true,
        preset: preset === null ? null : String(preset),
      });
    }
    return [...tables.values()].map((one) => ({ ...one, schema: schemaOf(one) }));
  }

  read(statement: Statement, most: number): Promise<Result> {
    // Whoever asks next has the connection as it was: a question may call functions that change it.
    return this.#transaction('BEGIN READ ONLY', UNDO, async (query) => {
      // A cursor takes one statement, and one that reads; the rest of its rows stays where it is.
      await query({ ...statement, sql: `DECLARE rows NO SCROLL CURSOR FOR ${statement.sql}` });
      const count = most > 1_000_000 ? 'ALL' : String(most);
      return query({ sql: `FETCH ${count} FROM rows`, values: [] });
    });
  }

  write(statements: readonly Statement[]): Promise<Result[]> {
    return this.#transaction('BEGIN', 'COMMIT', async (query) => {
      const results: Result[] = [];
      for (const [index, one] of statements.entries()) {
        try {
          results.push(oneRow(await query(one)));
        } catch (error) {
          const failure = failureOf(error);
          throw failure instanceof ServiceFailure ? failure.of(index) : failure;
        }
      }
      return results;
    });
  }

  #transaction<T>(
    begin: string,
    end: string,
    work: (query: (one: Statement) => Promise<Result>) => Promise<T>,
  ): Promise<T> {
    const run = async (): Promise<T> => {
      this.#meter.request(0);
      const client = await this.#connected();
      try {
        await client.query(begin);
        const result = await work((one) => this.#query(client, one));
        await client.query(end);
        return result;
      } catch (error) {
        await this.#undo(client);
        throw failureOf(error);
      }
    };
    const mine = this.#last.then(run, run);
    this.#last = mine.catch(() => undefined);
    return mine;
  }

  async #undo(client: Client): Promise<void> {
    try {
      await client.query(UNDO);
    } catch {
      // The connection is gone, and with it the transaction: the next one begins anew.
      this.#client = null;
      client.end().catch(() => undefined);
    }
  }

  async #query(client: Client, { sql, values }: Statement): Promise<Result> {
    const given = values.map((one) =>
      typeof one === 'object' && one !== null ? JSON.stringify(one) : one,
    );
    const query = {
      text: sql,
      values: given,
      types: TEXT,
      rowMode: 'array' as const,
      queryMode: 'extended',
    };
    const found: QueryResult<unknown[]> = await client.query(query);
    const rows = found.rows.map((row) =>
      row.map((one, index) => shownValue(one, found.fields[index]?.dataTypeID ?? 0)),
    );
    this.#meter.received(JSON.stringify(rows).length);
    return { columns: found.fields.map(({ name }) => name), rows };
  }

  #connected(): Promise<Client> {
    this.#client ??= this.#connect().catch((error: unknown) => {
      this.#client = null;
      throw failureOf(error, true);
    });
    return this.#client;
  }

  async #connect(): Promise<Client> {
    const pg = await import('pg').catch((cause: unknown) => {
      throw new ConfigError('', 'PostgreSQL needs the package pg: npm install pg', cause);
    });
    const { timeoutMs = TIMEOUT_MS } = this.#options;
    const client = new pg.default.Client({
      connectionString: this.#url,
      connectionTimeoutMillis: timeoutMs,
      query_timeout: timeoutMs,
      statement_timeout: timeoutMs,
    });
    // A connection that breaks while nothing is asked is made anew by the next question.
    client.on('error', () => {
      this.#client = null;
    });
    await client.connect();
    return client;
  }
}

function shownValue(value: unknown, type: number): Value {
  if (value === null) return null;
  const text = String(value);
  if (type === BOOL) return text === 't';
  if (type === JSON_TYPE || type === JSONB) return JSON.parse(text) as Value;
  if (![INT8, INT2, INT4, FLOAT4, FLOAT8].includes(type)) return text;
  const number = Number(text);
  return type === INT8 && !Number.isSafeInteger(number)
    ? text
    : Number.isFinite(number)
      ? number
      : text;
}

function schemaOf({ name, columns }: Table): string {
  const key = columns.filter((one) => one.key > 0).sort((a, b) => a.key - b.key);
  const lines = columns.map((one) => {
    const more = [
      one.isNullable ? '' : ' NOT NULL',
      one.preset === null ? '' : ` DEFAULT ${one.preset}`,
    ];
    return `  ${JSON.stringify(one.name)} ${one.type}${more.join('')}`;
  });
  if (key.length > 0)
    lines.push(`  PRIMARY KEY (${key.map((one) => JSON.stringify(one.name)).join(', ')})`);
  return `CREATE TABLE ${JSON.stringify(name)} (\n${lines.join(',\n')}\n);\n`;
}

/** By the class of SQLSTATE, https://www.postgresql.org/docs/current/errcodes-appendix.html */
function failureOf(error: unknown, unsent = false): unknown {
  if (!(error instanceof Error) || error instanceof ServiceFailure || error instanceof ConfigError)
    return error;
  const code = 'code' in error ? String(error.code) : '';
  const because = { cause: error };
  if (/^28/.test(code))
    return new ServiceFailure(
      'auth',
      `PostgreSQL refused the credential: ${error.message}`,
      because,
    );
  if (code === '42501') return new ServiceFailure('forbidden', error.message, because);
  if (code === '25006')
    return new ServiceFailure('invalid', `a question only reads (${error.message})`, because);
  if (code === '57014')
    return new ServiceFailure('timeout', `PostgreSQL gave up: ${error.message}`, {
      ...because,
      unsent: true,
    });
  if (/^(53|57|55)/.test(code))
    return new ServiceFailure('server', `PostgreSQL cannot now: ${error.message}`, {
      ...because,
      unsent: true,
    });
  if (/^[0-9A-Z]{5}$/.test(code)) return new ServiceFailure('invalid', error.message, because);
  return new ServiceFailure(
    'network',
    `PostgreSQL could not be reached, or the connection broke: ${error.message}`,
    { ...because, unsent },
  );
}
