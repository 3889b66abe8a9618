/** The line to a service of GraphQL: refusals with a good status, limits, what was done in part. */
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { expect, it } from 'vitest';
import { Renewable } from '../../credentials/credential.ts';
import { ServiceFailure } from './failure.ts';
import { GraphqlClient, type GraphqlOptions, mutation } from './graphql.ts';
import { rootFields } from './graphql-answers.ts';

const NOW = new Date('2026-01-31T10:00:00Z');
const TOKEN = 'a-token-that-is-secret';

type Answers = (response: ServerResponse, body: { query: string }) => unknown;

/** A service that answers so, and what it was asked. */
async function serving(answer: Answers, options: Partial<GraphqlOptions> = {}) {
  const asked: string[] = [];
  const server = createServer(async (request, response) => {
    const body = (await json(request)) as { query: string };
    asked.push(`${request.headers.authorization} ${body.query}`);
    const data = answer(response, body);
    if (!response.writableEnded) response.end(JSON.stringify(data));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const client = new GraphqlClient({
    service: 'the shop',
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/graphql`,
    token: TOKEN,
    now: () => NOW,
    kindOf: ({ extensions: { code } }) => KINDS[String(code)],
    ...options,
  });
  const close = () => server.close();
  return { client, asked, [Symbol.dispose]: close };
}

const KINDS: Record<string, ServiceFailure['kind']> = {
  UNAUTHENTICATED: 'auth',
  NOT_FOUND: 'missing',
  BAD_USER_INPUT: 'invalid',
  THROTTLED: 'limited',
};
const refusing = (code: string, message = 'No.') => ({
  data: null,
  errors: [{ message, extensions: { code } }],
});

const failed = async (work: Promise<unknown>): Promise<ServiceFailure> => {
  const error = await work.then(
    () => null,
    (thrown: unknown) => thrown,
  );
  if (error instanceof ServiceFailure) return error;
  throw new Error('it did not fail as a service');
};

it.each([
  [200, 'UNAUTHENTICATED', 'auth', 'the shop refused the key: check SHOP_TOKEN'],
  [200, 'BAD_USER_INPUT', 'invalid', 'the shop answered: No.'],
  [200, 'ODD', 'protocol', 'the shop answered: No.'],
  [403, 'ODD', 'forbidden', 'the shop answered: No.'],
  [400, 'THROTTLED', 'limited', 'the shop answered THROTTLED, its limit of requests is used up'],
] as const)('an error with status %i and the word %s is %s', async (status, code, kind, says) => {
  using service = await serving(
    (response) => {
      response.statusCode = status;
      return refusing(code);
    },
    { variable: 'SHOP_TOKEN' },
  );
  const refused = await failed(service.client.ask('{ shop }', {}));
  expect(refused).toMatchObject({ kind, status });
  expect(refused.message).toContain(says);
  expect(service.asked).toEqual([`Bearer ${TOKEN} { shop }`]);
});

it('what is not there is nothing to whoever looks for it; what failed is asked for again, a change is not', async () => {
  using service = await serving((response, { query }) => {
    if (query.includes('product')) return refusing('NOT_FOUND');
    response.statusCode = 502;
    response.end('<html>bad gateway</html>');
    return undefined;
  });
  const { client, asked } = service;
  expect(await client.find('{ product }', 'product', {})).toBeUndefined();
  expect((await failed(client.ask('{ shop }', {}))).message).toContain('answered 502; try again');
  expect(asked.splice(0)).toHaveLength(4);
  expect((await failed(client.send(mutation('mutation { buy }', {})))).kind).toBe('server');
  expect(asked).toHaveLength(1);
});

it('a limit of some questions keeps back these alone, until the time that was named', async () => {
  using service = await serving(
    (response, { query }) => {
      if (!query.includes('search')) return { data: { shop: 1 } };
      response.statusCode = 429;
      response.setHeader('retry-after', '30');
      response.end('slow down');
      return undefined;
    },
    { limits: { search: { service: "the shop's search" } } },
  );
  const { client, asked } = service;
  const search = () => client.ask('{ search }', {}, 'search');
  expect(await failed(search())).toMatchObject({ kind: 'limited', status: 429 });
  expect((await failed(search())).message).toContain(
    "the shop's search asked us to wait: try again after 10:00:30 UTC",
  );
  expect((await client.ask('{ shop }', {})).data).toEqual({ shop: 1 });
  expect(asked).toHaveLength(2);
});

it('a refusal of a change of several fields may have come after the first, and no refusal repeats the token', async () => {
  const token = Buffer.from(`x:${TOKEN}`).toString('base64');
  using service = await serving(() => refusing('BAD_USER_INPUT', `not with ${TOKEN} or ${token}`));
  const send = (query: string) => failed(service.client.send(mutation(query, {})));
  const one = await send('mutation A($id: ID!) { gone: remove(id: $id) { ok { at } } }');
  expect(one).toMatchObject({ kind: 'invalid', uncertain: false });
  const two = await send('mutation { a: remove(id: 1) { ok } b: remove(id: 2) { ok } }');
  expect(two).toMatchObject({ kind: 'protocol', uncertain: true });
  for (const text of [TOKEN, token]) expect(`${one} ${two}`).not.toContain(text);
});

it('without a token nothing is asked where it is known where that should be', async () => {
  using service = await serving(() => ({ data: {} }), { token: undefined, variable: 'SHOP_TOKEN' });
  const refused = await failed(service.client.ask('{ shop }', {}));
  expect(refused).toMatchObject({ kind: 'auth', unsent: true });
  expect(refused.message).toContain('set SHOP_TOKEN');
  expect(service.asked).toEqual([]);
});

it('fields of a root are counted whatever their arguments, aliases and selections have', () => {
  const document = `mutation Two($x: In! = { a: "}" }) {
    first: put(in: { a: "(", b: [1] }) @include(if: $x) { ok { at } }
    second(in: $x) { ok }
  }
  fragment f on T { a b c }`;
  expect(rootFields(document)).toBe(2);
  expect(rootFields('{ viewer { id } }')).toBe(1);
});

it('a client of the service’s own sends: what it was answered, renewed once, cut off, or without data', async () => {
  const tokens: (string | undefined)[] = [];
  const reply = (status: number, said: unknown) => ({ status, headers: new Headers(), said });
  const answers = [
    () => reply(401, refusing('UNAUTHENTICATED', `not ${TOKEN}`)),
    () => reply(200, { data: { shop: `of ${TOKEN}2` } }),
    () => reply(200, { error: '<html>' }),
    () => reply(307, {}),
    () => {
      throw new SyntaxError('Unexpected end of JSON input');
    },
  ];
  const held = { value: TOKEN, expiresAt: null };
  using service = await serving(() => ({ data: {} }), {
    credential: new Renewable(held, async () => ({ ...held, value: `${TOKEN}2` })),
    transport: async (_query, _variables, { token }) => {
      tokens.push(token);
      return (answers.shift() ?? (() => reply(200, { data: {} })))();
    },
  });
  const { client, asked } = service;
  expect((await client.ask('{ shop }', {})).data).toEqual({ shop: 'of [redacted]' });
  expect(tokens).toEqual([TOKEN, `${TOKEN}2`]);
  expect(await failed(client.find('{ shop }', 'shop', {}))).toMatchObject({ kind: 'protocol' });
  const redirected = await failed(client.send(mutation('mutation { buy }', {})));
  expect(redirected).toMatchObject({ kind: 'protocol', status: 307, uncertain: false });
  const cut = await failed(client.send(mutation('mutation { buy }', {})));
  expect(cut).toMatchObject({ kind: 'network', uncertain: true });
  expect(client.usage().requests).toBe(5);
  expect(asked).toEqual([]);
});
