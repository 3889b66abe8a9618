/** What answers of services say of themselves: refusals, limits, how a listing goes on. */
import { describe, expect, it } from 'vitest';
import { ServiceFailure } from './failure.ts';
import {
  dataOf,
  failureOfStatus,
  type GraphqlReply,
  inPart,
  type RefusedAnswer,
  replyOf,
} from './graphql-answers.ts';
import { allowanceOf, refusalOf, retryAfter } from './http-answers.ts';
import {
  byCursor,
  byLink,
  byOffset,
  foundIn,
  type Page,
  placeSchema,
  type Query,
} from './http-pages.ts';

const NOW = new Date('2026-01-31T10:00:00Z');
const later = (s: number) => new Date(NOW.getTime() + s * 1000);

it.each([
  ['0', 0],
  ['7', 7],
  [' 7 ', 7],
  ['1.5', 1.5],
  ['-3', 0],
  ['Sat, 31 Jan 2026 10:02:00 GMT', 120],
  ['', 60],
  ['soon', 60],
  [null, 60],
])('Retry-After: %s is in %d s', (text, seconds) => {
  const headers = new Headers(text === null ? {} : { 'retry-after': text });
  expect(retryAfter(headers, NOW)).toEqual(later(seconds));
});

it.each([
  ['30', later(30)],
  ['10000000', later(10_000_000)],
  ['10000001', new Date(10_000_001_000)],
  [String(NOW.getTime() / 1000 + 9), later(9)],
])('a limit that is new at %s is new at a time', (reset, resetAt) => {
  const said = { 'ratelimit-limit': '100', 'ratelimit-remaining': '0', 'ratelimit-reset': reset };
  expect(allowanceOf(new Headers(said), NOW)).toEqual({ limit: 100, remaining: 0, resetAt });
  const both = { ...said, 'x-ratelimit-limit': '50' };
  expect(allowanceOf(new Headers(both), NOW)?.limit).toBe(50);
  for (const name of Object.keys(said))
    for (const odd of ['', 'many'])
      expect(allowanceOf(new Headers({ ...said, [name]: odd }), NOW)).toBeNull();
});

const HIDDEN = ': there is no such thing, or it may not be seen';

describe('a refusal by status', () => {
  it.each([
    [400, 'invalid', ''],
    [401, 'auth', ': check the token'],
    [403, 'forbidden', ''],
    [404, 'missing', HIDDEN],
    [409, 'invalid', ''],
    [410, 'gone', HIDDEN],
    [412, 'invalid', ''],
    [418, 'protocol', ''],
    [422, 'invalid', ''],
    [499, 'protocol', ''],
    [500, 'server', '; try again later'],
    [502, 'server', '; try again later'],
  ])('%i is %s, and ends%s where it has no words', (status, kind, end) => {
    for (const body of ['<html>', '', '{}', '{"message":""}', '{"message":7}', '[]'])
      expect(refusalOf('it', status, body)).toMatchObject({
        kind,
        status,
        message: `it answered ${status}${end}`,
      });
    const said = refusalOf('it', status, '{"message":"because"}').message;
    expect(said.endsWith(': because')).toBe(status < 500);
  });

  it.each([
    [{ message: 'a', detail: 'b' }, 'b'],
    [{ message: 'a', error: 'b' }, 'a'],
    [{ error: 'invalid_grant', error_description: 'expired' }, 'expired'],
    [{ error: 'code' }, 'code'],
    [{ error: { message: 'inner', code: 7 } }, 'inner'],
    [{ message: 'w'.repeat(301) }, 'w'.repeat(300)],
  ])('of %o says the most that it says for people', (body, words) => {
    const { message } = refusalOf('it', 400, JSON.stringify(body));
    expect(message).toBe(`it answered 400: ${words}`);
  });
});

describe('a listing goes on', () => {
  const page = (data: unknown, query: Query = {}, link = ''): Page => ({
    data,
    query,
    headers: new Headers({ link }),
  });

  it.each([
    ['', null],
    ['<a?p=2>; rel="next"', 'a?p=2'],
    ['<a?p=1>; rel="prev", <a?p=3>; rel="next"', 'a?p=3'],
    ['<a?p=1>; rel="prev"', null],
  ])('by Link: %s to %s', (link, next) => {
    expect(byLink(page([], {}, link))).toBe(next);
  });

  it.each([
    ['', null],
    [undefined, null],
    [null, null],
    [true, null],
    ['c', { limit: 2, cursor: 'c' }],
    [0, { limit: 2, cursor: 0 }],
  ])('by the cursor %o with %o', (next, query) => {
    expect(byCursor('meta.next')(page({ meta: { next } }, { limit: 2 }))).toEqual(query);
  });

  it('by a cursor in the parameter that the service has for it', () => {
    const next = byCursor((data) => data, 'after');
    expect(next(page('c', { after: 'b' }))).toEqual({ after: 'c' });
  });

  it.each([
    [{}, 3, {}, { offset: 3 }],
    [{}, 3, { offset: 6 }, { offset: 9 }],
    [{}, 2, {}, null],
    [{}, 0, {}, null],
    [{}, 4, {}, { offset: 4 }],
    [{ isCapped: true }, 2, { offset: 3 }, { offset: 5 }],
    [{ isCapped: true }, 0, { offset: 3 }, null],
    [{ of: 'pages', param: 'page' }, 3, {}, { page: 2 }],
    [{ of: 'pages', param: 'page' }, 3, { page: 2 }, { page: 3 }],
    [{ of: 'pages', param: 'page', first: 0 }, 3, {}, { page: 1 }],
    [{ first: 1 }, 3, {}, { offset: 4 }],
  ] as const)('by counting %o: after %i of 3 rows at %o comes %o', (how, rows, query, next) => {
    const data = Array.from({ length: rows }, () => 'row');
    expect(byOffset((all) => all as string[], 3, how)(page(data, query))).toEqual(next);
  });

  it('from where it was left, as it was kept', () => {
    for (const place of [
      { at: 'https://x/?p=2', query: {} },
      { at: null, query: { a: 'b', c: 1, d: false } },
    ])
      expect(placeSchema.parse(JSON.parse(JSON.stringify(place)))).toEqual(place);
    expect(placeSchema.safeParse({ at: 7, query: {} }).success).toBe(false);
  });

  it.each([
    [{ a: { b: [1] } }, 'a.b', [1]],
    [{ a: null }, 'a.b', undefined],
    [{ a: 'text' }, 'a.length', undefined],
    [{}, 'constructor', undefined],
    [[5], '0', 5],
    [undefined, 'a', undefined],
  ])('with what is found in %o at %s', (data, where, found) => {
    expect(foundIn(data, where)).toEqual(found);
  });
});

describe('an answer of GraphQL', () => {
  const KINDS = { GONE: 'missing', LIMIT: 'limited', NO: 'invalid', KEY: 'auth' } as const;
  const refused: RefusedAnswer = {
    service: 'Shop',
    now: NOW,
    changes: false,
    allowance: null,
    variable: 'SHOP_KEY',
    kindOf: ({ extensions: { code } }) => KINDS[code as keyof typeof KINDS],
  };
  const reply = (said: unknown, status = 200, headers = {}): GraphqlReply => ({
    said,
    status,
    headers: new Headers(headers),
  });
  const error = (code: string, path: (string | number)[] | null = null, message = 'No.') => ({
    message,
    path,
    extensions: { code },
  });
  const failure = (answered: GraphqlReply, more: Partial<RefusedAnswer> = {}) => {
    try {
      dataOf(answered, { ...refused, ...more });
    } catch (thrown) {
      if (thrown instanceof ServiceFailure) return thrown;
    }
    throw new Error('it was not refused');
  };

  it('is its data, whatever stands beside them', () => {
    const data = { shop: { name: 'x' }, other: null, list: [1], count: 3 };
    for (const errors of [undefined, null, []])
      expect(dataOf(reply({ data, errors, extensions: {} }), refused)).toEqual(data);
  });

  it('without data or errors is none', () => {
    for (const said of [{}, { data: null }, [], 'text', null])
      expect(failure(reply(said))).toMatchObject({
        kind: 'protocol',
        message: expect.stringContaining("Shop's answer for a question"),
      });
  });

  it.each([
    [{ data: { shop: {}, cart: null }, errors: [error('GONE', ['cart'])] }, false, 'missing'],
    [{ data: { shop: {}, cart: null }, errors: [error('GONE', ['shop', 0])] }, false, 'protocol'],
    [{ data: { shop: {} }, errors: [error('GONE')] }, false, 'protocol'],
    [{ data: { shop: null }, errors: [error('GONE')] }, false, 'missing'],
    [{ data: { shop: {} }, errors: [error('NO', ['shop'])] }, false, 'invalid'],
    [{ data: { buy: {}, pay: null }, errors: [error('NO', ['pay'])] }, true, 'protocol'],
    [{ data: { buy: null }, errors: [error('NO', ['buy'])] }, true, 'invalid'],
    [{ data: 'odd', errors: [error('NO')] }, true, 'invalid'],
    [{ errors: ['odd'] }, true, 'protocol'],
    [{ errors: [{}] }, false, 'protocol'],
  ])('%o, to a change: %s, failed as %s', (said, changes, kind) => {
    expect(failure(reply(said), { changes }).kind).toBe(kind);
  });

  it.each([
    [
      error('GONE'),
      200,
      'Shop answered that there is no such thing, or the key may not see it (No.)',
    ],
    [error('NO', null, ' a \n  b '), 400, 'Shop answered: a b'],
    [error('NO', null, ''), 200, 'Shop answered: an error without words'],
    [error('NO', null, 'w'.repeat(301)), 200, `Shop answered: ${'w'.repeat(300)}`],
    [error('KEY'), 200, 'Shop refused the key: check SHOP_KEY'],
    [error('NO'), 500, 'Shop answered 500; try again later'],
    [error('ODD'), 422, 'Shop answered: No.'],
    [
      error('LIMIT'),
      200,
      'Shop answered LIMIT, its limit of requests is used up: try again after 10:01:00 UTC (in 60 s)',
    ],
    [
      error('NO'),
      429,
      'Shop answered NO, its limit of requests is used up: try again after 10:01:00 UTC (in 60 s)',
    ],
  ])('with the error %o and status %i says: %s', (one, status, message) => {
    expect(failure(reply({ errors: [one] }, status))).toMatchObject({ message, status });
  });

  it('of an error that only its status tells is of that status, but never absent', () => {
    const kinds = [399, 400, 403, 404, 410].map(
      (status) => failure(reply({ errors: [error('ODD')] }, status)).kind,
    );
    expect(kinds).toEqual(['protocol', 'invalid', 'forbidden', 'protocol', 'protocol']);
  });

  it('says what the service has for people, and refuses in a payload of its own', () => {
    const says = ({ extensions }: { extensions: Record<string, unknown> }) => `${extensions.code}!`;
    expect(failure(reply({ errors: [error('NO')] }), { says }).message).toBe('Shop answered: NO!');
    const payloads = ({ errors }: Readonly<Record<string, unknown>>) =>
      errors === undefined ? null : ({ kind: 'invalid', message: 'too dear' } as const);
    const said = { data: { a: 7, b: null, c: {}, d: { errors: [1] } } };
    expect(failure(reply(said), { refused: payloads })).toMatchObject({
      kind: 'invalid',
      status: 200,
      message: 'Shop answered: too dear',
    });
    expect(
      dataOf(reply({ data: { a: 7, c: {} } }), { ...refused, refused: payloads }),
    ).toBeTruthy();
  });

  it.each([
    [300, true],
    [302, true],
    [303, false],
    [399, true],
  ])('with status %i is a redirect that was not followed; unsent: %s', (status, unsent) => {
    expect(failure(reply('', status))).toMatchObject({
      kind: 'protocol',
      status,
      unsent,
      message: expect.stringContaining('a redirect'),
    });
  });

  it('that is limited is waited for as long as the service says, by its header before its allowance', () => {
    const allowance = { limit: 1, remaining: 0, resetAt: later(300) };
    const until = (headers: object, told: typeof allowance | null) =>
      failureOfStatus({ ...reply('', 429, headers) }, { ...refused, allowance: told }).retryAt;
    expect(until({}, null)).toEqual(later(60));
    expect(until({}, allowance)).toEqual(later(300));
    expect(until({ 'retry-after': '5' }, allowance)).toEqual(later(5));
  });

  it('by its status alone is of the key, of the endpoint, or of the service', () => {
    const kinds = [401, 403, 404, 500].map((status) => failure(reply('<html>', status)));
    expect(kinds.map(({ kind }) => kind)).toEqual(['auth', 'forbidden', 'protocol', 'server']);
    expect(failureOfStatus(reply('', 404), refused).kind).toBe('missing');
    const unnamed = failureOfStatus(reply('', 401), { ...refused, variable: undefined } as never);
    expect(unnamed.message).toBe('Shop refused the key: check the token');
  });

  it('that was carried out in part is uncertain, unless it is so already, or was never sent', () => {
    const limited = new ServiceFailure('limited', 'wait', { status: 429, retryAt: NOW });
    const part = inPart(limited);
    expect(part).toMatchObject({
      kind: 'protocol',
      uncertain: true,
      message: 'wait',
      status: 429,
      retryAt: NOW,
      cause: limited,
    });
    for (const same of [part, new ServiceFailure('auth', 'x', { unsent: true })])
      expect(inPart(same)).toBe(same);
  });

  it('is read as JSON, or else as the text that it is', async () => {
    expect(await replyOf(new Response('{"a":1}', { status: 201 }))).toMatchObject({
      status: 201,
      said: { a: 1 },
    });
    expect((await replyOf(new Response('<html>'))).said).toBe('<html>');
  });
});
