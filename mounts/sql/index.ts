/** The SQL mount: tables as directories, rows as JSON files, questions as files with their answers beside them. */
import { createHash } from 'node:crypto';
import { resolve } from 'node:path';
import { z } from 'zod';
import {
  type Answer,
  ConfigError,
  finding,
  keyNamed,
  openResourceMount,
  type Place,
  resource,
  type Scope,
  type ServiceMount,
  type ServiceOptions,
  type ServiceRequest,
  type Values,
  view,
} from '../../src/mount/index.ts';
import type { Driver, Result, Statement, Table, Value } from './driver.ts';
import { PostgresDriver } from './postgres.ts';
import { fileNameOf, keyOf, keysOf, textOf, typeOf } from './rows.ts';
import { SqliteDriver } from './sqlite.ts';
import { deletion, insertion, ordered, selection, selectionOf, update } from './statements.ts';

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
const bodySchema = z.object({
  sql: z.string(),
  values: z.array(z.json()),
  row: z.record(z.string(), z.json()).optional(),
});

const columnSchema = z.object({
  name: z.string(),
  type: z.string(),
  key: z.number(),
  isNullable: z.boolean(),
  isGenerated: z.boolean(),
  preset: z.string().nullable(),
});
const tables = resource('tables', {
  about: 'a table or a view',
  path: '/:table',
  schema: z.object({ name: z.string(), columns: z.array(columnSchema), schema: z.string() }),
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
  return { key: keyOf(keys.length === 0 ? [at] : keys), isKeyed: keys.length > 0, row };
};
const bounded = (rows: Result['rows'], table: Table, most: number, where: string) => ({
  rows: rows.slice(0, most).map(rowOf(table)),
  lacking: rows.length > most ? `only the first ${most} rows; ${where}` : null,
});

const request = (
  method: ServiceRequest['method'],
  { name }: Table,
  statement: Statement,
  row?: Values,
): ServiceRequest => ({ method, url: name, body: { ...statement, ...(row && { row }) } });

async function byKey({ client }: At, table: Table, key: readonly Value[]) {
  return (await client.read(selectionOf(client, table, key), 1)).rows.map(rowOf(table))[0];
}

const rows = resource('rows', {
  about: 'a row by its primary key; writing it changes the columns that differ',
  path: '/:table/rows/:key.json',
  schema: z.object({ key: z.string(), isKeyed: z.boolean(), row: z.record(z.string(), z.json()) }),
  document: true,
  key: ({ key }) => key,
  name: ({ key }) => fileNameOf(JSON.parse(key) as Value[]),
  listed: ({ isKeyed }) => isKeyed,
  typeOf: (one, place: Place) => typeOf(place.record(tables), one === null),
  values: ({ row }) => row,
  list: async (at: At) => {
    const table = at.record(tables);
    const found = await at.client.read({ sql: ordered(table), values: [] }, LISTED + 1);
    return bounded(found.rows, table, LISTED, 'others are found by name, or in search/');
  },
  get: async (name, at: At) => {
    const table = at.record(tables);
    const key = keyNamed(name);
    if (key === null || key.length !== keysOf(table).length) return null;
    return { data: await byKey(at, table, key) };
  },
  create: (given, at: At, key) => {
    const table = at.record(tables);
    // An id that we choose tells after a lost answer whether the row was made.
    const [own, ...more] = keysOf(table);
    const isOurs = own?.type === 'uuid' && more.length === 0;
    const row = isOurs ? { [own.name]: key, ...given } : given;
    return request('POST', table, insertion(at.client, table, row), row);
  },
  find: async ({ body }, at: At) => {
    const table = at.record(tables);
    const { row = {} } = bodySchema.parse(body);
    const key = keysOf(table).map(({ name }) => row[name]);
    if (key.length === 0 || key.includes(undefined)) return null;
    const found = await byKey(at, table, key as Value[]);
    const isSame = Object.entries(row).every(
      ([name, value]) => textOf(found?.row[name] ?? null) === textOf(value),
    );
    return isSame ? found : null;
  },
  update: ({ key, row }, delta, at: At) => {
    const table = at.record(tables);
    const change = { key: JSON.parse(key) as Value[], delta, row };
    return request('PATCH', table, update(at.client, table, change));
  },
  remove: ({ key, isKeyed }, at: At) => {
    if (!isKeyed) return 'the table has no primary key, so that none of its rows can be named';
    const table = at.record(tables);
    return request('DELETE', table, deletion(at.client, table, JSON.parse(key) as Value[]));
  },
  made: (answer, _request, _one, place) => {
    const [first = []] = (answer as Result).rows;
    return rowOf(place.record(tables))(first, 0);
  },
});

const index = view({
  about: 'the rows, one line each; in the order of their keys',
  path: '/:table/index.tsv',
  of: rows,
  columnsAt: (place) => place.record(tables).columns.map(({ name }) => name),
  rows: ({ row }, place) => [
    place.record(tables).columns.map(({ name }) => textOf((row[name] ?? null) as Value)),
  ],
  readOnly: 'it is made of the rows: write those',
});

const found = finding({
  about: 'the rows that a condition holds for, as SQL has it after WHERE',
  path: '/:table/search',
  of: rows,
  columns: ['row'],
  row: ({ row }) => [JSON.stringify(row)],
  find: async (condition, at: At) => {
    const table = at.record(tables);
    const sql = selection(table, `(${condition}\n)`);
    const result = await at.client.read({ sql, values: [] }, FOUND + 1);
    return bounded(result.rows, table, FOUND, 'write a query to count them');
  },
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
    const lacking = all.length > LISTED ? `only the first ${LISTED} rows: ask for fewer` : null;
    return { columns, rows: all.slice(0, LISTED).map((row) => row.map(textOf)), lacking };
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
  const isOne =
    file === null ? '' : `-${createHash('sha256').update(file).digest('hex').slice(0, 12)}`;
  return openResourceMount(file === null ? options : { ...options, token: undefined }, {
    kind: `sql${isOne}`,
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
