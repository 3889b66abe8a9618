/** What is asked of databases, and what is made of their answers, without the mount around. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, beforeEach, describe, expect, it, vi } from 'vitest';
import type { ServiceFailure, Table, TableColumn, TableValue } from '../../src/mount/index.ts';
import { oneRow, quoted, takesOf } from './driver.ts';
import { createSqlMount } from './index.ts';
import { PostgresDriver } from './postgres.ts';
import { SqliteDriver } from './sqlite.ts';
import { statementsOf } from './statements.ts';

const failed = (work: Promise<unknown>): Promise<ServiceFailure> =>
  work.then(
    () => {
      throw new Error('it did not fail');
    },
    (error: ServiceFailure) => error,
  );

describe('a statement', () => {
  const column = (name: string, type: string, key = 0): TableColumn => ({
    name,
    type,
    takes: takesOf(type),
    key,
    isNullable: true,
    isGenerated: false,
    preset: null,
  });
  const table: Table = {
    name: 'a"b',
    schema: '',
    columns: [
      column('two', 'int', 2),
      column('one', 'text', 1),
      column('doc', 'json'),
      column('note', 'text'),
    ],
  };
  const of = statementsOf({ parameter: (index, type) => `$${index}::${type}` }, table);
  const ALL = '"two", "one", "doc", "note"';

  it('names what it means, and has every value apart from its text', () => {
    expect(of.rows()).toEqual({
      sql: `SELECT ${ALL} FROM "a""b" ORDER BY "one", "two"`,
      values: [],
    });
    expect(of.rows('note = 1 -- x')).toEqual({
      sql: `SELECT ${ALL} FROM "a""b" WHERE (note = 1 -- x\n) ORDER BY "one", "two"`,
      values: [],
    });
    expect(of.one(['x', 7])).toEqual({
      sql: `SELECT ${ALL} FROM "a""b" WHERE "one" = $1::text AND "two" = $2::int`,
      values: ['x', 7],
    });
    expect(of.insert({ one: 'x', other: null })).toEqual({
      sql: `INSERT INTO "a""b" ("one", "other") VALUES ($1::text, $2::text) RETURNING ${ALL}`,
      values: ['x', null],
    });
    expect(of.insert({})).toEqual({
      sql: `INSERT INTO "a""b" DEFAULT VALUES RETURNING ${ALL}`,
      values: [],
    });
    expect(of.remove(['x', 7]).sql).toBe(
      `DELETE FROM "a""b" WHERE "one" = $1::text AND "two" = $2::int RETURNING ${ALL}`,
    );
  });

  it('changes a row only where what it changes is what it was; JSON has no equality', () => {
    expect(of.update(['x', 7], { note: 'n', doc: { a: 1 } }, { note: null, doc: {} })).toEqual({
      sql: `UPDATE "a""b" SET "note" = $1::text, "doc" = $2::json WHERE "one" = $4::text AND "two" = $5::int AND "note" IS NOT DISTINCT FROM $3::text RETURNING ${ALL}`,
      values: ['n', { a: 1 }, null, 'x', 7],
    });
  });

  it('of a table without a key has no order', () => {
    const plain = statementsOf(
      { parameter: (index) => `?${index}` },
      { ...table, columns: [column('note', 'text')] },
    );
    expect(plain.rows().sql).toBe('SELECT "note" FROM "a""b"');
  });

  it('gives one row, or was overtaken', () => {
    const one = { columns: [], rows: [[1]] };
    expect(oneRow(one)).toBe(one);
    for (const rows of [[], [[1], [2]]])
      expect(() => oneRow({ columns: [], rows })).toThrow(
        'the row was changed or removed meanwhile',
      );
  });

  it.each([
    ['uuid', 'uuid'],
    ['json', 'json'],
    ['jsonb', 'json'],
    ['text', 'scalar'],
    ['jsonpath', 'scalar'],
  ])('of a column of %s takes %s', (type, takes) => {
    expect(takesOf(type)).toBe(takes);
    expect(quoted('a"b')).toBe('"a""b"');
  });
});

describe('SQLite', () => {
  const directory = mkdtempSync(join(tmpdir(), 'dirigent-sqlite-'));
  const file = join(directory, 'a.sqlite');
  const database = new DatabaseSync(file);
  database.exec(`
    CREATE TABLE kinds (id INTEGER PRIMARY KEY, "Big" BIGINT NOT NULL DEFAULT 7, data BLOB, twice AS (id * 2), doc JSON, at TEXT DEFAULT 'now');
    CREATE TABLE pair (b TEXT, a TEXT, PRIMARY KEY (a, b));
    CREATE VIEW seen AS SELECT id FROM kinds;
    INSERT INTO kinds (id, "Big", data) VALUES (1, 9007199254740993, x'00ff'), (2, 9007199254740991, NULL);`);
  afterAll(() => {
    database.close();
    rmSync(directory, { recursive: true });
  });
  const driver = () => new SqliteDriver(file, undefined);
  const read = (sql: string, values: TableValue[] = [], most = 100) =>
    driver().read({ sql, values }, most);

  it('tells of tables and views, their columns, keys and defaults', async () => {
    const tables = await driver().tables();
    expect(tables.map(({ name }) => name)).toEqual(['kinds', 'pair', 'seen']);
    const [kinds, pair] = tables;
    expect(kinds?.schema).toMatch(/^CREATE TABLE kinds [\s\S]*;\n$/);
    expect(kinds?.columns).toMatchObject([
      {
        name: 'id',
        type: 'integer',
        takes: 'scalar',
        key: 1,
        isNullable: true,
        isGenerated: false,
        preset: null,
      },
      { name: 'Big', type: 'bigint', key: 0, isNullable: false, preset: '7' },
      { name: 'data', type: 'blob' },
      { name: 'twice', isGenerated: true },
      { name: 'doc', takes: 'json' },
      { name: 'at', preset: "'now'", isGenerated: false },
    ]);
    expect(pair?.columns.map(({ name, key }) => [name, key])).toEqual([
      ['b', 2],
      ['a', 1],
    ]);
  });

  it('gives numbers that are safe as such, bytes in hex, and so many rows at most', async () => {
    expect(await read('SELECT id, "Big", data FROM kinds ORDER BY id')).toEqual({
      columns: ['id', 'Big', 'data'],
      rows: [
        [1, '9007199254740993', '\\x00ff'],
        [2, 9_007_199_254_740_991, null],
      ],
    });
    expect((await read('SELECT id FROM kinds', [], 1)).rows).toHaveLength(1);
    expect((await read('SELECT id FROM kinds', [], 2)).rows).toHaveLength(2);
    expect((await read('SELECT ?1, ?2, ?3, ?4', [true, false, { a: [1] }, null])).rows).toEqual([
      [1, 0, '{"a":[1]}', null],
    ]);
  });

  it.each([
    ['', 'there is no statement'],
    [' ; -- x\n/* y */', 'there is no statement'],
    ['SELECT 1; SELECT 2', 'one statement at a time'],
    ['SELEC 1', 'syntax error'],
    ['DELETE FROM kinds', 'only reads this database'],
    ["SELECT readfile('x')", ''],
  ])('%j is refused', async (sql, message) => {
    const failure = await failed(read(sql));
    expect(failure.kind).toBe('invalid');
    expect(failure.message).toContain(message);
  });

  it('takes what stands behind a statement and is none', async () => {
    expect((await read('SELECT 1 ; -- done\n/* so */')).rows).toEqual([[1]]);
  });

  it('writes all of several statements or none, and says which was refused', async () => {
    const insert = (id: number) => ({
      sql: 'INSERT INTO kinds (id) VALUES (?1) RETURNING id',
      values: [id],
    });
    expect(await driver().write([insert(10), insert(11)])).toMatchObject([
      { rows: [[10]] },
      { rows: [[11]] },
    ]);
    const twice = await failed(driver().write([insert(12), insert(10)]));
    expect(twice).toMatchObject({ kind: 'invalid', message: expect.stringContaining('UNIQUE') });
    expect(twice.request).toBe(1);
    const none = await failed(
      driver().write([
        insert(13),
        { sql: 'DELETE FROM kinds WHERE id = 99 RETURNING id', values: [] },
      ]),
    );
    expect(none.message).toContain('changed or removed meanwhile');
    expect((await read('SELECT id FROM kinds WHERE id > 9 ORDER BY id')).rows).toEqual([
      [10],
      [11],
    ]);
  });

  it('counts what is asked and what comes', async () => {
    const one = driver();
    await one.read({ sql: 'SELECT 1', values: [] }, 1);
    await one.tables();
    expect(one.usage()).toMatchObject({ requests: 2, bytes: '[[1]]'.length });
  });

  it('that is not there is a wrong config', () => {
    expect(() => new SqliteDriver(join(directory, 'none'), undefined)).toThrow(
      'there is no database',
    );
    expect(() => createSqlMount({} as never)).toThrow(
      'name a file, sql:./FILE, or give the address',
    );
  });
});

interface Fake {
  options: Record<string, unknown>;
  asked: unknown[];
  emit(event: string, error: Error): void;
  isEnded: boolean;
}
const pg = vi.hoisted(() => ({
  clients: [] as Fake[],
  refusal: null as Error | null,
  answer: (() => undefined) as (sql: string) => unknown,
}));
vi.mock('pg', () => ({
  default: {
    Client: class {
      readonly options: Record<string, unknown>;
      readonly asked: unknown[] = [];
      isEnded = false;
      readonly #told = new Map<string, (error: Error) => void>();
      constructor(options: Record<string, unknown>) {
        this.options = options;
        pg.clients.push(this as unknown as Fake);
      }
      on(event: string, listener: (error: Error) => void): void {
        this.#told.set(event, listener);
      }
      emit(event: string, error: Error): void {
        this.#told.get(event)?.(error);
      }
      async connect(): Promise<void> {
        if (pg.refusal !== null) throw pg.refusal;
      }
      async query(query: string | { text: string }): Promise<unknown> {
        this.asked.push(query);
        const answer = pg.answer(typeof query === 'string' ? query : query.text);
        if (answer instanceof Error) throw answer;
        return answer ?? { rows: [], fields: [] };
      }
      async end(): Promise<void> {
        this.isEnded = true;
      }
    },
  },
}));

describe('PostgreSQL', () => {
  beforeEach(() => {
    pg.clients = [];
    pg.refusal = null;
    pg.answer = () => undefined;
  });
  const UNDO = 'ROLLBACK; SELECT pg_catalog.pg_advisory_unlock_all()';
  const driver = (timeoutMs?: number) =>
    new PostgresDriver('postgres://h/d', { now: () => new Date(), timeoutMs });
  const texts = (at = 0) =>
    pg.clients[at]?.asked.map((one) =>
      typeof one === 'string' ? one : (one as { text: string }).text,
    );
  const select = { sql: 'SELECT 1', values: [] as TableValue[] };
  const coded = (code: string, message = 'said') => Object.assign(new Error(message), { code });

  it('is asked in a transaction that only reads, by a cursor, and is left as it was', async () => {
    const one = driver(500);
    await one.read({ sql: 'SELECT $1', values: [{ a: 1 }] }, 10);
    expect(texts()).toEqual([
      'BEGIN READ ONLY',
      'DECLARE rows NO SCROLL CURSOR FOR SELECT $1',
      'FETCH 10 FROM rows',
      UNDO,
    ]);
    expect(pg.clients[0]?.asked[1]).toMatchObject({
      values: ['{"a":1}'],
      rowMode: 'array',
      queryMode: 'extended',
    });
    expect(pg.clients[0]?.options).toEqual({
      connectionString: 'postgres://h/d',
      connectionTimeoutMillis: 500,
      query_timeout: 500,
      statement_timeout: 500,
    });
    await one.read(select, 1_000_000);
    await one.read(select, 1_000_001);
    expect(texts()?.filter((sql) => sql.startsWith('FETCH'))).toEqual([
      'FETCH 10 FROM rows',
      'FETCH 1000000 FROM rows',
      'FETCH ALL FROM rows',
    ]);
    expect(pg.clients).toHaveLength(1);
    expect(one.usage().requests).toBe(3);
    await driver().read(select, 1);
    expect(pg.clients[1]?.options['query_timeout']).toBe(30_000);
    expect(one.parameter(3, 'uuid')).toBe('$3::uuid');
  });

  it.each<[number, string | null, unknown]>([
    [16, 't', true],
    [16, 'f', false],
    [114, '{"a":[1]}', { a: [1] }],
    [3802, '[1]', [1]],
    [20, '9007199254740991', 9_007_199_254_740_991],
    [20, '9007199254740993', '9007199254740993'],
    [21, '3', 3],
    [23, '-4', -4],
    [700, '1.5', 1.5],
    [701, 'NaN', 'NaN'],
    [701, 'Infinity', 'Infinity'],
    [1700, '12.50', '12.50'],
    [25, 'a', 'a'],
    [25, null, null],
  ])('gives a value of type %i that is written %j as %j', async (dataTypeID, value, shown) => {
    pg.answer = (sql) =>
      sql.startsWith('FETCH')
        ? { rows: [[value]], fields: [{ name: 'x', dataTypeID }] }
        : undefined;
    expect(await driver().read(select, 1)).toEqual({ columns: ['x'], rows: [[shown]] });
    const asked = pg.clients[0]?.asked[1] as {
      types: { getTypeParser(): (one: unknown) => unknown };
    };
    expect(asked.types.getTypeParser()('t')).toBe('t');
  });

  it('tells of tables as they would be made', async () => {
    const row = (
      name: string,
      type: string,
      key: number,
      more: unknown[] = [false, false, null],
    ) => ['a b', 'r', name, type, ...more, key];
    const fields = ['name', 'kind', 'column', 'type', 'nullable', 'generated', 'preset', 'key'].map(
      (name) => ({
        name,
        dataTypeID: /nullable|generated/.test(name) ? 16 : name === 'key' ? 23 : 25,
      }),
    );
    const rows = [
      row('two', 'uuid', 2),
      row('one', 'text', 1),
      row('doc', 'jsonb', 0, ['t', 't', "'{}'"]),
      ['c', 'v', 'x', 'text', 't', 'f', null, 0],
    ];
    pg.answer = (sql) =>
      sql.startsWith('FETCH')
        ? { rows: rows.map((one) => one.map((cell) => (cell === false ? 'f' : cell))), fields }
        : undefined;
    const tables = await driver().tables();
    expect(tables.map(({ name }) => name)).toEqual(['a b', 'c']);
    expect(tables[0]?.schema).toBe(
      'CREATE TABLE "a b" (\n  "two" uuid NOT NULL,\n  "one" text NOT NULL,\n  "doc" jsonb DEFAULT \'{}\',\n  PRIMARY KEY ("one", "two")\n);\n',
    );
    expect(tables[1]?.schema).toBe('CREATE TABLE "c" (\n  "x" text\n);\n');
    expect(tables[0]?.columns).toMatchObject([
      { takes: 'uuid', key: 2, isNullable: false, isGenerated: false, preset: null },
      { takes: 'scalar', key: 1 },
      { takes: 'json', isNullable: true, isGenerated: true, preset: "'{}'" },
    ]);
    expect(texts()?.[2]).toBe('FETCH ALL FROM rows');
  });

  it('writes all of several statements or none, and says which was refused', async () => {
    const row = { rows: [['1']], fields: [{ name: 'id', dataTypeID: 23 }] };
    pg.answer = (sql) => (sql.startsWith('INSERT') ? row : undefined);
    const one = driver();
    expect(await one.write([{ sql: 'INSERT 1', values: [] }])).toEqual([
      { columns: ['id'], rows: [[1]] },
    ]);
    expect(texts()).toEqual(['BEGIN', 'INSERT 1', 'COMMIT']);
    const failure = await failed(
      one.write([
        { sql: 'INSERT 1', values: [] },
        { sql: 'UPDATE', values: [] },
      ]),
    );
    expect(failure.message).toContain('changed or removed meanwhile');
    expect(failure.request).toBe(1);
    expect(texts()?.slice(3)).toEqual(['BEGIN', 'INSERT 1', 'UPDATE', UNDO]);
  });

  it('is asked one thing after the other, also after one that failed', async () => {
    const one = driver();
    pg.answer = (sql) => (sql.includes('bad') ? coded('42601') : undefined);
    const all = await Promise.allSettled([
      one.read({ sql: 'bad', values: [] }, 1),
      one.read(select, 1),
    ]);
    expect(all.map(({ status }) => status)).toEqual(['rejected', 'fulfilled']);
    expect(texts()?.filter((sql) => /^BEGIN|^ROLLBACK/.test(sql))).toEqual([
      'BEGIN READ ONLY',
      UNDO,
      'BEGIN READ ONLY',
      UNDO,
    ]);
  });

  it.each<[string, string, boolean]>([
    ['28P01', 'auth', false],
    ['42501', 'forbidden', false],
    ['25006', 'invalid', false],
    ['57014', 'timeout', true],
    ['53300', 'server', true],
    ['57P01', 'server', true],
    ['55P03', 'server', true],
    ['23505', 'invalid', false],
    ['ECONNRESET', 'network', false],
    ['', 'network', false],
  ])('that fails by %j is %s', async (code, kind, unsent) => {
    pg.answer = (sql) => (sql.startsWith('DECLARE') ? coded(code, 'why') : undefined);
    const failure = await failed(driver().read(select, 1));
    expect(failure).toMatchObject({ kind, unsent, message: expect.stringContaining('why') });
  });

  it('that cannot be reached was asked nothing, and is reached anew by the next question', async () => {
    const one = driver();
    pg.refusal = coded('ECONNREFUSED', 'nobody there');
    expect(await failed(one.read(select, 1))).toMatchObject({ kind: 'network', unsent: true });
    pg.refusal = null;
    await one.read(select, 1);
    expect(pg.clients).toHaveLength(2);
    // A connection that breaks while nothing is asked.
    pg.clients[1]?.emit('error', new Error('gone'));
    await one.read(select, 1);
    expect(pg.clients).toHaveLength(3);
    // One on which nothing can be undone is given up.
    pg.answer = (sql) => (/^DECLARE|^ROLLBACK/.test(sql) ? coded('', 'broken') : undefined);
    await failed(one.read(select, 1));
    expect(pg.clients[2]?.isEnded).toBe(true);
    pg.answer = () => undefined;
    await one.read(select, 1);
    expect(pg.clients).toHaveLength(4);
  });
});
