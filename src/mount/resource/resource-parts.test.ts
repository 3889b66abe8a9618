/** The small parts that resources are made with: fields, places, names, pages, tables of rows. */
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { Resource } from './definition.ts';
import { readingOf } from './fields-of.ts';
import { listingOf, paged, pagesOf, readRows, told } from './pages.ts';
import {
  above,
  filled,
  isFile,
  ownParam,
  paramsOf,
  placeOf,
  placeParams,
  through,
} from './paths.ts';
import { firstOf } from './questions.ts';
import { BY_NUMBERS, bucketName, keysOf, namesOf } from './record-names.ts';
import {
  COLUMNS,
  cellOf,
  fixedOf,
  heldOf,
  heldSchema,
  keyColumns,
  keyIn,
  rowNameOf,
  type Table,
  type TableInput,
  tableSchema,
  typeOf,
} from './table-fields.ts';
import { type AnyView, filesOf, groupsOf, isOfOne, tableOf } from './views.ts';

const all = async <T>(from: AsyncIterable<T>): Promise<T[]> => {
  const found: T[] = [];
  for await (const one of from) found.push(one);
  return found;
};

describe('reading what a service gives', () => {
  const schema = z.object({
    id: z.string(),
    at: z.string().optional(),
    tags: z.array(z.string()).default([]),
    votes: z.array(z.object({ by: z.string(), on: z.string().optional() })).default([]),
  });
  const options = {
    schema,
    fields: {
      id: 'key',
      at: 'meta.time',
      tags: ['first', (data: unknown) => (data as { second?: string }).second],
      votes: { at: 'all.votes', by: 'user.name', on: 'day' },
    },
    times: ['at'],
    what: 'one of the things',
  } as const;

  it('finds each field where it is, lists of texts without the empty ones, lists of objects with their fields', () => {
    const raw = {
      key: 'a',
      meta: { time: '2026-01-31T10:00:00Z' },
      first: '',
      second: 'b',
      all: { votes: [{ user: { name: 'ada' }, day: 'today' }, { user: { name: 'bob' } }] },
    };
    expect(readingOf(options)(raw)).toEqual({
      id: 'a',
      at: '2026-01-31T10:00:00Z',
      tags: ['b'],
      votes: [{ by: 'ada', on: 'today' }, { by: 'bob' }],
    });
  });

  it('leaves what is not said as it was before, or as it mostly is', () => {
    const before = { id: 'a', at: 'then', tags: ['x'], votes: [{ by: 'ada' }] };
    const read = readingOf(options);
    expect(read({ key: 'a', first: null }, before)).toEqual({ ...before, tags: [] });
    expect(read({ key: 'a' })).toEqual({ id: 'a', tags: [], votes: [] });
    expect(read({ key: 'a' }, before)).toEqual(before);
    expect(read({ key: 'a', all: { votes: null } }, before).votes).toEqual(before.votes);
  });

  it.each([
    ['iso', '2026-01-31T10:00:00Z', '2026-01-31T10:00:00Z'],
    [undefined, 'any text', 'any text'],
    ['s', 1_700_000_000, '2023-11-14T22:13:20.000Z'],
    ['s', '1700000000.123456', '2023-11-14T22:13:20.123Z'],
    ['ms', '1700000000001', '2023-11-14T22:13:20.001Z'],
    ['s', 0, '1970-01-01T00:00:00.000Z'],
    ['ms', 'soon', 'soon'],
  ] as const)('takes times as %s: %o is %s', (timeForm, time, at) => {
    const read = readingOf({ ...options, timeForm });
    expect(read({ key: 'a', meta: { time } }).at).toBe(at);
    expect(read({ key: 'a', meta: { time: null } }).at).toBeUndefined();
  });

  it('refuses what is none of them, by what they are', () => {
    expect(() => readingOf(options)({ key: 7 })).toThrow(
      "the service's answer for one of the things is not what was expected (id:",
    );
  });
});

describe('a path', () => {
  const of = (path: string, more: Partial<Resource<unknown>> = {}) =>
    ({ path, id: path, ...more }) as Resource<unknown>;
  const team = of('/teams/:team');
  const issue = of('/teams/:team/issues/:key.md', { owner: { of: team, key: () => '' } });

  it.each([
    ['/teams/:team/issues/:key.md', ['team', 'key'], 'key', '/teams/:team/issues', true],
    ['/files/:path+', ['path'], 'path', '/files', false],
    ['/labels.tsv', [], '', '', true],
    ['/a_:b_c', ['b_c'], 'b_c', '', false],
  ])('%s has the parameters %o', (pattern, params, own, directory, file) => {
    expect(paramsOf(pattern)).toEqual(params);
    expect(ownParam({ path: pattern })).toBe(own);
    expect(above(pattern)).toBe(directory);
    expect(isFile(pattern)).toBe(file);
  });

  it('is filled with its parameters', () => {
    const params = { team: 'A', key: '7' };
    expect(filled('/teams/:team/issues/:key.md', params)).toBe('/teams/A/issues/7.md');
    expect(filled('/files/:path+', { path: 'a/b' })).toBe('/files/a/b');
    expect(filled('/teams/:team', {})).toBe('/teams/');
    expect(ownParam({})).toBe('');
  });

  it('of a resource says where its records are held: where it is told, with their owner, or above', () => {
    expect(placeOf(team)).toBe('/teams');
    expect(placeOf(issue)).toBe('/teams');
    expect(placeOf({ ...issue, heldAt: '/x/:y' })).toBe('/x/:y');
    expect(placeOf(of('/teams/:team/issues/:key.md'))).toBe('/teams/:team/issues');
    expect(placeOf(of('/a/:b', { at: '/at/:c' }))).toBe('/at/:c');
    expect(placeOf({})).toBe('');
    expect(placeParams(of('/teams/:team/issues/:key.md'))).toEqual(['team']);
  });

  it('goes through the directories of resources, from the top down', () => {
    const deep = of('/teams/:team/lists/:list');
    const others = [deep, of('/teams/:team/issues/:key.md'), team, of('/te')];
    const pattern = '/teams/:team/lists/:list/items/:item.md';
    expect(through(pattern, [...others, {} as Resource<unknown>])).toEqual([team, deep]);
    expect(through('/teams/:team', others)).toEqual([]);
  });
});

describe('a view', () => {
  const of = { path: '/teams/:team', id: 'teams' } as Resource<unknown>;
  const viewed = (path: string, more = {}) => ({ path, of, ...more }) as AnyView;

  it('is of one record where its path is below it', () => {
    expect(isOfOne(viewed('/teams/:team/about.md'))).toBe(true);
    expect(isOfOne(viewed('/teams/index.tsv'))).toBe(false);
    expect(isOfOne({ ...viewed('/x'), of: { id: 'x' } as Resource<unknown> })).toBe(false);
    const fixed = { ...of, path: '/teams' } as Resource<unknown>;
    expect(isOfOne({ ...viewed('/teams/about.md'), of: fixed })).toBe(false);
  });

  it('has the groups that it tells of a record, one, several or none', () => {
    expect(groupsOf(viewed('/x'), 1)).toEqual(['']);
    expect(groupsOf(viewed('/x', { by: () => 'a' }), 1)).toEqual(['a']);
    expect(groupsOf(viewed('/x', { by: () => ['a', 'b'] }), 1)).toEqual(['a', 'b']);
    expect(groupsOf(viewed('/x', { by: () => undefined }), 1)).toEqual(['']);
  });

  it('of a file of a record is its text, or its JSON, and nothing without the record', () => {
    const files = {
      'a.md': { about: 'a', text: (one: unknown) => `text of ${one}`, by: () => 'g' },
      'b.json': { about: 'b', json: (one: unknown) => ({ one }), costly: true },
      'c.json': { about: 'c', json: () => undefined },
      'd.tsv': { about: 'd', columns: ['x'], rows: () => [['1']] },
    };
    const [a, b, c, d] = filesOf({ ...of, files } as never) as [AnyView, AnyView, AnyView, AnyView];
    const place = {} as never;
    expect([a.path, a.about, b.path]).toEqual(['/teams/:team/a.md', 'a', '/teams/:team/b.json']);
    expect([a.text?.([1], place), a.text?.([], place)]).toEqual(['text of 1', null]);
    expect(b.text?.([1], place)).toBe('{\n  "one": 1\n}\n');
    expect(c.text?.([1], place)).toBeNull();
    expect([groupsOf(a, 1), groupsOf(b, 1)]).toEqual([['g'], ['']]);
    expect([b, a].map((one) => 'rows' in one)).toEqual([false, false]);
    expect(d.rows?.(1, place)).toEqual([['1']]);
    expect(filesOf(of)).toEqual([]);
  });

  it('of a table stands beside its records, where it is told, or at the top', () => {
    const table = { about: 't', columns: ['x'], rows: () => [['1']] };
    const path = (more: object) => tableOf({ id: 'x', ...more } as never).map((one) => one.path);
    expect(path({ path: '/teams/:team/issues/:key.md', table })).toEqual([
      '/teams/:team/issues/index.tsv',
    ]);
    expect(path({ at: '/teams/:team', table: { ...table, name: 'labels.tsv' } })).toEqual([
      '/teams/:team/labels.tsv',
    ]);
    expect(path({ table })).toEqual(['/index.tsv']);
    expect(path({ path: '/a/:b' })).toEqual([]);
  });
});

describe('pages of a listing', () => {
  async function* pages<T>(...each: T[]) {
    yield* each;
  }

  it('are those that come, or the one that came at once', async () => {
    expect(await all(paged(Promise.resolve([1])))).toEqual([[1]]);
    expect(await all(paged(pages([1], [2])))).toEqual([[1], [2]]);
    expect([listingOf([1]), listingOf({ rows: [1], cursor: 'c' })]).toEqual([
      { rows: [1] },
      { rows: [1], cursor: 'c' },
    ]);
    const read = readRows(pages({ rows: [1, 2] as never, next: 'n' }), (row) => Number(row) * 2);
    expect(await all(read)).toEqual([{ rows: [2, 4], next: 'n' }]);
  });

  it('tell of the whole what they say, and null of what they do not', () => {
    expect(told({})).toEqual({ next: null, total: null, cursor: null });
    const said = { next: 'n', total: 7, cursor: 'c' };
    expect(told({ ...said, rows: [1] })).toEqual(said);
  });

  const marked = { newestFirst: (one: string) => one };
  const read = (since: string | null, from: string | null, ...each: string[][]) =>
    all(pagesOf(marked, pages(...each.map((rows) => ({ rows }))), since, from, String));

  it('with the newest first end where what is held begins, and go on from the newest', async () => {
    const first = await read('c', null, ['f', 'e'], ['d', 'c'], ['b', 'a']);
    expect(first.map(({ rows, cursor }) => [rows, cursor])).toEqual([
      [['f', 'e'], 'f'],
      [['d', 'c'], 'f'],
    ]);
    const [page] = first;
    expect(['f', 'e', 'd'].map((one) => page?.covers?.(one))).toEqual([true, true, false]);
    expect((await read('b', null, ['f', 'e'], ['d', 'c'], ['b', 'a'])).length).toBe(3);
  });

  it('with the newest first are all read where nothing is held, and cover nothing', async () => {
    const whole = await read(null, null, ['b'], ['a'], []);
    expect(whole).toEqual([
      { rows: ['b'], cursor: 'b' },
      { rows: ['a'], cursor: 'b' },
      { rows: [], cursor: 'b' },
    ]);
    expect((await read('c', null, []))[0]).toMatchObject({ rows: [], cursor: 'c' });
    // What goes on where it was left does not begin with the newest.
    expect((await read('a', 'page 2', ['c'], ['b'])).map(({ cursor }) => cursor)).toEqual([
      null,
      null,
    ]);
  });

  it('without an order come as they are', async () => {
    const given = pages({ rows: [1], next: 'n' });
    expect(await all(pagesOf<number>({}, given, 'since', null, Number))).toEqual([
      { rows: [1], next: 'n' },
    ]);
  });
});

it('a collection is named by what stands for its parameters, whatever that holds', () => {
  for (const keys of [[], ['a'], ['a/b', '', 'ü %2F']])
    expect(keysOf(bucketName('issues', keys))).toEqual(keys);
  expect(bucketName('issues', ['a/b'])).toBe('issues/a%2Fb');
  expect(namesOf('issues/a')).toBe('names of issues/a');
  expect(['10', '9', 'a'].sort(BY_NUMBERS.compare)).toEqual(['9', '10', 'a']);
});

it('the first of rows say that there are more, and where', () => {
  expect(firstOf([1, 2], 2, 'x')).toEqual({ rows: [1, 2], lacking: null });
  expect(firstOf([1, 2, 3], 2, 'look there')).toEqual({
    rows: [1, 2],
    lacking: 'only the first 2 rows; look there',
  });
  expect(firstOf([1, 2, 3], 2, '').lacking).toBe('only the first 2 rows');
});

describe('a table of a store', () => {
  const tableOf = (...columns: TableInput['columns']): Table =>
    tableSchema.parse({ name: 'orders', columns });
  const orders = tableOf(
    { name: 'note', type: 'text' },
    { name: 'line', key: 2 },
    { name: 'id', key: 1, type: 'int', isNullable: false, preset: '7' },
    { name: 'sum', isGenerated: true },
    { name: 'more', takes: 'json' },
  );
  const bare = tableOf({ name: 'a' });

  it('holds every column of a row and no other, by its key in its order, or by its place', () => {
    expect(keyColumns(orders).map(({ name }) => name)).toEqual(['id', 'line']);
    const held = heldOf(orders)({ id: 1, line: 'x', other: 5 }, 3);
    expect(held).toEqual({
      key: '[1,"x"]',
      isKeyed: true,
      row: { note: null, line: 'x', id: 1, sum: null, more: null },
    });
    expect(keyIn(held)).toEqual([1, 'x']);
    expect(heldOf(orders)({}, 3).key).toBe('[null,null]');
    expect(heldOf(bare)({ a: 1 }, 3)).toEqual({ key: '[3]', isKeyed: false, row: { a: 1 } });
    expect(heldSchema.parse(held)).toEqual(held);
  });

  it.each([
    [null, ''],
    [undefined, ''],
    [0, '0'],
    [false, 'false'],
    ['x', 'x'],
    [{ a: [1] }, '{"a":[1]}'],
  ])('shows %o in a cell as %s', (value, cell) => {
    expect(cellOf(value)).toBe(cell);
  });

  it.each([
    [[1, 'a,b'], '1,a%2Cb'],
    [['new'], '%6Eew'],
    [['queries'], '%71ueries'],
    [['search'], '%73earch'],
    [['index.tsv'], 'index%2Etsv'],
    [['news'], 'news'],
  ])('names the row of %o %s, beside what has a name there', (values, name) => {
    expect(rowNameOf(values)).toBe(name);
  });

  it('is written with all that its columns take, and what is computed stays', () => {
    const { form, name, fields } = typeOf(orders);
    expect([form, name]).toEqual(['json', 'row of orders']);
    const about = Object.entries(fields).map(([field, one]) => [field, one.access, one.about]);
    expect(about).toEqual([
      ['note', 'create', 'text'],
      ['line', 'create', 'any value'],
      ['id', 'create', 'int, not null, default 7'],
      ['sum', fields['sum']?.access, 'any value'],
      ['more', 'create', 'any value'],
    ]);
    expect(fields['sum']?.access).not.toBe('create');
    const takes = (field: string, value: unknown) =>
      fields[field]?.schema?.safeParse(value).success;
    for (const value of ['x', 1, true, null]) expect(takes('note', value)).toBe(true);
    expect([takes('note', [1]), takes('more', [1])]).toEqual([false, true]);
    expect(typeOf(bare).fields['a']?.access).toBe(fields['sum']?.access);
  });

  it('keeps its key, and tells of its columns', () => {
    expect(Object.keys(fixedOf(orders))).toEqual(['id', 'line']);
    expect(COLUMNS.rows?.(orders, {} as never)).toEqual([
      ['note', 'text', '', 'yes', '', ''],
      ['line', '', '2', 'yes', '', ''],
      ['id', 'int', '1', '', '', '7'],
      ['sum', '', '', 'yes', 'yes', ''],
      ['more', '', '', 'yes', '', ''],
    ]);
  });
});
