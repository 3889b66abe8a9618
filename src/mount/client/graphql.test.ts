/** The line to a service of GraphQL: refusals with a good status, limits, what was done in part. */
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { expect, it } from 'vitest';
import { failed } from '../../../test/support/service-failure.ts';
import { Renewable } from '../../credentials/credential.ts';
import type { ServiceFailure } from './failure.ts';
import { GraphqlClient, type GraphqlOptions, mutation } from './graphql.ts';
import { hasOneField } from './graphql-answers.ts';

const NOW = new Date('2026-01-31T10:00:00Z');
const TOKEN = 'a-token-that-is-secret';

type Asked = { query: string };
type Answers = (response: ServerResponse, body: Asked) => unknown;

/** A service that answers so, and what it was asked. */
async function serving(answer: Answers, options: Partial<GraphqlOptions> = {}) {
  const asked: string[] = [];
  const server = createServer(async (request, response) => {
    const isFile = request.method === 'GET';
    const body = isFile ? { query: `${request.url}` } : ((await json(request)) as Asked);
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
  return { client, asked, server, [Symbol.dispose]: close };
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

/** An answer of a status with a page or with data. */
const answering =
  (status: number, said: unknown): Answers =>
  (response) => {
    response.statusCode = status;
    if (typeof said === 'string') response.end(said);
    return said;
  };

/** A credential that another one is given for once it is refused. */
const renewable = () => {
  const held = { value: TOKEN, expiresAt: null };
  return new Renewable(held, async () => ({ ...held, value: `${TOKEN}2` }));
};

it.each([
  [200, 'UNAUTHENTICATED', 'auth', 'the shop refused the key: check SHOP_TOKEN'],
  [200, 'BAD_USER_INPUT', 'invalid', 'the shop answered: No.'],
  [200, 'ODD', 'protocol', 'the shop answered: No.'],
  [403, 'ODD', 'forbidden', 'the shop answered: No.'],
  [400, 'THROTTLED', 'limited', 'the shop answered THROTTLED, its limit of requests is used up'],
  [404, 'ODD', 'protocol', 'the shop answered: No.'],
  [500, 'UNAUTHENTICATED', 'server', 'the shop answered 500; try again later'],
  [500, 'NOT_FOUND', 'server', 'the shop answered 500; try again later'],
  [500, 'THROTTLED', 'limited', 'the shop answered THROTTLED, its limit of requests is used up'],
] as const)('an error with status %i and the word %s is %s', async (status, code, kind, says) => {
  using service = await serving(answering(status, refusing(code)), { variable: 'SHOP_TOKEN' });
  const refused = await failed(service.client.ask('{ shop }', {}));
  expect(refused).toMatchObject({ kind, status });
  expect(refused.message).toContain(says);
  expect(service.asked).toEqual([`Bearer ${TOKEN} { shop }`]);
});

const ODD = { message: null, extensions: null };

it.each([
  [404, '<html>\nnot here', 'protocol', 'the shop answered 404 to a question: check its address'],
  [410, { message: 'Gone.' }, 'protocol', 'the shop answered 410 to a question'],
  [401, '<html>\nwho is it?', 'auth', 'the shop refused the key: check SHOP_TOKEN'],
  [503, refusing('UNAUTHENTICATED'), 'server', 'the shop answered 503; try again later'],
  [200, { data: { buy: {} }, errors: [ODD] }, 'protocol', 'answered: an error without words'],
  [200, { data: { buy: {} }, errors: ['No.'] }, 'protocol', 'answered: an error without words'],
  [200, { data: { buy: {} }, errors: {} }, 'protocol', 'is not what was expected (errors:'],
] as const)('a change is not done by a %i of %j: it is %s', async (status, said, kind, says) => {
  using service = await serving(answering(status, said), { variable: 'SHOP_TOKEN' });
  const refused = await failed(service.client.send(mutation('mutation { buy }', {})));
  expect(refused).toMatchObject({ kind, uncertain: kind !== 'auth' });
  expect(refused.message).toContain(says);
  expect(refused.message).not.toContain('\n');
  expect(service.asked).toHaveLength(1);
});

it.each(['UNAUTHENTICATED', 'BAD_USER_INPUT', 'NOT_FOUND', 'THROTTLED'])(
  'what was carried out is not sent again, nor taken for refused, for an error of %s beside it',
  async (code) => {
    const said = { data: { buy: { ok: true }, pay: null } };
    const error = { message: 'No.', extensions: { code } };
    for (const path of [['buy', 'receipt', 0], ['pay'], undefined]) {
      using service = await serving(() => ({ ...said, errors: [{ ...error, path }] }), {
        credential: renewable(),
      });
      const refused = await failed(service.client.send(mutation('mutation { buy pay }', {})));
      expect(refused).toMatchObject({ kind: 'protocol', uncertain: true });
      expect(service.asked).toHaveLength(1);
    }
  },
);

it('of a question, an error below a field does not tell that the field is not there; a key is renewed', async () => {
  const shop = { name: null };
  const answers = [
    { data: { shop }, errors: [{ path: ['shop', 'name'], ...refusing('NOT_FOUND').errors[0] }] },
    { data: { shop: null }, errors: [{ path: ['shop'], ...refusing('NOT_FOUND').errors[0] }] },
    {
      data: { shop },
      errors: [{ path: ['shop', 'name'], ...refusing('UNAUTHENTICATED').errors[0] }],
    },
    { data: { shop } },
  ];
  using service = await serving(() => answers.shift(), { credential: renewable() });
  const find = () => service.client.find('{ shop { name } }', 'shop', {});
  expect(await failed(find())).toMatchObject({ kind: 'protocol' });
  expect(await find()).toBeUndefined();
  expect(await find()).toEqual(shop);
  expect(service.asked.at(-1)).toContain(`${TOKEN}2`);
});

it('a limit of files keeps back files alone, and their refusals name the variable', async () => {
  let status = 429;
  using service = await serving(
    (response, { query }) => {
      if (!query.startsWith('/')) return { data: { shop: 1 } };
      response.statusCode = status;
      response.setHeader('retry-after', '30');
      response.end('<html>');
      return undefined;
    },
    { variable: 'SHOP_TOKEN' },
  );
  const { client, asked, server } = service;
  const { port } = server.address() as AddressInfo;
  const bytes = () => failed(client.bytes(`http://127.0.0.1:${port}/logo.png`));
  status = 401;
  expect((await bytes()).message).toBe('the shop refused the key: check SHOP_TOKEN');
  status = 429;
  const retryAt = new Date(NOW.getTime() + 30_000);
  expect(await bytes()).toMatchObject({ kind: 'limited', status: 429, retryAt });
  expect((await bytes()).message).toContain('try again after 10:00:30 UTC');
  expect((await client.ask('{ shop }', {})).data).toEqual({ shop: 1 });
  expect(asked).toHaveLength(3);
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

it.each([
  ['THROTTLED', 'limited'],
  ['UNAUTHENTICATED', 'auth'],
])('a refusal of a change of several fields by %s is of all of them', async (code, kind) => {
  using service = await serving(() => refusing(code));
  const several = mutation('mutation { a: remove(id: 1) { ok } b: remove(id: 2) { ok } }', {});
  expect(await failed(service.client.send(several))).toMatchObject({ kind, uncertain: false });
});

it('without a token nothing is asked where it is known where that should be', async () => {
  using service = await serving(() => ({ data: {} }), { token: undefined, variable: 'SHOP_TOKEN' });
  const refused = await failed(service.client.ask('{ shop }', {}));
  expect(refused).toMatchObject({ kind: 'auth', unsent: true });
  expect(refused.message).toContain('set SHOP_TOKEN');
  expect(service.asked).toEqual([]);
});

it.each([
  [true, '{ viewer { id } }'],
  [true, 'mutation A($x: In! = { a: "}" }) { put(in: { a: "(", b: [$x] }) { ok { at } } }'],
  [true, 'fragment f on T { a b } mutation { put { ...f } }'],
  [false, 'mutation { first: put(in: 1) @include(if: $x) { ok } second(in: $x) { ok } }'],
  [false, 'fragment f on T { a } mutation { put { ...f } take { ...f } }'],
  [false, 'mutation { ...both } fragment both on Mutation { put take }'],
  [false, 'mutation { ... on Mutation { put take } }'],
  [false, '# once }\nmutation { put # twice }\n take }'],
  [false, 'mutation { put'],
])('that it has one field is %s of %s', async (isOne, document) => {
  expect(await hasOneField(document)).toBe(isOne);
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
  using service = await serving(() => ({ data: {} }), {
    credential: renewable(),
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
