/** What the files of an MCP mount say, to the last byte: definitions, lists of resources, what is read of them. */
import { describe, expect, it } from 'vitest';
import { failure, ServiceBench, text } from '../../src/mount-testing/index.ts';
import { createMcpMount, type McpMountOptions } from './index.ts';
import { ECHO, type Offered, serverInProcess } from './testing.ts';

function opened(offered: Partial<Offered> = {}, more: Partial<McpMountOptions> = {}) {
  const server = serverInProcess(offered);
  const own = { name: 'test', baseUrl: 'http://mcp.test/mcp', fetch: server.fetch, ...more };
  const bench = new ServiceBench<McpMountOptions>('mcp', createMcpMount, own);
  bench.stopClock();
  const asked = (method: string) => server.asked.filter((one) => one.startsWith(method)).length;
  return Object.assign(bench, {
    ...{ server, asked, open: bench.mount() },
    [Symbol.dispose]: () => bench.end(),
  });
}

const json = (value: unknown): string => `${JSON.stringify(value, null, 2)}\n`;
const NOT_FOUND = (id: unknown) =>
  Response.json({ jsonrpc: '2.0', id, error: { code: -32002, message: 'Resource not found' } });

describe('the definition', () => {
  it('of a tool and of a prompt is what the server says, as JSON', async () => {
    const prompt = { name: 'greet', arguments: [{ name: 'who', required: true }] };
    using bench = opened({ prompts: [prompt] });
    expect(await text(bench.open, '/tools/echo.json')).toBe(json(ECHO));
    expect(await text(bench.open, '/prompts/greet.json')).toBe(json(prompt));
    for (const path of ['/tools/none', '/tools/none.json', '/prompts/none', '/prompts/echo.json'])
      expect([path, (await failure(bench.open.lstat(path))).code]).toEqual([path, 'ENOENT']);
    expect(bench.notices).toEqual([]);
  });

  it('of the server is its name, its protocol, what it can and how it is to be used', async () => {
    using bench = opened();
    expect(JSON.parse(await text(bench.open, '/server.json'))).toEqual({
      name: 'in-process',
      version: '1',
      protocol: expect.stringMatching(/^\d{4}-\d\d-\d\d$/),
      capabilities: { tools: {}, resources: {}, prompts: {} },
      instructions: 'Be kind',
    });
  });

  it('is asked for again six times less often than other files', async () => {
    using bench = opened({}, { freshMs: 60_000 });
    await bench.open.readdir('/tools');
    bench.move(5 * 60_000 + 59_000);
    await bench.open.readdir('/tools');
    expect(bench.asked('tools/list')).toBe(1);
    bench.move(2_000);
    await bench.open.readdir('/tools');
    expect(bench.asked('tools/list')).toBe(2);
  });
});

describe('resources', () => {
  const ALL = [
    {
      ...{ uri: 'demo://a', name: 'a', title: 'The first', mimeType: 'text/plain', size: 7 },
      ...{ description: 'It is\tthe first' },
    },
    { uri: 'demo:b', name: 'b' },
    { uri: 'demo:empty', name: 'empty', size: 0 },
  ];

  it('have a table with their addresses, titles, types, sizes and what is said of them', async () => {
    using bench = opened({ resources: ALL });
    expect(await text(bench.open, '/resources/index.tsv')).toBe(
      [
        'file\turi\ttitle\ttype\tbytes\tdescription',
        'demo:%2F%2Fa\tdemo://a\tThe first\ttext/plain\t7\tIt is the first',
        'demo:b\tdemo:b\tb\t\t\t',
        'demo:empty\tdemo:empty\tempty\t\t0\t',
        '',
      ].join('\n'),
    );
    expect(bench.asked('resources/read')).toBe(0);
  });

  it('that are addresses with blanks are one file of JSON', async () => {
    using bench = opened();
    const templates = [{ uriTemplate: 'demo://item/{id}', name: 'item' }];
    expect(await text(bench.open, '/resources/templates.json')).toBe(json(templates));
  });

  it('are as large as the server says until they are read, and as they are from then on', async () => {
    const contents = [{ text: 'né' }, { blob: Buffer.from([0, 255]).toString('base64') }];
    using bench = opened({
      resources: ALL,
      read: (uri) => ({ contents: contents.map((one) => ({ uri, ...one })) }),
    });
    const sizes = async () =>
      Promise.all(
        ALL.map(async ({ uri }) => {
          const file = `/resources/${uri.replaceAll('/', '%2F')}`;
          return (await bench.open.lstat(file)).size;
        }),
      );
    expect(await sizes()).toEqual([7, 1, 1]);
    expect([...(await bench.open.read('/resources/demo:b'))]).toEqual([
      ...Buffer.from('né'),
      ...[0, 255],
    ]);
    expect(await sizes()).toEqual([7, 5, 1]);
  });

  it('are of the time that the server names, in whichever zone', async () => {
    const annotations = { lastModified: '2025-05-01T12:00:00+02:00' };
    using bench = opened({ resources: [{ uri: 'demo:a', name: 'a', annotations }] });
    const mtime = async () => (await bench.open.lstat('/resources/demo:a')).mtime;
    expect(await mtime()).toEqual(new Date('2025-05-01T10:00:00Z'));
    await bench.open.read('/resources/demo:a');
    expect(await mtime()).toEqual(new Date('2025-05-01T10:00:00Z'));
  });

  it('are asked for when they are read, once while that is fresh', async () => {
    using bench = opened({ resources: ALL }, { freshMs: 60_000 });
    await bench.open.readdir('/resources');
    await bench.open.lstat('/resources/demo:b');
    expect(bench.asked('resources/read')).toBe(0);
    expect(bench.open.costly('/resources/demo:b')).toBe(true);
    for (let n = 0; n < 2; n++) await bench.open.read('/resources/demo:b');
    expect(bench.asked('resources/read')).toBe(1);
    expect(bench.open.costly('/resources/demo:b')).toBe(false);
    bench.move(61_000);
    await bench.open.read('/resources/demo:b');
    expect(bench.asked('resources/read')).toBe(2);
  });

  it('that nobody listed are asked for by their address, and are not there where the server has none', async () => {
    using bench = opened();
    expect(await text(bench.open, '/resources/demo:%2F%2Fitem%2F7')).toBe('text of demo://item/7');
    expect((await bench.open.lstat('/resources/demo:8')).size).toBe('text of demo:8'.length);
    bench.server.fault = (method, id) => (method === 'resources/read' ? NOT_FOUND(id) : undefined);
    for (const look of ['lstat', 'read'] as const)
      expect(await failure(bench.open[look]('/resources/demo:9'))).toMatchObject({
        code: 'ENOENT',
      });
    const before = bench.asked('resources/read');
    // A name that no address is written as.
    expect(await failure(bench.open.read('/resources/demo:%2f'))).toMatchObject({
      code: 'ENOENT',
    });
    expect(bench.asked('resources/read')).toBe(before);
  });

  it('that are gone are forgotten, also where they were read; any other fault leaves them', async () => {
    using bench = opened({ resources: ALL }, { freshMs: 60_000 });
    expect(await text(bench.open, '/resources/demo:b')).toBe('text of demo:b');
    bench.server.fault = (method, id) =>
      method === 'resources/read'
        ? Response.json({ jsonrpc: '2.0', id, error: { code: -32603, message: 'busy' } })
        : undefined;
    bench.move(61_000);
    expect(await text(bench.open, '/resources/demo:b')).toBe('text of demo:b');
    expect(bench.notices.join()).toContain('busy');
    bench.server.fault = (method, id) => (method === 'resources/read' ? NOT_FOUND(id) : undefined);
    bench.move(61_000);
    expect(await failure(bench.open.read('/resources/demo:b'))).toMatchObject({ code: 'ENOENT' });
    bench.server.offered.resources = [];
    bench.move(3_600_000);
    expect(await failure(bench.open.lstat('/resources/demo:b'))).toMatchObject({ code: 'ENOENT' });
  });

  it('that are none, or have no scheme, are left out and told of, and their number is said', async () => {
    using bench = opened({ resources: [{ uri: 'plain' }, { uri: 'demo:a' }, { uri: 'demo:a' }] });
    expect((await bench.open.readdir('/resources')).map(({ name }) => name)).toEqual([
      ...['demo:a', 'index.tsv', 'templates.json'],
    ]);
    expect(bench.notices.join()).toContain('2 of its resources are none, or have a name twice');
  });
});
