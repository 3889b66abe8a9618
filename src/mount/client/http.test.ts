/** The line to a service without an SDK: pages, other origins, limits, refusals. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it } from 'vitest';
import { failed } from '../../../test/support/service-failure.ts';
import { HttpClient, type HttpOptions } from './http.ts';
import { byCursor, byLink, byOffset } from './http-pages.ts';

const ROWS = Array.from({ length: 7 }, (_, index) => index);
const NOW = new Date('2026-01-31T10:00:00Z');

type Answers = (request: IncomingMessage, response: ServerResponse, body: string) => unknown;

/** A service that answers so, and what it was asked. */
async function serving(answer: Answers, options: Partial<HttpOptions> = {}) {
  const asked: string[] = [];
  const server = createServer(async (request, response) => {
    let body = '';
    for await (const part of request) body += part;
    const { authorization = '', 'content-type': type = '' } = request.headers;
    asked.push([request.method, request.url, authorization, type, body].join(' ').trim());
    const data = answer(request, response, body);
    if (!response.writableEnded) response.end(JSON.stringify(data ?? {}));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
  const given = { service: 'it', baseUrl, token: 'a-secret-token', now: () => NOW, ...options };
  const client = new HttpClient(given);
  const close = () => server.close();
  return { client, asked, baseUrl, [Symbol.dispose]: close };
}

const from = (request: IncomingMessage, name: string) =>
  Number(new URL(request.url ?? '', 'http://x').searchParams.get(name) ?? 0);

it('pages by Link follow each other, and no page of another origin is asked for', async () => {
  const pages: Answers = (request, response) => {
    const page = from(request, 'page');
    const next = page < 2 ? `</v1/x?page=${page + 1}>; rel="last first", <URL>; rel="next"` : '';
    const whole = `http://${request.headers.host}/v1/x?page=${page + 1}`;
    // Relative, and whole.
    const url = page === 0 ? '?page=1' : whole;
    response.setHeader('link', next.replace('URL', url));
    return ROWS.slice(page * 3, page * 3 + 3);
  };
  using service = await serving(pages);
  const rowsOf = (data: unknown) => data as number[];
  expect(await service.client.rows('x', {}, rowsOf, byLink)).toEqual(ROWS);
  expect(service.asked).toHaveLength(3);
  using away = await serving((_request, response) => {
    response.setHeader('link', '<http://127.0.0.1:9/elsewhere>; rel="next"');
    return [1];
  });
  const refused = await failed(away.client.rows('x', {}, rowsOf, byLink));
  expect([refused.kind, refused.message]).toEqual([
    'protocol',
    expect.stringContaining('not its own'),
  ]);
});

it('pages by cursor and by offset end where they end, and a circle is no listing', async () => {
  using service = await serving((request) => {
    const at = from(request, 'cursor') + from(request, 'offset');
    const rows = ROWS.slice(at, at + 3);
    return { rows, next: at + 3 < ROWS.length ? at + 3 : '' };
  });
  const rowsOf = (data: unknown) => (data as { rows: number[] }).rows;
  const cursor = byCursor((data) => (data as { next: unknown }).next);
  expect(await service.client.rows('x', { limit: 3 }, rowsOf, cursor)).toEqual(ROWS);
  expect(await service.client.rows('x', {}, rowsOf, byOffset(rowsOf, 3))).toEqual(ROWS);
  expect(service.asked[1]).toContain('limit=3&cursor=3');
  const circle = byCursor(() => 'again');
  expect((await failed(service.client.rows('x', {}, rowsOf, circle))).message).toContain('circle');
});

it('every method goes out with the token and a body in the service’s form', async () => {
  using json = await serving(() => ({ made: true }));
  const body = { a: 1, b: undefined };
  expect(await json.client.send({ method: 'PUT', url: 'x', body })).toEqual({ made: true });
  expect(json.asked).toEqual(['PUT /v1/x Bearer a-secret-token application/json {"a":1}']);
  const own = {
    encoding: 'form',
    authorization: (token: string) => ({ authorization: `key ${token}` }),
  } as const;
  using form = await serving((_request, response) => response.writeHead(204).end(), own);
  expect(await form.client.send({ method: 'DELETE', url: 'x', body })).toBeNull();
  expect(form.asked).toEqual([
    'DELETE /v1/x key a-secret-token application/x-www-form-urlencoded a=1',
  ]);
});

it.each([
  ['7', '10:00:07'],
  ['Sat, 31 Jan 2026 10:02:00 GMT', '10:02:00'],
  ['soon', '10:01:00'],
])('Retry-After: %s closes that limit until then, and no other', async (after, until) => {
  using service = await serving(
    (request, response) => {
      if (!request.url?.includes('limited')) return {};
      return response.writeHead(429, { 'retry-after': after }).end('{}');
    },
    { limitOf: (path) => path },
  );
  const { client, asked } = service;
  const refused = await failed(client.get('limited'));
  expect([refused.kind, refused.message]).toEqual(['limited', expect.stringContaining(until)]);
  expect((await failed(client.get('limited'))).message).toContain('no request was sent');
  await client.get('other');
  expect(asked).toHaveLength(2);
});

it('what is left of a limit is known by its headers, as a span or as a time', async () => {
  const reset = ['30', String(NOW.getTime() / 1000 + 30)];
  for (const [index, name] of ['ratelimit', 'x-ratelimit'].entries()) {
    using service = await serving((_request, response) => {
      response.setHeader(`${name}-limit`, '100');
      response.setHeader(`${name}-remaining`, '5');
      response.setHeader(`${name}-reset`, reset[index] ?? '');
    });
    await service.client.get('x');
    const resetAt = new Date(NOW.getTime() + 30_000);
    expect(service.client.allowance).toEqual({ limit: 100, remaining: 5, resetAt });
    expect(service.client.isLow).toBe(true);
  }
});

it.each([
  [400, 'invalid', { message: 'no such field' }, 'no such field'],
  [422, 'invalid', { error: { message: 'too long' } }, 'too long'],
  [401, 'auth', 'not json', 'check the token'],
  [409, 'invalid', {}, '409'],
  [500, 'server', { message: 'internals' }, 'try again later'],
])(
  'a write that is refused with %i is %s, in the service’s own words',
  async (status, kind, body, words) => {
    using service = await serving((_request, response) =>
      response.writeHead(status).end(typeof body === 'string' ? body : JSON.stringify(body)),
    );
    const refused = await failed(service.client.send({ method: 'POST', url: 'x', body: {} }));
    expect([refused.kind, refused.message]).toEqual([kind, expect.stringContaining(words)]);
    // A refusal is certain, a failure of the service is not.
    expect(refused.uncertain).toBe(status === 500);
    expect(service.asked).toHaveLength(1);
  },
);

it('a service that is down while something is written leaves it uncertain, and is waited for', async () => {
  using service = await serving((_request, response) =>
    response.writeHead(503, { 'retry-after': '5' }).end(),
  );
  const refused = await failed(service.client.send({ method: 'POST', url: 'x', body: {} }));
  expect([refused.kind, refused.uncertain]).toEqual(['server', true]);
  expect((await failed(service.client.get('x'))).message).toContain('no request was sent');
});
