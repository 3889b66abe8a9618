/** The SQL mount: tables as directories, rows as JSON files, questions as files with their answers beside them. */
import { resolve } from 'node:path';
import { z } from 'zod';
import {
  ConfigError,
  openResourceMount,
  type Scope,
  type ServiceMount,
  type ServiceOptions,
  type ServiceRequest,
  type Table,
  type TableRow,
  tableRows,
} from '../../src/mount/index.ts';
import type { Driver, Result, Statement } from './driver.ts';
import { PostgresDriver } from './postgres.ts';
import { SqliteDriver } from './sqlite.ts';
import { statementsOf } from './statements.ts';

/** `database`: a file of SQLite. Without one `token` is the address of a PostgreSQL, with its password. */
export interface SqlMountOptions extends ServiceOptions {
  database?: string | undefined;
}

/** A driver that carries out what the mount requests: one statement each. */
type SqlClient = Driver & { send(request: ServiceRequest): Promise<unknown> };
type At = Scope<SqlClient>;

const rowSchema = z.record(z.string(), z.json());
/** What is requested: a statement; of a new row, its values beside it. */
const bodySchema = z.object({
  sql: z.string(),
  values: z.array(z.json()),
  row: rowSchema.optional(),
});

const request = (
  method: ServiceRequest['method'],
  { name }: Table,
  statement: Statement & { row?: TableRow },
): ServiceRequest => ({ method, url: name, body: statement });
const rowsOf = ({ columns, rows }: Result): TableRow[] =>
  rows.map((row) => Object.fromEntries(columns.map((name, index) => [name, row[index] ?? null])));

const tables = tableRows({
  files: { 'schema.sql': { about: 'its columns and its key', text: ({ schema }) => schema } },
  tables: ({ client }: At) => client.tables(),
  select: async ({ table, key, condition, most }, { client }) => {
    const sql = statementsOf(client, table);
    return rowsOf(await client.read(key ? sql.one(key) : sql.rows(condition), most));
  },
  insert: (table, row, { client }) =>
    request('POST', table, { ...statementsOf(client, table).insert(row), row }),
  inserted: ({ body }) => bodySchema.parse(body).row ?? {},
  update: (table, key, delta, were, { client }) =>
    request('PATCH', table, statementsOf(client, table).update(key, delta, were)),
  remove: (table, key, { client }) =>
    request('DELETE', table, statementsOf(client, table).remove(key)),
  answered: (answer) => rowsOf(answer as Result)[0],
  conditions: 'the rows that a condition holds for, as SQL has it after WHERE',
  queries: {
    about: 'write a SELECT here; it is carried out at once, and changes nothing',
    ending: 'sql',
    ask: (text, most, { client }) =>
      client.read({ sql: text.trim().replace(/;$/, ''), values: [] }, most),
  },
});

/** @throws ConfigError where neither a file nor an address is given */
export function createSqlMount({ database, ...options }: SqlMountOptions): ServiceMount {
  const { token } = options;
  if (database === undefined && token === undefined) {
    throw new ConfigError(
      '',
      'name a file, sql:./FILE, or give the address of a PostgreSQL in DATABASE_URL',
    );
  }
  const file = database === undefined ? null : resolve(database);
  return openResourceMount(file === null ? options : { ...options, token: undefined }, {
    kind: 'sql',
    file,
    title: file === null ? 'PostgreSQL' : 'SQLite',
    about: 'Tables of a database with their rows as files.',
    hints: [
      `A table lists its first 1000 rows by key; any other is found by its name, \`rows/KEY.json\`, the values of a key with a comma between them and \`%2C\`, \`%2F\` for what cannot stand in a name.`,
      "`search/CONDITION/` has links to the rows for which a condition holds, such as `search/status = 'open'/`.",
      'A query only reads, in a dry run, too; what is to change is written as rows: each in a transaction of its own, and those that are staged and applied together in one, all or none.',
    ],
    consistent: true,
    client: (given) => {
      const driver =
        file === null
          ? new PostgresDriver(token ?? '', given)
          : new SqliteDriver(file, given.isBehind);
      const sendAll = (requests: readonly ServiceRequest[]) =>
        driver.write(requests.map(({ body }) => bodySchema.parse(body)));
      const send = async (request: ServiceRequest) => (await sendAll([request]))[0];
      return Object.assign(driver, { send, sendAll });
    },
    ...(file === null && { account: async () => accountOf(token ?? '') }),
    probe: async (client) => {
      await client.tables();
      return file === null ? accountOf(token ?? '') : null;
    },
    families: [tables],
  });
}

/** Who, and where: never the password. */
function accountOf(address: string): string {
  const { username, host, pathname } = new URL(address);
  return `${username}@${host}${pathname}`;
}
