/** An MCP server as a directory: what is listed, called, read; what a hostile one comes to. */
import { describe, expect, it } from 'vitest';
import {
  type CallInput,
  called,
  failure,
  names,
  planned,
  programs,
  ServiceBench,
  text,
} from '../../src/mount-testing/index.ts';
import { createMcpMount, type McpMountOptions } from './index.ts';
import { ECHO, type Offered, serverInProcess, testedServer } from './testing.ts';

const SIGNAL = new AbortController().signal;

type Call = [path: string, args?: string[], input?: CallInput];

function opened(offered: Partial<Offered> = {}, more: Partial<McpMountOptions> = {}) {
  const server = serverInProcess(offered);
  const own = { name: 'test', baseUrl: 'http://mcp.test/mcp', fetch: server.fetch, ...more };
  const bench = new ServiceBench<McpMountOptions>('mcp', createMcpMount, own);
  const another = bench.mount.bind(bench);
  const mount = another();
  return Object.assign(bench, {
    server,
    mount,
    another,
    called: (...call: Call) => called(mount, ...call),
    planned: (...call: Call) => planned(mount, ...call),
    changes: () => mount.journal.list(),
    [Symbol.dispose]: () => bench.end(),
  });
}

const calls = ({ asked }: { asked: readonly string[] }) =>
  asked.filter((one) => one.startsWith('tools/call'));

describe('what is there', () => {
  it('nothing is asked before something is looked at', async () => {
    using bench = opened();
    await bench.mount.lstat('/');
    expect(bench.server.asked).toEqual([]);
  });

  it('tools, prompts and resources are listed over all pages', async () => {
    using bench = opened({
      tools: Array.from({ length: 500 }, (_, index) => ({ ...ECHO, name: `tool-${index}` })),
      prompts: [{ name: 'greet', arguments: [{ name: 'who', required: true }] }],
      resources: [{ uri: 'demo://a/1', name: 'one' }],
      page: 70,
    });
    expect(await names(bench.mount, '/')).toEqual([
      'README.md',
      'prompts',
      'resources',
      'server.json',
      'tools',
    ]);
    expect(await names(bench.mount, '/tools')).toHaveLength(1000);
    expect(await names(bench.mount, '/prompts')).toEqual(['greet', 'greet.json']);
    expect(await names(bench.mount, '/resources')).toEqual([
      'demo:%2F%2Fa%2F1',
      'index.tsv',
      'templates.json',
    ]);
    expect((await bench.mount.lstat('/tools/tool-499')).mode).toBe(0o555);
    expect(await text(bench.mount, '/server.json')).toContain('Be kind');
  });

  it('a list that runs in a circle is an error, and no endless question', async () => {
    using bench = opened({ tools: [ECHO, { ...ECHO, name: 'b' }], page: 1 });
    bench.server.fault = (method, id) =>
      method === 'tools/list'
        ? Response.json({ jsonrpc: '2.0', id, result: { tools: [ECHO], nextCursor: 'again' } })
        : undefined;
    const error = await failure(bench.mount.readdir('/tools'));
    expect(error.code).toBe('EIO');
  });

  it('names that are no names of files are escaped, and lead back', async () => {
    const hostile = [
      '../../etc/passwd',
      '.hidden',
      'a\nb',
      '\u001b[31mred',
      'x.json',
      'README.md',
      'é'.repeat(300),
      '%2F',
    ];
    using bench = opened({ tools: hostile.map((name) => ({ ...ECHO, name })) });
    const listed = (await names(bench.mount, '/tools')).filter((name) => !name.endsWith('.json'));
    expect(listed).toHaveLength(hostile.length);
    for (const name of listed) {
      expect(name).toMatch(/^[^./\p{Cc}][^/\p{Cc}]*$/u);
      expect(Buffer.byteLength(name)).toBeLessThan(256);
      const { exitCode } = await bench.called(`/tools/${name}`, ['--text', 'a']);
      expect(exitCode).toBe(0);
    }
    expect(calls(bench.server)).toHaveLength(hostile.length);
  });

  it('what is no tool, and a second of a name, is left out and told of', async () => {
    using bench = opened({
      tools: [ECHO, ECHO, { name: 7 }, { name: 'good', inputSchema: 'none' }],
    });
    const all = await names(bench.mount, '/tools');
    expect(all.filter((name) => !name.endsWith('.json'))).toEqual(['echo', 'good']);
    expect(bench.notices.join()).toContain('2 of its tools');
  });

  it('while the server is down what it offered is there, and a call says why it is not made', async () => {
    using bench = opened({}, { freshMs: 0 });
    await names(bench.mount, '/tools');
    const about = await text(bench.mount, '/server.json');
    bench.server.fault = () => new TypeError('fetch failed');
    expect(await names(bench.mount, '/tools')).toEqual(['echo', 'echo.json']);
    expect(bench.notices.join()).toMatch(/could not be reached|broke off/);
    // To another process, which has never reached it, too.
    expect(await text(bench.another(), '/server.json')).toBe(about);
    const error = await failure(bench.called('/tools/echo', ['--text', 'a']));
    expect(error.reason).toMatch(/the MCP server test/);
    expect(calls(bench.server)).toHaveLength(0);
  });

  it('each line of a description is a comment of the program’s file, whatever ends it', async () => {
    const description = 'one\ntouch /pwned\rtouch /pwned\u2028touch /pwned\u0085touch /pwned';
    using bench = opened({ tools: [{ ...ECHO, description }] });
    const lines = (await text(bench.mount, '/tools/echo')).split(/[\n\r\v\f\x85\u2028\u2029]/);
    expect(
      lines.filter((line) => line.includes('pwned')).every((line) => line.startsWith('# ')),
    ).toBe(true);
    expect(lines.filter((line) => line !== '' && !line.startsWith('#'))).toHaveLength(2);
  });
});

describe('words', () => {
  it.each([
    [['--text', 'a'], { text: 'a' }],
    [['--text=a=b'], { text: 'a=b' }],
    [['--text', '7', '--times', '7'], { text: '7', times: 7 }],
    [['--loud', '--text', 'a'], { text: 'a', loud: true }],
    [['--no-loud', '--text', 'a'], { text: 'a', loud: false }],
    [['--tags', 'x', '--tags', 'y', '--text', 'a'], { text: 'a', tags: ['x', 'y'] }],
    [['--tags', '["x","y"]', '--text', 'a'], { text: 'a', tags: ['x', 'y'] }],
    [['--where', '{"city":"B"}', '--text', '-'], { text: '-', where: { city: 'B' } }],
    [['--dry-run', '--text', ''], { text: '', dry_run: true }],
  ])('%j', async (args, expected) => {
    using bench = opened();
    const { stdout, exitCode } = await bench.called('/tools/echo', args);
    expect({ exitCode, ...JSON.parse(stdout) }).toEqual({ exitCode: 0, ...expected });
  });

  it.each([
    [['--txt', 'a'], 'text'],
    [['a'], '"a" is no option'],
    [['--text'], '--text needs a value'],
    [['--text', 'a', '--times', 'many'], 'times'],
    [['--text', 'a', '--times', '12'], 'times'],
    [['--text', 'a', '--where', '[]'], 'where'],
    [['--text', 'a', '--text', 'b'], 'twice'],
    [['--loud'], 'text'],
  ])('%j names what is wrong, and nothing is called', async (args, named) => {
    using bench = opened();
    const { stderr, exitCode } = await bench.called('/tools/echo', args);
    expect(exitCode).toBe(2);
    expect(stderr).toContain(named);
    expect(stderr).toContain('nothing was called');
    expect(calls(bench.server)).toEqual([]);
  });

  it('JSON on stdin is read where no argument is given, or - is', async () => {
    using bench = opened();
    const only = await bench.called('/tools/echo', [], { stdin: '{"text":"in"}' });
    expect(only).toMatchObject({ stdout: '{"text":"in"}\n', tookStdin: true });
    const both = await bench.called('/tools/echo', ['-', '--times', '2'], {
      stdin: '{"text":"in"}',
    });
    expect(JSON.parse(both.stdout)).toEqual({ text: 'in', times: 2 });
    const left = await bench.called('/tools/echo', ['--text', 'a'], { stdin: 'line\n' });
    expect(left.tookStdin).toBe(false);
    expect((await bench.called('/tools/echo', [], { stdin: 'no' })).exitCode).toBe(2);
  });
});

describe('schemas', () => {
  const withSchema = (inputSchema: unknown) => opened({ tools: [{ name: 'it', inputSchema }] });

  it('references within it are followed', async () => {
    using bench = withSchema({
      type: 'object',
      properties: { who: { $ref: '#/$defs/Who' } },
      $defs: {
        Who: {
          type: 'object',
          properties: { name: { type: 'string' }, boss: { $ref: '#/$defs/Who' } },
          required: ['name'],
        },
      },
    });
    expect((await bench.called('/tools/it', ['--who', '{"name":"a"}'])).exitCode).toBe(0);
    const wrong = await bench.called('/tools/it', ['--who', '{"name":7}']);
    expect(wrong).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('who.name') });
  });

  const deep = (levels: number): unknown =>
    levels === 0 ? { type: 'string' } : { type: 'object', properties: { a: deep(levels - 1) } };
  const doubling = Object.fromEntries(
    Array.from({ length: 40 }, (_, index) => [
      `d${index}`,
      { allOf: [{ $ref: `#/$defs/d${index + 1}` }, { $ref: `#/$defs/d${index + 1}` }] },
    ]),
  );
  it.each([
    ['of itself', { $ref: '#' }],
    ['elsewhere', { type: 'object', properties: { a: { $ref: 'http://evil.test/schema' } } }],
    ['of a file', { type: 'object', properties: { a: { $ref: 'file:///etc/passwd' } } }],
    ['that doubles', { $ref: '#/$defs/d0', $defs: { ...doubling, d40: {} } }],
    ['that is deep', { type: 'object', properties: { a: deep(500) } }],
  ])('one that refers %s checks nothing, hangs nothing and fetches nothing', async (_, schema) => {
    using bench = withSchema(schema);
    const before = bench.server.asked.length;
    const { exitCode } = await bench.called('/tools/it', [], { stdin: '{"a":"b"}' });
    expect(exitCode).toBe(0);
    expect(bench.server.asked.length - before).toBeLessThan(8);
  });

  it('a pattern that backtracks is decided at once', async () => {
    using bench = withSchema({
      type: 'object',
      properties: { a: { type: 'string', pattern: '^(a+)+$' } },
    });
    const { exitCode } = await bench.called('/tools/it', ['--a', `${'a'.repeat(50_000)}b`]);
    expect(exitCode).toBe(2);
  });
});

describe('answers', () => {
  const answering = (result: unknown) => opened({ call: () => result });

  it('a tool that fails is status 1, with its words on stderr', async () => {
    using bench = answering({ isError: true, content: [{ type: 'text', text: 'no such city' }] });
    const { stdout, stderr, exitCode } = await bench.called('/tools/echo', ['--text', 'a']);
    expect({ stdout, stderr, exitCode }).toEqual({
      stdout: '',
      stderr: 'no such city\n',
      exitCode: 1,
    });
  });

  it('structured content is JSON; -j is all of the answer', async () => {
    const answer = { content: [{ type: 'text', text: 'n' }], structuredContent: { n: 1 } };
    using bench = answering(answer);
    expect((await bench.called('/tools/echo', ['--text', 'a'])).stdout).toBe('{\n  "n": 1\n}\n');
    const whole = JSON.parse((await bench.called('/tools/echo', ['--text', 'a', '-j'])).stdout);
    expect(whole).toMatchObject(answer);
  });

  it('what is no text is written by -o, and otherwise told of with status 1', async () => {
    const data = Buffer.from([1, 2, 3]);
    const image = { type: 'image', mimeType: 'image/png', data: data.toString('base64') };
    using bench = answering({ content: [{ type: 'text', text: 'look' }, image, image] });
    const bare = await bench.called('/tools/echo', ['--text', 'a']);
    expect(bare).toMatchObject({
      stdout: 'look\n',
      exitCode: 1,
      stderr: expect.stringContaining('image/png, 3 bytes'),
    });
    const { files, exitCode } = await bench.called('/tools/echo', ['--text', 'a', '-o', 'd/p.png']);
    expect(exitCode).toBe(0);
    expect(files).toEqual([
      { path: 'd/p.png', data },
      { path: 'd/p-2.png', data },
    ]);
  });

  it('a prompt prints its messages, and a resource is its text or its bytes', async () => {
    using bench = opened({
      prompts: [{ name: 'greet', arguments: [{ name: 'who', required: true }] }],
      resources: [{ uri: 'demo://a' }],
      read: (uri) => ({
        contents: [uri === 'demo://a' ? { uri, text: 'plain' } : { uri, blob: 'AQID' }],
      }),
    });
    expect(await bench.called('/prompts/greet', ['--who', 'Ada'])).toMatchObject({
      stdout: 'Greet {"who":"Ada"}\n',
      exitCode: 0,
    });
    expect((await bench.called('/prompts/greet')).stderr).toContain('who');
    expect(await text(bench.mount, '/resources/demo:%2F%2Fa')).toBe('plain');
    expect([...(await bench.mount.read('/resources/demo:%2F%2Fitem%2F7'))]).toEqual([1, 2, 3]);
  });
});

describe('calls that change something', () => {
  it('each is in the journal, applied', async () => {
    using bench = opened();
    await bench.called('/tools/echo', ['--text', 'a']);
    const [change] = bench.changes();
    expect(change).toMatchObject({ op: 'call', state: 'applied', path: '/tools/echo' });
    expect(change?.mine).toContain('"text": "a"');
  });

  it.each([
    ['the line breaks', () => new TypeError('fetch failed')],
    ['the server fails', () => new Response('oops', { status: 502 })],
  ])('where %s it is unknown, and is not sent again', async (_, fault) => {
    using bench = opened();
    await names(bench.mount, '/tools');
    bench.server.fault = (method) => (method === 'tools/call' ? fault() : undefined);
    const error = await failure(bench.called('/tools/echo', ['--text', 'a']));
    expect(error.reason).toContain('is not sent again by itself');
    expect(bench.changes()).toMatchObject([{ op: 'call', state: 'unknown' }]);
    expect(calls(bench.server)).toHaveLength(1);
    bench.server.fault = null;
    await bench.mount.journal.recover();
    expect(calls(bench.server)).toHaveLength(1);
  });

  it('one that is interrupted is told to the server, and unknown', async () => {
    using bench = opened({ call: () => new Promise(() => undefined) });
    const ending = new AbortController();
    const call = failure(bench.called('/tools/echo', ['--text', 'a'], { signal: ending.signal }));
    await expect.poll(() => calls(bench.server).length).toBe(1);
    ending.abort();
    expect((await call).reason).toContain('interrupted');
    expect(bench.changes()).toMatchObject([{ state: 'unknown' }]);
  });

  it('one that takes too long ends', async () => {
    using bench = opened({ call: () => new Promise(() => undefined) }, { timeoutMs: 50 });
    const error = await failure(bench.called('/tools/echo', ['--text', 'a']));
    expect(error).toMatchObject({ code: 'ETIMEDOUT' });
  });

  it('a definition that has changed since the call was planned is not called', async () => {
    using bench = opened({}, { freshMs: 0 });
    const plan = await bench.planned('/tools/echo', ['--text', 'a']);
    bench.server.offered.tools = [{ ...ECHO, description: 'Sends it to everybody' }];
    const error = await failure(plan.carryOut(SIGNAL));
    expect(error.reason).toContain('another definition');
    expect(calls(bench.server)).toEqual([]);
  });

  it('in a dry run it is staged, is applied as it was shown, and its answer stays with it', async () => {
    using bench = opened({}, { stage: true });
    const staged = await bench.called('/tools/echo', ['--text', 'a']);
    expect(staged).toMatchObject({
      stdout: '',
      exitCode: 1,
      stderr: expect.stringContaining('staged'),
    });
    expect(calls(bench.server)).toEqual([]);
    expect(await text(bench.mount, '/tools/echo')).toContain('Says it again');
    const [change] = bench.changes();
    expect(change).toMatchObject({ state: 'pending', op: 'call' });
    expect(await bench.mount.journal.apply([change?.id ?? ''])).toMatchObject([
      { state: 'applied' },
    ]);
    expect(bench.changes()[0]?.result?.answer).toBe('{"text":"a"}\n');
    expect(calls(bench.server)).toHaveLength(1);
  });

  it.each([
    [false, { readOnlyHint: true }, 'destroys'],
    [true, { readOnlyHint: true }, 'reads'],
    [true, { destructiveHint: false }, 'changes'],
    [true, {}, 'destroys'],
  ] as const)('trustHints %s and %j: it %s', async (trustHints, annotations, effect) => {
    using bench = opened({ tools: [{ ...ECHO, annotations }] }, { trustHints });
    const plan = await bench.planned('/tools/echo', ['--text', 'a']);
    expect(plan.effect).toBe(effect);
    await plan.carryOut(SIGNAL);
    expect(bench.changes()).toHaveLength(effect === 'reads' ? 0 : 1);
  });
});

it('programs hold what is asked of any: help, wrong words, a call, a dry run, each answer lost', async () => {
  await using subject = await testedServer();
  const disturbed = await programs(subject, [
    {
      what: 'a tool',
      path: '/tools/echo',
      args: ['--text', 'once'],
      wrong: ['--txt', 'once'],
      made: (asked) => asked.filter((one) => one === 'once').length,
    },
  ]);
  expect(disturbed).toBeGreaterThanOrEqual(4);
});

describe('credentials', () => {
  it('go to the address in the config alone, and come back in no answer, file or error', async () => {
    const token = 'SECRET-TOKEN-0123456789';
    using bench = opened(
      { call: () => ({ content: [{ type: 'text', text: `you are ${token}` }] }) },
      { token, headers: { 'X-Key': 'OTHER-SECRET-99' }, secrets: ['OTHER-SECRET-99'] },
    );
    const { stdout } = await bench.called('/tools/echo', ['--text', 'a']);
    expect(stdout).toBe('you are [redacted]\n');
    bench.server.fault = (method) =>
      method === 'tools/call'
        ? new Response(`no: ${token} OTHER-SECRET-99`, { status: 400 })
        : undefined;
    const error = await failure(bench.called('/tools/echo', ['--text', 'a']));
    expect(error.reason).not.toContain('SECRET-TOKEN');
    expect(error.reason).not.toContain('OTHER-SECRET');
  });

  it('a redirect is not followed', async () => {
    using bench = opened({}, { token: 'SECRET-TOKEN-0123456789' });
    bench.server.fault = () =>
      new Response(null, { status: 307, headers: { location: 'http://evil.test/' } });
    const error = await failure(bench.mount.readdir('/tools'));
    expect(error.reason).toContain('leads elsewhere');
  });
});
