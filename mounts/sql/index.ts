/** The SQL mount: tables as directories, rows as JSON files, questions as files with their answers beside them. */
import { resolve } from 'node:path';
import { z } from 'zod';
import {
  type Answer,
  ConfigError,
  finding,
  firstOf,
  keyNamed,
  openResourceMount,
  resource,
  type Scope,
  type ServiceMount,
  type ServiceOptions,
  type ServiceRequest,
  view,
} from '../../src/mount/index.ts';
import {
  type Driver,
  type Result,
  type Statement,
  type Table,
  tableSchema,
  type Value,
  valueSchema,
} from './driver.ts';
import { PostgresDriver } from './postgres.ts';
import { fileNameOf, fixedOf, keysOf, textOf, typeOf } from './rows.ts';
import { SqliteDriver } from './sqlite.ts';
import { statementsOf } from './statements.ts';

/** `database`: a file of SQLite. Without one `token` is the address of a PostgreSQL, with its password. */
export interface SqlMountOptions extends ServiceOptions {
  database?: string | undefined;
}

/** So many rows of a table are listed, and of an answer shown; so many are found. */
const LISTED = 1_000;
const FOUND = 200;
const SELDOM_MS = 60_000;
/** Names of tables, rows and queries. */
const NAME = /^(?!(?:new|queries|search)$)(?!\.)[^/\0]+(?<!\.md)$/;

/** A driver that carries out what the mount requests: one statement each. */
type SqlClient = Driver & { send(request: ServiceRequest): Promise<unknown> };
type At = Scope<SqlClient>;
const rowSchema = z.record(z.string(), valueSchema);
const bodySchema = z.object({
  sql: z.string(),
  values: z.array(valueSchema),
  row: rowSchema.optional(),
});

const tables = resource('tables', {
  about: 'a table or a view',
  path: '/:table',
  schema: tableSchema,
  freshMs: SELDOM_MS,
  key: ({ name }) => name,
  name: ({ name }) => fileNameOf([name]),
  list: ({ client }: At) => client.tables(),
  files: { 'schema.sql': { about: 'its columns and its key', text: ({ schema }) => schema } },
});

/** A row as it is held. One of a table without a key is in the index alone. */
const rowOf = (table: Table) => (values: readonly Value[], at: number) => {
  const row = Object.fromEntries(
    table.columns.map(({ name }, index) => [name, values[index] ?? null]),
  );
  const keys = keysOf(table).map(({ name }) => row[name] ?? null);
  return { key: JSON.stringify(keys.length === 0 ? [at] : keys), isKeyed: keys.length > 0, row };
};
const keyIn = ({ key }: { key: string }) => z.array(valueSchema).parse(JSON.parse(key));

/** The table of a place: its statements, its rows. */
function tableOf(at: At) {
  const table = at.record(tables);
  const sql = statementsOf(at.client, table);
  const read = async (statement: Statement, most: number) =>
    (await at.client.read(statement, most)).rows.map(rowOf(table));
  return {
    keys: keysOf(table),
    sql,
    one: async (key: readonly Value[]) => (await read(sql.one(key), 1))[0],
    first: async (most: number, more: string, condition?: string) =>
      firstOf(await read(sql.rows(condition), most + 1), most, more),
    request: (method: ServiceRequest['method'], statement: Statement, row?: object) => ({
      method,
      url: table.name,
      body: { ...statement, ...(row && { row }) },
    }),
  };
}

const rows = resource('rows', {
  about: 'a row by its primary key; writing it changes the columns that differ',
  path: '/:table/rows/:key.json',
  schema: z.object({ key: z.string(), isKeyed: z.boolean(), row: rowSchema }),
  document: true,
  key: ({ key }) => key,
  name: (one) => fileNameOf(keyIn(one)),
  listed: ({ isKeyed }) => isKeyed,
  typeOf: (_, place) => typeOf(place.record(tables)),
  fixed: (_, place) => fixedOf(place.record(tables)),
  values: ({ row }) => row,
  list: (at: At) => tableOf(at).first(LISTED, 'others are found by name, or in search/'),
  get: async (name, at: At) => {
    const { keys, one } = tableOf(at);
    const key = keyNamed(name);
    return key?.length === keys.length ? { data: await one(key) } : null;
  },
  create: (given, at: At, key) => {
    const { keys, sql, request } = tableOf(at);
    // An id that we choose tells after a lost answer whether the row was made.
    const isOurs = keys.length === 1 && keys[0]?.type === 'uuid';
    const row = isOurs ? { [keys[0]?.name ?? '']: key, ...given } : given;
    return request('POST', sql.insert(row), row);
  },
  find: async ({ body }, at: At) => {
    const { keys, one } = tableOf(at);
    const { row = {} } = bodySchema.parse(body);
    const key = keys.map(({ name }) => row[name]).filter((value) => value !== undefined);
    if (key.length === 0 || key.length < keys.length) return null;
    const found = await one(key);
    const isSame = Object.entries(row).every(
      ([name, value]) => textOf(found?.row[name] ?? null) === textOf(value),
    );
    return isSame ? found : null;
  },
  update: (one, delta, at: At) => {
    const { sql, request } = tableOf(at);
    return request('PATCH', sql.update(keyIn(one), delta, one.row));
  },
  remove: (one, at: At) => {
    if (!one.isKeyed) return 'the table has no primary key, so that none of its rows can be named';
    const { sql, request } = tableOf(at);
    return request('DELETE', sql.remove(keyIn(one)));
  },
  made: (answer, _request, _one, place) =>
    (answer as Result).rows.map(rowOf(place.record(tables)))[0],
});

const index = view({
  about: 'the rows, one line each; in the order of their keys',
  path: '/:table/index.tsv',
  of: rows,
  columnsAt: (place) => place.record(tables).columns.map(({ name }) => name),
  rows: ({ row }, place) => [
    place.record(tables).columns.map(({ name }) => textOf(row[name] ?? null)),
  ],
});

const found = finding({
  about: 'the rows that a condition holds for, as SQL has it after WHERE',
  path: '/:table/search',
  of: rows,
  columns: ['row'],
  row: ({ row }) => [JSON.stringify(row)],
  find: (condition, at: At) => tableOf(at).first(FOUND, 'write a query to count them', condition),
});

const queries = {
  id: 'queries',
  about: {
    question: 'write a SELECT here; it is carried out at once, and changes nothing',
    answer: 'its answer',
  },
  question: '/queries/:name.sql',
  answer: '/queries/:name.tsv',
  ask: async (text: string, { client }: At): Promise<Answer> => {
    const sql = text.trim().replace(/;$/, '');
    const { columns, rows: all } = await client.read({ sql, values: [] }, LISTED + 1);
    return {
      columns,
      ...firstOf(
        all.map((row) => row.map(textOf)),
        LISTED,
        'ask for fewer',
      ),
    };
  },
};

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
      `A table lists its first ${LISTED} rows by key; any other is found by its name, \`rows/KEY.json\`, the values of a key with a comma between them and \`%2C\`, \`%2F\` for what cannot stand in a name.`,
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
    params: {
      table: { matches: NAME, example: 'orders' },
      key: { matches: NAME, example: '1' },
      name: { matches: NAME, example: 'open' },
    },
    resources: [tables, rows],
    views: [index],
    inquiries: [queries],
    findings: [found],
  });
}

/** Who, and where: never the password. */
function accountOf(address: string): string {
  const { username, host, pathname } = new URL(address);
  return `${username}@${host}${pathname}`;
}
