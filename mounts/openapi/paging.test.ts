/** How listings go on, by what their parameters and answers are called. */
import { expect, it } from 'vitest';
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
