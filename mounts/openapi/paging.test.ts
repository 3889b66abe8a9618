/** How listings go on, by what their parameters and answers are called. */
import { describe, expect, it } from 'vitest';
import type { Query } from '../../src/mount/index.ts';
import { Description } from './description.ts';
import { operationOf } from './operations.ts';
import { pagingOf } from './paging.ts';
import { planOf } from './plan.ts';

const ROWS = Array.from({ length: 7 }, (_, index) => ({ id: `r${index}` }));
const integer = (maximum?: number) => ({ type: 'integer', ...(maximum && { maximum }) });
const text = { type: 'string' };
const list = { type: 'array', items: { type: 'object', properties: { id: text } } };
const within = (more: object) => ({ type: 'object', properties: { data: list, ...more } });
const uri = { type: 'string', format: 'uri' };

interface Case {
  what: string;
  parameters: Readonly<Record<string, object>>;
  answer: object;
  /** What the service answers. */
  give(query: Record<string, string>, size: number): unknown;
  page?: object;
}

const from = (query: Record<string, string>, param: string) => Number(query[param] ?? 0);
const some = (at: number, size: number) => ROWS.slice(at, at + size);
const CASES: readonly Case[] = [
  {
    what: 'pages by number',
    parameters: { page: integer(), per_page: integer(3) },
    answer: list,
    give: (query, size) => some((Number(query['page'] ?? 1) - 1) * size, size),
  },
  {
    what: 'pages from 0',
    parameters: { page: { ...integer(), minimum: 0 }, pageSize: integer(3) },
    answer: list,
    give: (query, size) => some(from(query, 'page') * size, size),
  },
  {
    what: 'an offset, of a service that gives fewer than it is asked for',
    parameters: { offset: integer(), limit: integer() },
    answer: within({}),
    give: (query) => ({ data: some(from(query, 'offset'), 2) }),
  },
  {
    what: 'a cursor in the answer',
    parameters: { cursor: text, limit: integer(3) },
    answer: within({ next_cursor: text }),
    give: (query, size) => {
      const at = from(query, 'cursor');
      return { data: some(at, size), next_cursor: at + size < 7 ? String(at + size) : null };
    },
  },
  {
    what: 'a cursor in an object beside the rows, named as the parameter',
    parameters: { page: text, limit: integer(3) },
    answer: within({ next: { type: 'object', properties: { page: text } } }),
    give: (query, size) => {
      const at = from(query, 'page');
      return { data: some(at, size), ...(at + size < 7 && { next: { page: String(at + size) } }) };
    },
  },
  {
    what: 'the last id',
    parameters: { starting_after: text, limit: integer(3) },
    answer: within({ has_more: { type: 'boolean' } }),
    give: (query, size) => {
      const at = ROWS.findIndex(({ id }) => id === query['starting_after']) + 1;
      return { data: some(at, size), has_more: at + size < 7 };
    },
  },
  {
    what: 'an address in the answer',
    parameters: { limit: integer(3) },
    answer: within({ links: { type: 'object', properties: { next: uri } } }),
    give: (query, size) => {
      const at = from(query, 'at');
      return { data: some(at, size), links: at + size < 7 ? { next: `?at=${at + size}` } : {} };
    },
  },
  {
    what: 'an address that is described and never given: by number',
    parameters: { page: integer(), page_size: integer(3) },
    answer: within({ links: { type: 'object', properties: { next: uri } } }),
    give: (query, size) => ({ data: some((Number(query['page'] ?? 1) - 1) * size, size) }),
  },
  {
    what: 'a date is no cursor, and no offset',
    parameters: {
      from: { type: 'string', format: 'date' },
      since: { type: 'string', format: 'date-time' },
    },
    answer: list,
    give: (query) => (Object.keys(query).length === 0 ? ROWS : []),
  },
  {
    what: 'what hints say',
    parameters: { p: integer(), n: integer() },
    answer: list,
    page: { by: 'page', param: 'p', sizeParam: 'n', size: 3, first: 1 },
    give: (query, size) => some((Number(query['p'] ?? 1) - 1) * size, size),
  },
];

it.each(CASES)('$what: each row once, and an end', ({ parameters, answer, give, page }) => {
  const described = Object.entries(parameters).map(([name, schema]) => ({
    name,
    in: 'query',
    schema,
  }));
  const get = {
    parameters: described,
    responses: { 200: { content: { 'application/json': { schema: answer } } } },
  };
  const description = new Description({ openapi: '3.1.0', paths: { '/rows': { get } } }, 'x');
  const hints = page === undefined ? {} : { collections: { '/rows': { page } } };
  const [plan] = planOf(description, hints as Parameters<typeof planOf>[1]).resources;
  if (plan === undefined) throw new Error('it is not mounted');
  expect(operationOf(description, '/rows', 'get')).not.toBeNull();
  const paging = pagingOf(description, plan, (row) => (row as { id: string }).id);
  const next = paging.begin();
  const ids: string[] = [];
  let query: Query | null = paging.query;
  for (let asked = 0; query !== null; asked++) {
    if (asked > 10) throw new Error('it does not end');
    const given = Object.fromEntries(
      Object.entries(query).map(([name, value]) => [name, String(value)]),
    );
    const data = give(given, 3);
    const rows = Array.isArray(data) ? data : (data as { data: unknown[] }).data;
    ids.push(...rows.map((row) => (row as { id: string }).id));
    const following = next({ data, headers: new Headers(), query });
    query =
      typeof following === 'string'
        ? Object.fromEntries(new URLSearchParams(following))
        : following;
  }
  expect(ids).toEqual(ROWS.map(({ id }) => id));
});

describe('what a listing is asked for', () => {
  type Schema = Record<string, unknown>;
  const string = { type: 'string' };
  function asked(parameters: Record<string, Schema>, answer: Schema = list, page?: object) {
    const get = {
      parameters: Object.entries(parameters).map(([name, schema]) => ({
        name,
        in: 'query',
        schema,
      })),
      responses: { 200: { content: { 'application/json': { schema: answer } } } },
    };
    const description = new Description({ openapi: '3.1.0', paths: { '/rows': { get } } }, 'x');
    const hints = page === undefined ? {} : { collections: { '/rows': { page } } };
    const [plan] = planOf(description, hints as Parameters<typeof planOf>[1]).resources;
    if (plan === undefined) throw new Error('it is not mounted');
    const paging = pagingOf(description, plan, (row) => (row as { id: string }).id);
    const following = (
      data: unknown,
      query: Query = paging.query,
      headers: Record<string, string> = {},
    ) => paging.begin()({ data, headers: new Headers(headers), query });
    return { ...paging, following };
  }

  it.each<[string, Record<string, Schema>, Query]>([
    ['nothing, where all is in one answer', { limit: integer(3) }, {}],
    ['as many as there may be', { page: integer(), per_page: integer(30) }, { per_page: 30 }],
    ['a thousand at most', { page: integer(), per_page: integer(5_000) }, { per_page: 1_000 }],
    [
      'a hundred, where nothing is said',
      { page: integer(), per_page: integer() },
      { per_page: 100 },
    ],
    [
      'as many as are given by default, if those are more',
      { page: integer(), limit: { ...integer(), default: 250 } },
      { limit: 250 },
    ],
    [
      'a hundred, if fewer are given by default',
      { page: integer(), limit: { ...integer(), default: 20 } },
      { limit: 100 },
    ],
    ['no number, where no page has one', { page: integer() }, {}],
    [
      'by the first name that is usual',
      { page: integer(), top: integer(5), limit: integer(7) },
      { limit: 7 },
    ],
    [
      'a number that is one',
      { page: integer(), limit: { ...integer(), maximum: 0 } },
      { limit: 100 },
    ],
  ])('%s', (_what, parameters, query) => {
    expect(asked(parameters).query).toEqual(query);
  });

  it.each<[string, Record<string, Schema>, Schema, string]>([
    ['in one answer', { q: string }, list, 'in one answer'],
    ['by its number', { page: integer() }, list, 'by page page'],
    ['by a page that is a word', { page: string }, list, 'by cursor page'],
    ['by what it skips', { skip: integer() }, list, 'by offset skip'],
    ['by no word that it skips', { start: string }, list, 'in one answer'],
    ['by a cursor', { marker: string }, list, 'by cursor marker'],
    ['by no date', { since: { type: 'string', format: 'date-time' } }, list, 'in one answer'],
    [
      'by its number before what it skips',
      { offset: integer(), page: integer() },
      list,
      'by page page',
    ],
    ['by an address before its number', { page: integer() }, within({ next: uri }), 'by next'],
    ['by an address by its name', { page: integer() }, within({ nextUrl: string }), 'by next'],
    [
      'by an address in an object',
      { page: integer() },
      within({ next: { type: 'object', properties: { href: string } } }),
      'by next',
    ],
    [
      'by an address beside the rows',
      {},
      within({ meta: { type: 'object', properties: { next: string } } }),
      'by next',
    ],
    [
      'by no address deeper than that',
      {},
      within({ other: { type: 'object', properties: { next: uri } } }),
      'in one answer',
    ],
    [
      'by a cursor of its answer that it takes',
      { cursor: string },
      within({ next_cursor: string }),
      'by cursor cursor',
    ],
    ['by no cursor that it does not take', {}, within({ cursor: string }), 'in one answer'],
  ])('%s', (_what, parameters, answer, about) => {
    expect(asked(parameters, answer).about).toBe(about);
  });

  it('goes on by a header, whatever is described, unless it ends', () => {
    const { following } = asked({ page: integer() });
    const link = { link: '<https://x.example/?page=9>; rel="next"' };
    expect(following([], {}, link)).toBe('https://x.example/?page=9');
    const paged = asked({ page: integer(), per_page: integer(3) }, within({}));
    expect(paged.following({ data: ROWS.slice(0, 3) }, { page: 2, per_page: 3 })).toMatchObject({
      page: 3,
    });
    for (const end of [
      { has_more: false },
      { hasNext: false },
      { meta: { more: false } },
      { pageInfo: { hasNextPage: false } },
    ])
      expect(paged.following({ data: ROWS.slice(0, 3), ...end })).toBeNull();
    for (const going of [{ has_more: true }, { has_more: 'no' }, { other: { more: false } }])
      expect(paged.following({ data: ROWS.slice(0, 3), ...going })).not.toBeNull();
    const none = asked({}, list, { by: 'none' });
    expect(none.following([])).toBeNull();
    const linked = asked({ page: integer(), per_page: integer(3) }, list, { by: 'link' });
    expect(linked.following(ROWS.slice(0, 3))).toBeNull();
  });

  it.each<[string, unknown, string | null]>([
    ['its first usual name', { data: [], cursor: 'b', next_cursor: 'a' }, 'a'],
    ['a number', { data: [], next: 7 }, '7'],
    ['an object with an address', { data: [], next: { href: 'c' } }, 'c'],
    ['an object with such a name', { data: [], next: { cursor: 'g', token: 'd' } }, 'g'],
    ['an object with a word', { data: [], next: { token: 'd' } }, 'd'],
    ['the objects around', { data: [], meta: { pagination: { next_token: 'e' } } }, 'e'],
    [
      'no object deeper than that',
      { data: [], meta: { page: { paging: { links: { next: 'f' } } } } },
      null,
    ],
    ['no null', { data: [], next_cursor: null }, null],
    ['no empty word', { data: [], next_cursor: '' }, null],
    ['an address', { data: [], next: '/rows?cursor=9' }, '/rows?cursor=9'],
    ['no list', [], null],
  ])('has its cursor from %s of the answer', (_what, data, wanted) => {
    const { following } = asked({ cursor: string }, within({}));
    const next = following(data);
    expect(next === null || typeof next === 'string' ? next : String(next['cursor'])).toBe(wanted);
  });

  it('has its cursor from where a hint says', () => {
    const hinted = asked({ c: string }, within({}), { by: 'cursor', param: 'c', next: 'a.b' });
    expect(hinted.following({ data: [], a: { b: 'x' }, next: 'y' })).toMatchObject({ c: 'x' });
    const last = asked({ c: string }, within({}), { by: 'cursor', param: 'c', next: 'last' });
    expect(last.following({ data: ROWS, next: 'y' })).toMatchObject({ c: 'r6' });
    expect(last.following({ data: [] })).toBeNull();
  });

  it('counts from the first that is said: by a hint, by default, by the least', () => {
    const of = (schema: Schema, page?: object) =>
      asked({ page: schema, per_page: integer(3) }, list, page).following(ROWS.slice(0, 3), {
        per_page: 3,
      });
    expect(of(integer())).toMatchObject({ page: 2 });
    expect(of({ ...integer(), minimum: 0 })).toMatchObject({ page: 1 });
    expect(of({ ...integer(), minimum: 0, default: 1 })).toMatchObject({ page: 2 });
    expect(of({ ...integer(), default: 1 }, { by: 'page', first: 5 })).toMatchObject({ page: 6 });
    const rows = asked({ offset: integer(), limit: integer(3) });
    expect(rows.following(ROWS.slice(0, 3))).toMatchObject({ offset: 3 });
  });
});
