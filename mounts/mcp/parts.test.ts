/** What an MCP server says and is told, piece by piece: names, words of calls, answers, schemas, lists, requests. */
import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/client';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { check } from './checking.ts';
import { boundedFetch, statusOf } from './http.ts';
import { fileOf, nameOf, programFileOf } from './names.ts';
import { promptOutput, toolOutput } from './output.ts';
import { withUsableRows } from './usable.ts';
import { escapeControls, lines, optionLines, wordsOf } from './words.ts';

describe('the file of a name', () => {
  it.each([
    ['echo', 'echo'],
    ['a/b', 'a%2Fb'],
    ['100%', '100%25'],
    ['.hidden', '%2Ehidden'],
    ['a.b', 'a.b'],
    ['a\nb\u202e', 'a%0Ab%E2%80%AE'],
    ['README.md', 'README%2Emd'],
    ['new.x', 'new%2Ex'],
    ['newer', 'newer'],
    ['README.mdx', 'README.mdx'],
    ['demo://a b', 'demo:%2F%2Fa b'],
    ['x'.repeat(180), 'x'.repeat(180)],
  ])('%j is %j, and leads back', (name, file) => {
    expect(fileOf(name)).toBe(file);
    expect(nameOf(file)).toBe(name);
  });

  it('that is long is cut, and told apart by a digest', () => {
    const [a, b] = ['a', 'b'].map((end) => fileOf('x'.repeat(200) + end));
    expect(a).toMatch(/^x{180}~[0-9a-f]{16}$/);
    expect(a).not.toBe(b);
    expect(fileOf('é'.repeat(100))).toMatch(/^é{90}~/);
    expect(fileOf(`x${'é'.repeat(100)}`)).toMatch(/^xé{89}~/);
    expect(nameOf(a ?? '')).toBeNull();
  });

  it('is one name, whatever the server calls it', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', minLength: 1, maxLength: 60 }), (name) => {
        const file = fileOf(name);
        expect(file).not.toMatch(/[/\0\n]|^\.|^README\.md$/);
        if (name.isWellFormed() && Buffer.byteLength(file) <= 180) expect(nameOf(file)).toBe(name);
      }),
    );
  });

  it('that nothing has makes none', () => {
    for (const file of ['%', '%zz', 'a%2fb', '%61', '.a', '%ff'])
      expect([file, nameOf(file)]).toEqual([file, null]);
  });

  it('of a program is no definition', () => {
    expect(programFileOf('a.json')).toBe('a%2Ejson');
    expect(programFileOf('a.json.sh')).toBe('a.json.sh');
  });
});

describe('the words of a call', () => {
  const text = { type: 'string' };
  const SCHEMA = {
    type: 'object',
    required: ['text'],
    properties: {
      text,
      times: { type: 'integer' },
      loud: { type: 'boolean' },
      tags: { type: 'array', items: text },
      sizes: { type: 'array', items: { type: 'number' } },
      where: { type: 'object' },
      dry_run: { type: 'boolean' },
      maxItems: { type: ['integer', 'null'] },
      either: { type: ['string', 'number'] },
      maybe: { anyOf: [text, { type: 'null' }] },
      any: {},
      level: { enum: [1, 2] },
      kind: { enum: ['a', 'b'] },
      open: { type: ['string', 'object'] },
    },
  };
  const words = (args: string[], stdin = '', schema: object = SCHEMA) =>
    wordsOf({ name: 'x', args, stdin: Buffer.from(stdin) } as never, schema as never);
  const given = (...args: string[]) => words(args).arguments;
  const fault = (args: string[], stdin = '', schema: object = SCHEMA): string => {
    try {
      words(args, stdin, schema);
    } catch (error) {
      return `${(error as Error).name}: ${(error as Error).message}`;
    }
    return 'none';
  };

  it.each<[string[], object]>([
    [['--text', 'a b'], { text: 'a b' }],
    [['--text=a=b'], { text: 'a=b' }],
    [['--text='], { text: '' }],
    [['--text', '7'], { text: '7' }],
    [['--text', '--loud'], { text: '--loud' }],
    [['--times', '3'], { times: 3 }],
    [['--loud'], { loud: true }],
    [['--loud', 'true'], { loud: true }],
    [['--loud', 'false'], { loud: false }],
    [['--loud=false'], { loud: false }],
    [['--no-loud'], { loud: false }],
    [['--dry-run'], { dry_run: true }],
    [['--no-dry-run'], { dry_run: false }],
    [['--DryRun'], { dry_run: true }],
    [['--max-items', '4'], { maxItems: 4 }],
    [['--max-items', 'null'], { maxItems: null }],
    [['--tags', 'a', '--tags', 'b'], { tags: ['a', 'b'] }],
    [['--tags', '["a","b"]'], { tags: ['a', 'b'] }],
    [['--tags', ' ["a"]'], { tags: ['a'] }],
    [['--sizes', '1.5', '--sizes=2'], { sizes: [1.5, 2] }],
    [['--where', '{"city":"x"}'], { where: { city: 'x' } }],
    [['--either', '1.5'], { either: 1.5 }],
    [['--either', '-2'], { either: -2 }],
    [['--either', '1e3'], { either: '1e3' }],
    [['--maybe', 'null'], { maybe: null }],
    [['--maybe', '3'], { maybe: '3' }],
    [['--any', '{"a":1}'], { any: { a: 1 } }],
    [['--any', 'word'], { any: 'word' }],
    [['--level', '2'], { level: 2 }],
    [['--kind', '2'], { kind: '2' }],
    [['--open', '{"a":1}'], { open: { a: 1 } }],
    [['--open', 'word'], { open: 'word' }],
  ])('%j are %j', (args, wanted) => {
    expect(given(...args)).toEqual(wanted);
  });

  it.each<[string[], string]>([
    [['word'], '"word" is no option: arguments are given as --NAME VALUE'],
    [['--'], '"--" is no option'],
    [['-x'], '"-x" is no option'],
    [['--text'], '--text needs a value'],
    [['-o'], '-o needs the name of a file'],
    [['--text', 'a', '--text', 'b'], '--text is given twice'],
    [['--loud', '--no-loud'], '--loud is given twice'],
    [['--times', 'many'], '--times: "many" should be integer, as JSON'],
    [['--where', 'x'], '--where: "x" should be object, as JSON'],
    [['--sizes', 'x'], '--sizes: "x" should be number, as JSON'],
    [['--tex', 'a'], '--tex: '],
    [['--no-text'], '--no-text: '],
    [['--no-loud=true'], '--no-loud: '],
    [['--no-nothing'], '--no-nothing: '],
  ])('%j are none', (args, message) => {
    expect(fault(args)).toContain(`WordFault: ${message}`);
  });

  it('that fit two names alike are none', () => {
    const schema = { properties: { a_b: text, aB: text } };
    expect(fault(['--a-b', 'x'], '', schema)).toContain('--a-b: ');
    expect(words(['--aB', 'x'], '', schema).arguments).toEqual({ aB: 'x' });
  });

  it('that no schema names are taken where it allows others', () => {
    expect(words(['--a', '1', '--b=x'], '', { type: 'object' }).arguments).toEqual({
      a: 1,
      b: 'x',
    });
    expect(fault(['--a', '1'], '', { additionalProperties: false })).toContain('--a: ');
    expect(fault(['--a', '1', '--a', '2'], '', {})).toContain('--a is given twice');
  });

  it('come as JSON where none is given, or where - asks for it', () => {
    expect(words([], '{"text":"x"}')).toMatchObject({ arguments: { text: 'x' }, tookStdin: true });
    expect(words([], ' \n')).toMatchObject({ arguments: {}, tookStdin: true });
    expect(words([], '')).toMatchObject({ arguments: {}, tookStdin: false });
    expect(words(['--times', '3'], '{"text":"x"}')).toMatchObject({
      arguments: { times: 3 },
      tookStdin: false,
    });
    expect(words(['--times', '3', '-'], '{"text":"x","times":1}')).toMatchObject({
      arguments: { text: 'x', times: 3 },
      tookStdin: true,
    });
    for (const stdin of ['[]', '3', 'null', '"x"', '{'])
      expect([stdin, fault([], stdin)]).toEqual([
        stdin,
        expect.stringContaining('stdin is no JSON object'),
      ]);
  });

  it('ask for help, for all of an answer, for a file', () => {
    expect(words([])).toMatchObject({ help: false, whole: false, file: null });
    expect(words(['-j', '-o', 'f', '--text', 'x'])).toMatchObject({
      whole: true,
      file: 'f',
      help: false,
    });
    for (const help of ['-h', '--help'])
      expect(words([help], 'no JSON')).toMatchObject({ help: true, tookStdin: false });
  });

  it('are told in lines: an option, its type, whether it must be given, and what is said of it', () => {
    expect(
      optionLines({
        required: ['text'],
        properties: {
          text: { type: 'string', description: 'what\nit \u001b[31msays' },
          loud: { type: 'boolean' },
          kind: { enum: ['a', 'b'], default: 'a' },
          one: { oneOf: [{ type: 'integer' }, { type: 'null' }], description: 3 },
          any: true,
        },
      }),
    ).toEqual([
      '  --text STRING, required',
      '      what',
      '      it \\u001b[31msays',
      '  --loud, --no-loud',
      '  --kind STRING ("a", "b") ["a"]',
      '  --one INTEGER|NULL',
      '  --any ANY',
    ]);
    expect(optionLines({})).toEqual([]);
  });

  it('of a server end no line elsewhere, and move no terminal', () => {
    expect(lines('')).toEqual([]);
    expect(lines('a \r\nb\rc\vd\fe\x85f\u2028g\u2029h\n')).toEqual([
      'a',
      'b',
      'c',
      'd',
      'e',
      'f',
      'g',
      'h',
      '',
    ]);
    expect(escapeControls('a\tb\u0007\u202e\u{e0001}é')).toBe('a b\\u0007\\u202e\\ue0001é');
  });
});

describe('an answer', () => {
  const part = (type: string, more: object) => ({ type, ...more });
  const TEXT = part('text', { text: 'hello' });
  const base64 = (text: string) => Buffer.from(text).toString('base64');
  const image = (data: string) => part('image', { data: base64(data), mimeType: 'image/png' });
  const shown = (content: object[], wanted = {}, more: object = {}) => {
    const { stdout, files = [], ...rest } = toolOutput({ content, ...more }, wanted);
    return {
      ...rest,
      out: Buffer.from(stdout).toString(),
      files: files.map(({ path, data }) => `${path}=${Buffer.from(data)}`),
    };
  };

  it('is its texts, each with an end', () => {
    const all = [
      TEXT,
      part('text', { text: 'b\n' }),
      part('text', {}),
      part('resource_link', { uri: 'demo:1' }),
    ];
    const more = [
      part('resource', { resource: { uri: 'demo:2', text: 'c' } }),
      part('other', { x: 1 }),
    ];
    expect(shown([...all, ...more])).toEqual({
      out: 'hello\nb\ndemo:1\nc\n{"type":"other","x":1}\n',
      stderr: '',
      exitCode: 0,
      files: [],
    });
    expect(shown([])).toMatchObject({ out: '', exitCode: 0 });
    expect(shown([part('resource_link', {})])).toMatchObject({ out: '' });
  });

  it('that is structured is that, and else its texts', () => {
    expect(shown([TEXT], {}, { structuredContent: { a: 1 } }).out).toBe('{\n  "a": 1\n}\n');
    expect(shown([TEXT], {}, { structuredContent: null }).out).toBe('hello\n');
    expect(shown([TEXT], {}, { structuredContent: 0 }).out).toBe('0\n');
  });

  it('of what failed is on stderr', () => {
    expect(shown([TEXT], {}, { isError: true, structuredContent: { a: 1 } })).toEqual({
      out: '',
      stderr: 'hello\n',
      exitCode: 1,
      files: [],
    });
    expect(shown([], {}, { isError: true }).stderr).toBe('the tool failed, and does not say why\n');
    expect(shown([TEXT], {}, { isError: 'yes' })).toMatchObject({ out: 'hello\n', exitCode: 0 });
  });

  it('is all of it as JSON where that is wanted, whatever came of it', () => {
    for (const isError of [true, false]) {
      const { out, exitCode, stderr } = shown([image('x')], { whole: true }, { isError });
      expect(JSON.parse(out)).toEqual({ content: [image('x')], isError });
      expect([exitCode, stderr]).toEqual([isError ? 1 : 0, '']);
    }
    expect(shown([TEXT], { whole: true, file: 'f' }).files).toHaveLength(1);
  });

  it('that is no text is told of, with its type and its size', () => {
    const { out, stderr, exitCode } = shown([
      TEXT,
      image('PNG'),
      part('audio', { data: base64('xy') }),
    ]);
    expect([out, exitCode]).toEqual(['hello\n', 1]);
    expect(stderr).toContain('(image/png, 3 bytes; audio, 2 bytes)');
    const blob = part('resource', {
      resource: { uri: 'a', blob: base64('z'), mimeType: 'a/b\u001b' },
    });
    expect(shown([blob]).stderr).toContain('(a/b?, 1 bytes)');
    const long = part('image', { data: '', mimeType: 'x'.repeat(90) });
    expect(shown([long]).stderr).toContain(`(${'x'.repeat(80)}, 0 bytes)`);
  });

  it.each<[string, object[], string, string, string[]]>([
    ['a text', [TEXT], 'f', '', ['f=hello\n']],
    ['nothing', [], 'f', '', ['f=']],
    ['a picture', [image('a')], 'f.png', '', ['f.png=a']],
    ['two', [image('a'), image('b')], 'd/f.png', '', ['d/f.png=a', 'd/f-2.png=b']],
    ['two without an ending', [image('a'), image('b')], 'd.x/f', '', ['d.x/f=a', 'd.x/f-2=b']],
    ['two hidden ones', [image('a'), image('b')], 'd/.f', '', ['d/.f=a', 'd/.f-2=b']],
    [
      'a text and two',
      [TEXT, image('a'), image('b')],
      'f.png',
      'hello\n',
      ['f.png=a', 'f-2.png=b'],
    ],
  ])('of %s is written to a file', (_what, content, file, out, files) => {
    expect(shown(content, { file })).toEqual({ out, stderr: '', exitCode: 0, files });
  });

  it('of a prompt says who speaks, where there are several', () => {
    const of = (messages: object[], wanted = {}) => {
      const { stdout, ...rest } = promptOutput({ messages }, wanted);
      return { out: Buffer.from(stdout).toString(), ...rest };
    };
    const user = { role: 'user', content: TEXT };
    expect(of([user])).toEqual({ out: 'hello\n', stderr: '', exitCode: 0 });
    expect(of([user, { role: 'assistant', content: [TEXT, TEXT] }]).out).toBe(
      'user:\nhello\n\nassistant:\nhello\nhello\n',
    );
    expect(of([{ role: 'user', content: [TEXT, image('a')] }])).toMatchObject({
      out: 'hello\n',
      exitCode: 1,
    });
    expect(JSON.parse(of([user], { whole: true }).out)).toEqual({ messages: [user] });
    expect(of([user], { file: 'f' }).files).toEqual([{ path: 'f', data: Buffer.from('hello\n') }]);
  });
});

describe('arguments against a schema', () => {
  const fields = (schema: object, value: unknown) => {
    const { problems, unchecked } = check(schema as never, value);
    return unchecked ?? problems.map(({ field }) => field);
  };
  const object = (properties: object, more: object = {}) => ({
    type: 'object',
    properties,
    ...more,
  });

  it.each<[string, object, unknown, unknown]>([
    ['a type', object({ a: { type: 'integer' } }), { a: 'x' }, ['a']],
    ['what must be given', object({ a: {} }, { required: ['a'] }), {}, ['a']],
    ['what is within', object({ a: object({ b: { type: 'string' } }) }), { a: { b: 1 } }, ['a.b']],
    [
      'a list',
      object({ a: { type: 'array', items: { type: 'string' } } }),
      { a: ['x', 1] },
      ['a.1'],
    ],
    [
      'a reference',
      object({ a: { $ref: '#/$defs/T' } }, { $defs: { T: { type: 'string' } } }),
      { a: 1 },
      ['a'],
    ],
    [
      'a reference with escapes',
      object({ a: { $ref: '#/$defs/a~1b~0' } }, { $defs: { 'a/b~': { type: 'string' } } }),
      { a: 1 },
      ['a'],
    ],
    ['the whole', object({ a: { $ref: '#' }, b: { type: 'string' } }), { a: { b: 1 } }, ['a.b']],
    ['a pattern', object({ a: { type: 'string', pattern: '^x$' } }), { a: 'y' }, ['a']],
    [
      'a property called as a keyword',
      object({ default: { type: 'string' }, $ref: { type: 'string' } }),
      { default: 1, $ref: 2 },
      ['default', '$ref'],
    ],
    [
      'data that looks like a reference',
      object({ a: { enum: [{ $ref: '#/x' }, 'y'] } }),
      { a: 'y' },
      [],
    ],
    ['no condition', object({}, { if: {}, not: {} }), {}, []],
    ['no format', object({ a: { type: 'string', format: 'date' } }), { a: 'x' }, []],
    [
      'no pattern that only another engine has',
      object({ a: { type: 'string', pattern: '(?=a)b' }, b: { type: 'string' } }),
      { a: 'c', b: 1 },
      ['b'],
    ],
  ])('%s is looked at as far as it can be', (_what, schema, value, wanted) => {
    expect(fields(schema, value)).toEqual(wanted);
  });

  it.each([
    ['https://x.example/s.json', 'which is not fetched'],
    ['other', 'which is not fetched'],
    ['#anchor', 'which is not fetched'],
    ['#/$defs/None', 'which is not there'],
    ['#/constructor', 'which is not there'],
    ['#/type/length', 'which is not there'],
  ])('a reference to %s is told of, and nothing is refused by it', (ref, why) => {
    expect(fields(object({ a: { $ref: ref } }), { a: 1 })).toContain(why);
  });

  it('what multiplies itself, or is too deep, is not followed', () => {
    const twice = (n: number) =>
      object({ a: { $ref: `#/$defs/${n}` }, b: { $ref: `#/$defs/${n}` } });
    const $defs = Object.fromEntries(Array.from({ length: 20 }, (_, n) => [n, twice(n + 1)]));
    expect(fields({ ...twice(0), $defs: { ...$defs, 20: {} } }, {})).toBe('it multiplies itself');
    const nested = (depth: number): object => (depth === 0 ? {} : { items: nested(depth - 1) });
    expect(fields({ type: 'array', ...nested(40) }, [])).toEqual([]);
    expect(fields({ type: 'array', ...nested(41) }, [])).toBe('it multiplies itself');
  });
});

describe('a list of a server', () => {
  it('has the rows that are some, and tells how many are none', () => {
    const left: number[] = [];
    let closed = 0;
    const inner = {
      close: async () => void closed++,
      onmessage: undefined,
    } as unknown as Transport;
    const usable = withUsableRows(inner, (count) => left.push(count));
    const got: JSONRPCMessage[] = [];
    usable.onmessage = (message) => got.push(message);
    const say = (result: unknown) =>
      inner.onmessage?.({ jsonrpc: '2.0', id: 1, result } as JSONRPCMessage);
    say({ tools: [{ name: 'a', title: 3 }, { name: '' }, 7], nextCursor: 'n' });
    say({
      prompts: [{ name: 'p' }],
      resources: [{ uri: 'x:1' }, {}],
      resourceTemplates: [{ uriTemplate: 't' }],
    });
    say({ tools: 'none', content: [1] });
    inner.onmessage?.({ jsonrpc: '2.0', method: 'ping' } as JSONRPCMessage);
    expect(left).toEqual([2, 1]);
    expect(got).toMatchObject([
      { result: { tools: [{ name: 'a', inputSchema: { type: 'object' } }], nextCursor: 'n' } },
      {
        result: {
          prompts: [{ name: 'p' }],
          resources: [{ uri: 'x:1', name: '' }],
          resourceTemplates: [{ uriTemplate: 't' }],
        },
      },
      { result: { tools: 'none', content: [1] } },
      { method: 'ping' },
    ]);
    expect(got[0]).not.toHaveProperty('result.tools.0.title');
    void usable.close();
    expect(closed).toBe(1);
    usable.onmessage = undefined as never;
    expect(inner.onmessage).toBeUndefined();
  });
});

describe('a request', () => {
  const ORIGIN = new URL('https://a.example/mcp');
  const MOST = 16 * 1024 * 1024;

  function bounded(answer: () => Response) {
    const asked: [string, RequestInit | undefined][] = [];
    let bytes = 0;
    const fetch = boundedFetch(
      (async (url: URL, init?: RequestInit) => {
        asked.push([String(url), init]);
        return answer();
      }) as typeof globalThis.fetch,
      ORIGIN,
      (count) => {
        bytes += count;
      },
    );
    return { fetch, asked, bytes: () => bytes };
  }

  it('goes to its own server alone, and is counted with its answer', async () => {
    const { fetch, asked, bytes } = bounded(
      () => new Response('héllo', { status: 201, headers: { a: 'b' } }),
    );
    const got = await fetch('https://a.example/x', { method: 'POST', body: 'é' });
    expect([got.status, got.headers.get('a'), await got.text()]).toEqual([201, 'b', 'héllo']);
    expect(bytes()).toBe(2 + 6);
    expect(asked).toEqual([
      ['https://a.example/x', { method: 'POST', body: 'é', redirect: 'manual' }],
    ]);
    await fetch(new Request('https://a.example/y'));
    expect(asked[1]?.[0]).toBe('https://a.example/y');
    for (const other of ['https://b.example/x', 'http://a.example/x', 'https://a.example:8443/'])
      await expect(fetch(other)).rejects.toThrow('the server is https://a.example');
    expect(asked).toHaveLength(2);
  });

  it.each([300, 302, 308, 399])('that is answered by %i is not sent elsewhere', async (status) => {
    const { fetch } = bounded(() => ({ status, body: null }) as Response);
    await expect(fetch(ORIGIN)).rejects.toThrow('it leads elsewhere');
  });

  it.each([304, 400])('that is answered by %i is not led elsewhere', async (status) => {
    const { fetch } = bounded(() => new Response(null, { status }));
    expect((await fetch(ORIGIN)).status).toBe(status);
  });

  it('has an answer of 16 MiB at most; of events, each', async () => {
    const chunk = Buffer.alloc(MOST / 4, 'x');
    const of = (chunks: Uint8Array[], type = 'application/json') =>
      bounded(() => {
        const body = new ReadableStream({
          start(controller) {
            for (const one of chunks) controller.enqueue(one);
            controller.close();
          },
        });
        return new Response(body, { headers: { 'content-type': type } });
      })
        .fetch(ORIGIN)
        .then((answer) => answer.arrayBuffer())
        .then(({ byteLength }) => byteLength);
    const end = Buffer.from('\n');
    expect(await of([chunk, chunk, chunk, chunk])).toBe(MOST);
    await expect(of([chunk, chunk, end, chunk, chunk])).rejects.toThrow(
      'an answer of more than 16 MiB',
    );
    const events = 'text/event-stream; charset=utf-8';
    expect(await of([chunk, chunk, chunk, end, chunk, chunk], events)).toBe(MOST * 1.25 + 1);
    await expect(
      of([chunk, chunk, chunk, chunk, end], events).then(() =>
        of([end, chunk, chunk, chunk, chunk, chunk], events),
      ),
    ).rejects.toThrow('16 MiB');
  });

  it('that failed otherwise has no status', () => {
    expect(statusOf(new Error('x'))).toBeNull();
  });
});
