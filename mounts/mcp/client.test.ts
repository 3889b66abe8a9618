/** The line to a server: what is asked over it, what its faults are, and when it is tried again. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { ServiceFailure } from '../../src/mount/index.ts';
import { type ListName, McpClient, type McpClientOptions } from './client.ts';
import { ECHO, type Offered, serverInProcess, stdioServer } from './testing.ts';

const SIGNAL = new AbortController().signal;

function opened(offered: Partial<Offered> = {}, more: Partial<McpClientOptions> = {}) {
  const server = serverInProcess(offered);
  let time = 1_000_000;
  const client = new McpClient({
    ...{ title: 'the server', server: null, url: 'http://mcp.test/mcp', headers: {} },
    ...{ fetch: server.fetch, timeoutMs: 60_000, secrets: [], now: () => new Date(time) },
    onChanged: () => undefined,
    ...more,
  });
  onTestFinished(() => client.close());
  return {
    client,
    server,
    move: (ms: number) => {
      time += ms;
    },
  };
}

/** What something fails with. */
async function fault(work: Promise<unknown>): Promise<ServiceFailure> {
  const thrown = await work.then(
    () => null,
    (error: unknown) => error,
  );
  expect(thrown).toBeInstanceOf(ServiceFailure);
  return thrown as ServiceFailure;
}

/** How often a server was asked what it is, as each connection begins. */
const connections = ({ asked }: { asked: readonly string[] }): number =>
  asked.filter((one) => one.startsWith('server/discover')).length;

const refusal = (code: number, message: string) => (id: unknown) =>
  Response.json({ jsonrpc: '2.0', id, error: { code, message } });

/** What every answer to a list has. */
const COMPLETE = { resultType: 'complete', ttlMs: 0, cacheScope: 'private' };

describe('a list', () => {
  /** A client of a server whose list has so many rows on each of so many pages. */
  function paged(pages: number, rows: number) {
    const { client, server } = opened();
    let page = 0;
    server.fault = (method, id) => {
      if (method !== 'tools/list') return undefined;
      const tools = Array.from({ length: rows }, (_, n) => ({ name: `t${page}-${n}` }));
      page++;
      const more = page < pages ? { nextCursor: String(page) } : {};
      return Response.json({
        jsonrpc: '2.0',
        id,
        result: { ...COMPLETE, tools, ...more },
      });
    };
    return client.list('tools');
  }

  it.each([
    ['10000 rows at most', 4, 2_500, 10_000],
    ['500 pages at most', 500, 1, 500],
  ])(
    'has %s, and says how many are there only where there are more',
    async (_, pages, rows, most) => {
      expect(await paged(pages, rows)).toMatchObject({ lacking: null, leftOut: 0 });
      const { rows: got, lacking } = await paged(pages + 1, rows);
      expect([got.length, lacking]).toEqual([most, `only the first ${most} of tools`]);
    },
  );

  it('of what a server has not is empty, and is not asked for', async () => {
    const { client, server } = opened({ capabilities: { tools: {} } });
    for (const name of ['prompts', 'resources', 'templates'] as const)
      expect(await client.list(name)).toEqual({ rows: [], lacking: null, leftOut: 0 });
    expect(server.asked.filter((one) => one.includes('list'))).toEqual([]);
  });

  it('of what a server says that it has, and does not know, is empty; any other fault is one', async () => {
    const { client, server } = opened();
    server.fault = (method, id) =>
      method === 'prompts/list' ? refusal(-32601, 'Method not found')(id) : undefined;
    expect(await client.list('prompts')).toEqual({ rows: [], lacking: null, leftOut: 0 });
    server.fault = (method, id) =>
      method === 'prompts/list' ? refusal(-32603, 'Internal error')(id) : undefined;
    expect(await fault(client.list('prompts'))).toMatchObject({ kind: 'server' });
  });

  it('counts what it left out of itself, and not of the one before', async () => {
    const { client, server } = opened({ tools: [ECHO, { name: 7 }, { name: '' }] });
    expect((await client.list('tools')).leftOut).toBe(2);
    server.offered.tools = [ECHO];
    expect((await client.list('tools')).leftOut).toBe(0);
  });

  it('that is none is told as such', async () => {
    const { client, server } = opened();
    server.fault = (method, id) =>
      method === 'tools/list'
        ? Response.json({ jsonrpc: '2.0', id, result: { ...COMPLETE, tools: 'none' } })
        : undefined;
    const failed = await fault(client.list('tools'));
    expect(failed.kind).toBe('protocol');
    expect(failed.message).toContain('the answer of the server to the list of tools is none');
  });
});

describe('a server', () => {
  it('says what it is, with credentials taken out of it', async () => {
    const { client } = opened({}, { secrets: ['in-process'] });
    expect(await client.about()).toMatchObject({
      ...{ name: '[redacted]', version: '1', instructions: 'Be kind' },
      capabilities: { tools: {}, resources: {}, prompts: {} },
    });
  });

  it('is told what is spent on it: a request each, and bytes both ways', async () => {
    const { client } = opened();
    expect(client.usage()).toEqual({ requests: 0, bytes: 0 });
    await client.list('tools');
    await client.list('tools');
    const { requests, bytes = 0 } = client.usage();
    expect(requests).toBe(2);
    expect(bytes).toBeGreaterThan(JSON.stringify(ECHO).length * 2);
  });

  it('is sent the headers that are given with each request', async () => {
    const sent: (string | null)[] = [];
    const { server } = opened();
    const { client } = opened(
      {},
      {
        headers: { 'X-Key': 'k1' },
        fetch: (input, init) => {
          sent.push(new Headers(init?.headers).get('x-key'));
          return server.fetch(input, init);
        },
      },
    );
    await client.list('tools');
    expect(new Set(sent)).toEqual(new Set(['k1']));
  });

  it('that is at no address of its name says which fault they have in common', async () => {
    const none = Object.assign(new AggregateError([]), { code: 'ECONNREFUSED' });
    const fetch = async () => Promise.reject(new TypeError('fetch failed', { cause: none }));
    const { client } = opened({}, { fetch });
    expect((await fault(client.list('tools'))).message).toMatch(/fetch failed \(ECONNREFUSED\)$/);
  });

  it('that cannot be reached is not tried again for two seconds', async () => {
    let tries = 0;
    const { server } = opened();
    let isUp = false;
    const { client, move } = opened(
      {},
      {
        fetch: async (input, init) => {
          if (isUp) return server.fetch(input, init);
          tries++;
          throw new TypeError('fetch failed', { cause: new Error('ECONNREFUSED') });
        },
      },
    );
    const failed = await fault(client.list('tools'));
    expect(failed).toMatchObject({ kind: 'network', unsent: true });
    expect(failed.message).toBe(
      'the server could not be reached at http://mcp.test/mcp: Version negotiation probe failed: fetch failed (ECONNREFUSED)',
    );
    const before = tries;
    move(1_999);
    expect(await fault(client.list('tools'))).toBe(failed);
    expect(tries).toBe(before);
    isUp = true;
    move(1);
    expect((await client.list('tools')).rows).toHaveLength(1);
  });

  it.each([
    [401, 'auth'],
    [403, 'forbidden'],
  ])('that answers %i lets nobody in: %s', async (status, kind) => {
    const { client } = opened({}, { fetch: async () => new Response('no', { status }) });
    const failed = await fault(client.list('tools'));
    expect(failed).toMatchObject({ kind, status });
    expect(failed.message).toBe(`the server refuses the credential (${status})`);
  });

  it('that was closed is not connected again', async () => {
    const { client } = opened();
    await client.close();
    const failed = await fault(client.list('tools'));
    expect(failed).toMatchObject({ kind: 'network', unsent: true });
    expect(failed.message).toBe('the server was closed');
  });
});

describe('a request that is answered by', () => {
  it.each([
    [400, 'invalid'],
    [401, 'auth'],
    [403, 'forbidden'],
    [429, 'limited'],
    [499, 'invalid'],
    [500, 'server'],
    [503, 'server'],
  ])('%i is %s, and says what was asked', async (status, kind) => {
    const { client, server } = opened();
    server.fault = (method) =>
      method === 'tools/list' ? new Response('words', { status }) : undefined;
    const failed = await fault(client.list('tools'));
    expect(failed).toMatchObject({ kind, status, unsent: false });
    expect(failed.message).toMatch(
      new RegExp(`^the server answered ${status} to the list of tools: `),
    );
  });

  it('404 has lost its session: nothing was done, and the next one begins anew', async () => {
    const { client, server } = opened();
    await client.list('tools');
    server.fault = (method) =>
      method === 'tools/call' ? new Response('gone', { status: 404 }) : undefined;
    const failed = await fault(client.call(ECHO as never, { text: 'a' }, SIGNAL));
    expect(failed).toMatchObject({ kind: 'network', unsent: true });
    expect(failed.message).toBe('the session with the server was over; try again');
    server.fault = null;
    const before = connections(server);
    await client.list('tools');
    expect(connections(server)).toBe(before + 1);
  });

  it('nothing, since the line broke, may have been done', async () => {
    const { client, server } = opened();
    await client.list('tools');
    server.fault = (method) =>
      method === 'tools/call' ? new TypeError('fetch failed') : undefined;
    const failed = await fault(client.call(ECHO as never, { text: 'a' }, SIGNAL));
    expect(failed).toMatchObject({ kind: 'network', unsent: false });
    expect(failed.message).toBe(
      'the connection to the server broke off during the call of echo: fetch failed',
    );
    server.fault = null;
    const before = connections(server);
    await client.list('tools');
    expect(connections(server)).toBe(before + 1);
  });

  it.each<[number, string, string, string]>([
    [-32002, 'No such thing', 'missing', 'server'],
    [-32603, 'Resource not found', 'missing', 'server'],
    [-32603, 'Unknown resource: x', 'missing', 'server'],
    [-32602, 'Bad words', 'invalid', 'invalid'],
    [-32601, 'No such method', 'invalid', 'invalid'],
    [-32603, 'Busy', 'server', 'server'],
  ])('the error %i, %j, is %s of a resource and %s of a call', async (code, words, of, called) => {
    const { client, server } = opened();
    server.fault = (method, id) =>
      /^(resources\/read|tools\/call)$/.test(method) ? refusal(code, words)(id) : undefined;
    const read = await fault(client.read('demo:1'));
    expect([read.kind, read.message]).toEqual([
      of,
      expect.stringMatching(`^the server refuses demo:1: .*${words}`),
    ]);
    const call = await fault(client.call(ECHO as never, { text: 'a' }, SIGNAL));
    expect([call.kind, call.message]).toEqual([
      called,
      expect.stringMatching(`^the server refuses the call of echo: .*${words}`),
    ]);
  });

  it('silence ends with its time, and with who asks', async () => {
    const silent = { call: () => new Promise(() => undefined) };
    const { client } = opened(silent, { timeoutMs: 20 });
    const late = await fault(client.call(ECHO as never, {}, SIGNAL));
    expect([late.kind, late.message]).toEqual([
      'timeout',
      'the server did not answer the call of echo within 0.02 s, and was told to stop',
    ]);
    const { client: other, server } = opened(silent);
    const ending = new AbortController();
    const failing = fault(other.call(ECHO as never, {}, ending.signal));
    await expect.poll(() => server.asked.some((one) => one.startsWith('tools/call'))).toBe(true);
    ending.abort();
    const stopped = await failing;
    expect([stopped.kind, stopped.message]).toEqual([
      'timeout',
      'the call of echo was interrupted, and the server was told to stop',
    ]);
  });

  it('many words says five hundred characters of them, in a line, without credentials', async () => {
    const { client, server } = opened({}, { secrets: ['SECRET-7'] });
    const said = async (words: string) => {
      server.fault = (method, id) =>
        method === 'resources/read' ? refusal(-32603, words)(id) : undefined;
      return (await fault(client.read('demo:1'))).message;
    };
    expect(await said('a\n  b\u0007 SECRET-7')).toMatch(/a b\\u0007 \[redacted\]$/);
    const room = 500 - (await said('')).length;
    expect(await said('x'.repeat(room))).toMatch(/x{3}$/);
    const cut = await said('x'.repeat(room + 1));
    expect([cut.length, cut.at(-1)]).toEqual([501, '…']);
  });
});

it('a call sends what it is given, and its answer is checked against no promise of the tool', async () => {
  const tool = { ...ECHO, outputSchema: { type: 'object', required: ['a'] } };
  const { client, server } = opened({
    tools: [tool],
    call: () => ({ content: [], structuredContent: { b: 1 } }),
  });
  expect(await client.call(tool as never, { text: 'x' }, SIGNAL)).toMatchObject({
    structuredContent: { b: 1 },
  });
  expect(server.asked.at(-1)).toBe('tools/call echo {"text":"x"}');
  expect(await client.prompt('greet', { who: 'Ada' }, SIGNAL)).toMatchObject({
    messages: [{ role: 'user' }],
  });
});

describe('a program', () => {
  function program(behaviour: string, env: Record<string, string> = {}) {
    const directory = mkdtempSync(join(tmpdir(), 'dirigent-mcp-'));
    writeFileSync(join(directory, 'server.mjs'), stdioServer(behaviour));
    onTestFinished(() => rmSync(directory, { recursive: true }));
    const changed: ListName[] = [];
    const command = [process.execPath, 'server.mjs'];
    const { client } = opened(
      {},
      {
        ...{ server: { command, env, directory }, url: null },
        onChanged: (list) => changed.push(list),
      },
    );
    return { client, changed };
  }

  it('tells which of its lists have changed: resources are those with blanks, too', async () => {
    const { client, changed } = program(`
      answers.initialize = ({ protocolVersion }) => ({ protocolVersion, serverInfo: { name: 'x', version: '1' },
        capabilities: { tools: { listChanged: true }, prompts: { listChanged: true }, resources: { listChanged: true } } });
      if (method === 'tools/list') for (const one of ['prompts', 'resources']) say({ method: 'notifications/' + one + '/list_changed' });
    `);
    await client.list('tools');
    await expect.poll(() => [...changed].sort()).toEqual(['prompts', 'resources', 'templates']);
    expect(client.usage().bytes).toBeGreaterThan(0);
  });

  it('that is not there is told of, with what its environment lacks', async () => {
    const missing = { command: ['no-such-program'], directory: '/' };
    const why = async (env: Record<string, string>) => {
      const { client } = opened({}, { server: { ...missing, env }, url: null });
      return (await fault(client.list('tools'))).message;
    };
    expect(await why({})).toMatch(
      /^the server could not be started: .*; it has no PATH: name PATH in its env$/,
    );
    expect(await why({ PATH: '/bin' })).not.toContain('it has no PATH');
  });
});
