/** Keys and bodies stay with the origin that they were sent to, whatever it answers. */
import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { generateText } from 'ai';
import { describe, expect, onTestFinished, test } from 'vitest';
import { GithubClient } from '../../mounts/github/client.ts';
import { LinearClient } from '../../mounts/linear/client.ts';
import { NotionClient } from '../../mounts/notion/client.ts';
import { KNOWN_PROVIDERS, knownModel } from '../../src/agent/providers.ts';
import { fetchWithinOrigin } from '../../src/mount/client/redirects.ts';
import { HttpClient, ServiceFailure } from '../../src/mount/index.ts';
import { createSdkEmbedder } from '../../src/search/embedding/sdk-embedder.ts';

const SECRET = 'a-key-that-is-secret';
const TEXT = 'a text that is secret';
const STATUSES = [301, 302, 303, 307, 308];

interface Heard {
  method: string;
  url: string;
  headers: IncomingMessage['headers'];
  body: string;
}

/** A server that answers by a function, and what it heard. */
async function serving(answer: (heard: Heard) => [status: number, location?: string]) {
  const heard: Heard[] = [];
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const { method = '', url = '', headers } = request;
    const one = { method, url, headers, body: Buffer.concat(chunks).toString() };
    heard.push(one);
    const [status, location] = answer(one);
    response.writeHead(status, {
      'content-type': 'application/json',
      ...(location === undefined ? {} : { location }),
    });
    response.end('{"ok":true}');
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, heard };
}

/** A service that sends whoever asks to another port of the machine. */
async function redirecting(status: number) {
  const elsewhere = await serving(() => [200]);
  const service = await serving(() => [status, `${elsewhere.url}/stolen`]);
  return { url: service.url, asked: service.heard, stolen: elsewhere.heard };
}

const now = (): Date => new Date();

type Act = (url: string) => Promise<unknown>;

const CLIENTS: Record<string, Act> = {
  'the mount kit reads': (url) =>
    new HttpClient({ service: 'it', baseUrl: url, headers: { 'x-api-key': SECRET }, now }).get('x'),
  'GitHub reads': (url) => new GithubClient({ token: SECRET, baseUrl: url, now }).get('/x'),
  'GitHub writes': (url) =>
    new GithubClient({ token: SECRET, baseUrl: url, now }).send({
      method: 'PATCH',
      url: '/x',
      body: { text: TEXT },
    }),
  'GitHub creates': (url) =>
    new GithubClient({ token: SECRET, baseUrl: url, now }).send({
      method: 'POST',
      url: '/x',
      body: { text: TEXT },
    }),
  'GitHub asks in GraphQL': (url) =>
    new GithubClient({ token: SECRET, baseUrl: url, now }).query(TEXT, {}),
  'Linear reads': (url) =>
    new LinearClient({ token: SECRET, baseUrl: url, now }).ask(`query { ${TEXT} }`, {}),
  'Linear writes': (url) =>
    new LinearClient({ token: SECRET, baseUrl: url, now }).send({
      method: 'POST',
      url: '/',
      body: { query: 'mutation { x }', variables: { text: TEXT } },
    }),
  'Notion reads': (url) => new NotionClient({ token: SECRET, baseUrl: url, now }).list('pages', {}),
  'Notion writes': (url) =>
    new NotionClient({ token: SECRET, baseUrl: url, now }).send({
      method: 'PATCH',
      url: 'pages/x',
      body: { text: TEXT },
    }),
};

describe.each(Object.entries(CLIENTS))('%s', (name, act) => {
  test.each(STATUSES)(
    'and is redirected elsewhere with %i: nothing goes there, and that is said',
    async (status) => {
      const { url, asked, stolen } = await redirecting(status);
      const failure = await act(url).then(
        () => null,
        (error: unknown) => error,
      );
      expect(stolen).toEqual([]);
      expect(asked).toHaveLength(1);
      expect(failure).toBeInstanceOf(ServiceFailure);
      expect(failure).toMatchObject({ kind: 'protocol', status });
      expect(String(failure)).toMatch(/was not asked: it answered \d+, a redirect/);
      expect(String(failure)).not.toContain(SECRET);
      // Of a write it is known that it was not carried out, unless the answer says where to see it.
      if (/writes|creates/.test(name)) expect(failure).toMatchObject({ uncertain: status === 303 });
    },
  );
});

test('an archive of GitHub’s is fetched elsewhere, without the token', async () => {
  const { url, stolen } = await redirecting(302);
  const { data } = await new GithubClient({ token: SECRET, baseUrl: url, now }).archive('/x');
  expect(data).toEqual({ ok: true });
  expect(stolen).toHaveLength(1);
  expect(JSON.stringify(stolen)).not.toContain(SECRET);
});

test('a mount that allows it is followed elsewhere, without its headers', async () => {
  const { url, stolen } = await redirecting(307);
  const headers = { 'x-api-key': SECRET, cookie: SECRET, authorization: SECRET };
  const client = new HttpClient({
    service: 'it',
    baseUrl: url,
    headers,
    now,
    followsElsewhere: true,
  });
  expect((await client.get('x')).data).toEqual({ ok: true });
  expect(stolen).toMatchObject([{ method: 'GET', url: '/stolen', body: '' }]);
  expect(JSON.stringify(stolen)).not.toContain(SECRET);
});

test.each(KNOWN_PROVIDERS.map((provider) => [provider.name, provider] as const))(
  'a model of %s is asked at its own address alone',
  async (_, provider) => {
    for (const status of STATUSES) {
      const { url, stolen, asked } = await redirecting(status);
      const env = { [provider.key]: SECRET, [provider.address]: url };
      const model = await knownModel(provider, 'x', env);
      await expect(generateText({ model, prompt: TEXT, maxRetries: 0 })).rejects.toThrow(
        /redirect/,
      );
      expect(JSON.stringify(asked)).toContain(SECRET);
      expect(stolen).toEqual([]);
    }
  },
);

test('a sentence model is asked at its own address alone', async () => {
  const { url, stolen, asked } = await redirecting(307);
  const spec = {
    kind: 'server',
    id: 'x',
    baseUrl: url,
    keyEnv: 'KEY',
    dimensions: null,
    queryPrefix: '',
    documentPrefix: '',
    batch: 1,
    concurrency: 1,
    timeoutMs: 10_000,
  } as const;
  const embedder = await createSdkEmbedder(spec, { KEY: SECRET });
  await expect(embedder.embed([TEXT], new AbortController().signal)).rejects.toThrow();
  expect(JSON.stringify(asked)).toContain(SECRET);
  expect(stolen).toEqual([]);
});

describe('within one origin', () => {
  test.each([
    ['GET', 301, 'GET'],
    ['GET', 307, 'GET'],
    ['PATCH', 301, 'PATCH'],
    ['PATCH', 307, 'PATCH'],
    ['POST', 308, 'POST'],
  ])(
    '%s that is redirected with %i goes on with headers and body',
    async (method, status, then) => {
      const service = await serving(({ url }) => (url === '/to' ? [200] : [status, '/to']));
      const body = method === 'GET' ? {} : { body: TEXT };
      const answer = await fetchWithinOrigin(`${service.url}/from`, {
        method,
        ...body,
        headers: { 'x-api-key': SECRET },
      });
      expect(answer.status).toBe(200);
      expect(service.heard[1]).toMatchObject({
        method: then,
        url: '/to',
        headers: { 'x-api-key': SECRET },
        body: method === 'GET' ? '' : TEXT,
      });
    },
  );

  test.each([
    ['POST', 301],
    ['POST', 302],
    ['POST', 303],
    ['DELETE', 303],
  ])('%s that would become a read by %i is refused', async (method, status) => {
    const service = await serving(() => [status, '/to']);
    await expect(fetchWithinOrigin(`${service.url}/from`, { method })).rejects.toThrow(/redirect/);
    expect(service.heard).toHaveLength(1);
  });

  test('redirects without end do not hang, and a chain that leaves is cut where it leaves', async () => {
    const round = await serving(() => [302, '/again']);
    await expect(fetchWithinOrigin(round.url)).rejects.toThrow(/after 5 others/);
    const elsewhere = await serving(() => [200]);
    const chain = await serving(({ url }) =>
      url === '/' ? [302, '/second'] : [302, `${elsewhere.url}/stolen`],
    );
    await expect(fetchWithinOrigin(chain.url)).rejects.toThrow(/nothing was sent there/);
    expect([chain.heard.length, elsewhere.heard.length]).toEqual([2, 0]);
  });
});
