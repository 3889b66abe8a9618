/** Who may speak to a server of MCP over HTTP, and how much of it they may take. */
import { once } from 'node:events';
import { request as httpRequest } from 'node:http';
import { connect as connectSocket } from 'node:net';
import type { Client } from '@modelcontextprotocol/client';
import { describe, expect, test } from 'vitest';
import { newToken } from '../../src/doors/http/bearer.ts';
import type { HttpLimits } from '../../src/doors/http/limits.ts';
import type { Principal } from '../../src/doors/principal.ts';
import { startCli } from '../cli/run-cli.ts';
import { temporaryDirectory } from '../world/harness.ts';
import {
  ASSISTANT,
  call,
  connectMcp,
  ERAS,
  INITIALIZE,
  openMcp,
  postTo,
  TOKEN,
  testDoorway,
} from './support.ts';

/** A server, a call of which answers when it is released. */
async function served(
  limits: Partial<HttpLimits> = {},
  tokens: Record<string, Principal> = { [TOKEN]: ASSISTANT },
) {
  const clock = { now: Date.now() };
  const { doorway, worlds } = testDoorway();
  const url = await openMcp(doorway, { limits, now: () => clock.now }, tokens);
  const release = () => Promise.all(worlds.map((world) => world.fs.writeFile('/tmp/go', '')));
  const post = (body: unknown, headers: Record<string, string> = {}) =>
    postTo(url, TOKEN, body, headers);
  return { url, post, release, clock };
}

const PING = { jsonrpc: '2.0', id: 2, method: 'ping' };
const WAIT = 'while ! test -e /tmp/go; do sleep 0.02; done; echo released';
const CALL = {
  jsonrpc: '2.0',
  id: 3,
  method: 'tools/call',
  params: { name: 'bash', arguments: { command: WAIT } },
};

type Served = Awaited<ReturnType<typeof served>>;

async function begun({ post }: Served): Promise<Record<string, string>> {
  const response = await post(INITIALIZE);
  expect(response.status).toBe(200);
  await response.text();
  return { 'mcp-session-id': response.headers.get('mcp-session-id') ?? '' };
}

describe('who may speak', () => {
  test.each([
    ['no token', { authorization: '' }, undefined],
    ['another one', { authorization: 'Bearer another' }, 'invalid_token'],
    ['its beginning', { authorization: `Bearer ${TOKEN.slice(0, -1)}` }, 'invalid_token'],
    ['more than it', { authorization: `Bearer ${TOKEN}x` }, 'invalid_token'],
    ['another scheme', { authorization: `Basic ${TOKEN}` }, undefined],
  ])('401 with %s, before anything else is looked at', async (_, headers, error) => {
    const { post } = await served();
    for (const body of [INITIALIZE, 'no JSON']) {
      const response = await post(body, headers);
      expect(response.status).toBe(401);
      const scheme = response.headers.get('www-authenticate') ?? '';
      expect(scheme).toMatch(/^Bearer realm="dirigent"/);
      expect(scheme.includes('invalid_token')).toBe(error !== undefined);
      expect(await response.text()).not.toContain(TOKEN);
    }
  });

  test('a token that is made is another one each time, and long', () => {
    const tokens = [newToken(), newToken()];
    expect(new Set(tokens).size).toBe(2);
    for (const token of tokens) expect(token).toMatch(/^[\w-]{43}$/);
  });

  test('a token in the address is refused, and the metadata says where it belongs', async () => {
    const { url } = await served();
    const inAddress = await fetch(`${url}?access_token=${TOKEN}`, { method: 'POST' });
    expect(inAddress.status).toBe(404);
    expect(await inAddress.text()).toContain('a token is sent in a header');
    const { headers } = await fetch(url, { method: 'POST' });
    const [, metadata = ''] =
      /resource_metadata="([^"]*)"/.exec(headers.get('www-authenticate') ?? '') ?? [];
    expect(await (await fetch(metadata)).json()).toMatchObject({
      resource: url,
      bearer_methods_supported: ['header'],
    });
  });

  test('a page in a browser, or under another name of this machine, is refused, with the token, too', async () => {
    const server = await served();
    const { url, post } = server;
    for (const origin of ['http://evil.example', 'null', 'http://localhost.evil.example'])
      expect((await post(PING, { origin })).status).toBe(403);
    const local = { origin: 'http://localhost:6274' };
    expect((await post(PING, { ...local, authorization: '' })).status).toBe(401);
    expect((await post(INITIALIZE, local)).status).toBe(200);
    const other = httpRequest(url, {
      headers: { host: 'evil.example', authorization: `Bearer ${TOKEN}` },
    }).end();
    const [response] = await once(other, 'response');
    expect(response.statusCode).toBe(403);
    expect((await fetch(new URL('/other', url))).status).toBe(404);
    expect((await post(PING, { 'mcp-session-id': 'guess' })).status).toBe(404);
    expect((await post(PING, await begun(server))).status).toBe(200);
  });

  test('at the command line: the token is printed once, or is that of the environment', async () => {
    const start = async (env: Record<string, string>, ...more: string[]) => {
      const server = startCli(['mcp', '--http', '0', ...more], {
        env: { XDG_STATE_HOME: temporaryDirectory(), ...env },
        stdin: null,
      });
      let said = '';
      server.stderr.on('data', (data: Buffer) => {
        said += data.toString();
      });
      while (!/serving \S+\n/.test(said)) await once(server.stderr, 'data');
      const [, url = ''] = /serving (\S+)\n/.exec(said) ?? [];
      const status = async (token: string) => {
        const headers = {
          authorization: `Bearer ${token}`,
          'content-type': 'application/json',
          accept: 'application/json, text/event-stream',
        };
        const body = JSON.stringify(INITIALIZE);
        return (await fetch(url, { method: 'POST', headers, body })).status;
      };
      return { status, said: () => said, server };
    };
    const made = await start({});
    while (!made.said().includes('Bearer')) await once(made.server.stderr, 'data');
    const [, token = ''] = /Bearer (\S+)"/.exec(made.said()) ?? [];
    expect([await made.status(token), await made.status('x')]).toEqual([200, 401]);
    const given = await start({ DIRIGENT_MCP_TOKEN: 'from-the-environment' });
    expect([await given.status('from-the-environment'), await given.status('')]).toEqual([
      200, 401,
    ]);
    expect(given.said()).not.toContain('from-the-environment');
    const named = await start({ DIRIGENT_MCP_TOKEN: 'unused' }, '--token', 'by-option');
    expect([await named.status('by-option'), await named.status('unused')]).toEqual([200, 401]);
    for (const [args, env] of [
      [['--http', '0'], { DIRIGENT_MCP_TOKEN: '' }],
      [['--http', '0', '--token', 'two words'], {}],
      [['--token', 'x'], {}],
    ] as const) {
      const wrong = startCli(['mcp', ...args], {
        env: { XDG_STATE_HOME: temporaryDirectory(), ...env },
      });
      expect(await once(wrong, 'exit')).toEqual([2, null]);
    }
  });
});

describe('how much they may take', () => {
  test('a message that is too long is 413, whether it says its length or not; one that fits passes', async () => {
    const server = await served({ bodyBytes: 10_000 });
    const long = { ...PING, params: { more: 'x'.repeat(20_000) } };
    expect((await server.post(long)).status).toBe(413);
    const chunked = httpRequest(server.url, {
      method: 'POST',
      headers: { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json' },
    });
    chunked.on('error', () => undefined);
    chunked.write(JSON.stringify(long));
    const [response] = await once(chunked, 'response');
    expect(response.statusCode).toBe(413);
    chunked.destroy();
    const fits = { ...PING, params: { more: 'x'.repeat(9_000) } };
    expect((await server.post(fits, await begun(server))).status).toBe(200);
  });

  test.each(['{', '', '{"a":1}}', '\u{1f600}'.slice(0, 1)])(
    'what is no JSON is 400: %j',
    async (text) => {
      const { post } = await served();
      const response = await post(text);
      expect(response.status).toBe(400);
      expect(await response.json()).toMatchObject({ error: { code: -32_700 } });
    },
  );

  test('a request without a session that does not begin one is 400, and takes none', async () => {
    const server = await served({ sessions: 1 });
    for (let each = 0; each < 5; each++) expect((await server.post(PING)).status).toBe(400);
    await begun(server);
  });

  test('one session too many is 503; one that ends, or that nobody uses, makes room', async () => {
    const server = await served({ sessions: 2, idleMs: 60_000 });
    const [one] = [await begun(server), await begun(server)];
    const refused = await server.post(INITIALIZE);
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '60']);
    const authorization = `Bearer ${TOKEN}`;
    const ended = await fetch(server.url, { method: 'DELETE', headers: { authorization, ...one } });
    expect(ended.status).toBe(200);
    const three = await begun(server);
    expect((await server.post(INITIALIZE)).status).toBe(503);
    server.clock.now += 60_001;
    await begun(server);
    expect((await server.post(PING, three)).status).toBe(404);
  });

  test('a session with a call under way, or with an open stream, is in use', async () => {
    const server = await served({ idleMs: 60_000 });
    const [calling, streaming, idle] = [
      await begun(server),
      await begun(server),
      await begun(server),
    ];
    // Its stream has begun.
    const call = await server.post(CALL, calling);
    const stream = await fetch(server.url, {
      headers: { authorization: `Bearer ${TOKEN}`, accept: 'text/event-stream', ...streaming },
    });
    expect(stream.status).toBe(200);
    server.clock.now += 60_001;
    expect((await server.post(PING, idle)).status).toBe(404);
    expect((await server.post(PING, streaming)).status).toBe(200);
    await server.release();
    expect(await call.text()).toContain('released');
    await stream.body?.cancel();
  });

  test('one request too many at once is 503, until another one has ended', async () => {
    const server = await served({ requests: 2 });
    const session = await begun(server);
    const calls = [CALL, { ...CALL, id: 4 }].map((call) => server.post(call, session));
    // Both are under way once their streams have begun.
    await Promise.all(calls);
    expect((await server.post(PING, session)).status).toBe(503);
    await server.release();
    for (const call of calls) await (await call).text();
    while ((await server.post(PING, session)).status === 503);
    expect((await server.post(PING, session)).status).toBe(200);
  });

  test('a head that does not come is not waited for', async () => {
    const { url } = await served({ headMs: 200 });
    const socket = connectSocket(Number(new URL(url).port), '127.0.0.1');
    socket.write('POST /mcp HTTP/1.1\r\nHost: ');
    const [answer] = await once(socket, 'data');
    expect(answer.toString()).toMatch(/^HTTP\/1\.1 408 /);
    await once(socket, 'close');
  });

  test('one of several clients takes half of what there is at most', async () => {
    const tokens = { [TOKEN]: { actor: 'alice' }, other: { actor: 'bob' } };
    const server = await served({ sessions: 4 }, tokens);
    const first = await begun(server);
    await begun(server);
    expect((await server.post(INITIALIZE)).status).toBe(503);
    const other = { authorization: 'Bearer other' };
    const theirs = await server.post(INITIALIZE, other);
    expect(theirs.status).toBe(200);
    await theirs.text();
    // A session is its own client's.
    expect((await server.post(PING, { ...first, ...other })).status).toBe(404);
    expect((await server.post(PING, first)).status).toBe(200);
  });

  test.each(ERAS)(
    'each token is a client of its own, %s: files in memory, shell and log are apart',
    async (era) => {
      const tokens = { [TOKEN]: { actor: 'alice' }, other: { actor: 'bob' } };
      const { url } = await served({}, tokens);
      const alice = await connectMcp(url, era);
      const bob = await connectMcp(url, era, { token: 'other' });
      await call(alice, 'bash', { command: 'SECRET=1; echo x > /tmp/mine' });
      expect((await call(bob, 'bash', { command: 'echo "[$SECRET]"; ls /tmp' })).text).toBe('[]');
      const log = async (client: Client) =>
        (await call(client, 'bash', { command: 'cat /session/log.jsonl' })).text;
      expect(await log(bob)).toContain('"actor":"bob","origin":"mcp"');
      expect(await log(bob)).not.toContain('alice');
    },
  );
});
