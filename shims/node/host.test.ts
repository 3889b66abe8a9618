/** The command line of `node`, and what the host computes for its scripts, beside Node.js itself. */
import * as crypto from 'node:crypto';
import { inspect } from 'node:util';
import * as zlib from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { parseCommandLine, WrongOption } from './command-line.ts';
import { computeCalls } from './host/compute.ts';
import { Output } from './host/output.ts';
import { textCalls } from './host/text.ts';

describe('the command line', () => {
  const LINE = {
    code: null,
    isShown: false,
    isChecked: false,
    isHelp: false,
    isVersion: false,
    inputType: '',
    script: null,
    args: [],
    execArgv: [],
    required: [],
  };
  test.each<[string, object]>([
    ['', {}],
    ['a.js -x b', { script: 'a.js', args: ['-x', 'b'] }],
    ['- x', { script: '-', args: ['x'] }],
    ['-- -e x', { script: '-e', args: ['x'] }],
    ['--', {}],
    ['-e 1 x y', { code: '1', args: ['x', 'y'], execArgv: ['-e', '1'] }],
    ['-e 1 -- x', { code: '1', args: ['x'], execArgv: ['-e', '1'] }],
    ['--eval=1=2', { code: '1=2', execArgv: ['--eval=1=2'] }],
    ['-p 1', { code: '1', isShown: true, execArgv: ['-p', '1'] }],
    ['-pe 1', { code: '1', isShown: true, execArgv: ['-pe', '1'] }],
    ['--print=1', { code: '1', isShown: true, execArgv: ['--print=1'] }],
    ['-e 1 -p x', { code: '1', isShown: true, args: ['x'], execArgv: ['-e', '1', '-p'] }],
    ['-c a.js', { isChecked: true, script: 'a.js', execArgv: ['-c'] }],
    ['--check a.js', { isChecked: true, script: 'a.js', execArgv: ['--check'] }],
    ['-v', { isVersion: true, execArgv: ['-v'] }],
    ['--version', { isVersion: true, execArgv: ['--version'] }],
    ['-h', { isHelp: true, execArgv: ['-h'] }],
    ['--help', { isHelp: true, execArgv: ['--help'] }],
    ['--input-type=module', { inputType: 'module', execArgv: ['--input-type=module'] }],
    ['--input-type module', { inputType: 'module', execArgv: ['--input-type', 'module'] }],
    [
      '-r a --require=b --import c d.js',
      {
        required: ['a', 'b', 'c'],
        script: 'd.js',
        execArgv: ['-r', 'a', '--require=b', '--import', 'c'],
      },
    ],
    [
      '--no-warnings --max-old-space-size=99 x',
      { script: 'x', execArgv: ['--no-warnings', '--max-old-space-size=99'] },
    ],
  ])('%s', (words, line) => {
    expect(parseCommandLine(words.split(' ').filter((word) => word !== ''))).toEqual({
      ...LINE,
      ...line,
    });
  });

  test.each([
    ['--frob', 'bad option: --frob'],
    ['-x', 'bad option: -x'],
    ['-i', 'bad option: -i'],
    ['--interactive', 'bad option: --interactive'],
    ['--max-old-space-size=x', 'bad option: --max-old-space-size=x'],
    ['-e', '-e requires an argument'],
    ['--eval', '--eval requires an argument'],
    ['-p', '-p requires an argument'],
    ['-r', '-r requires an argument'],
    ['--input-type', '--input-type requires an argument'],
  ])('%s is refused', (words, message) => {
    expect(() => parseCommandLine(words.split(' '))).toThrow(new WrongOption(message));
  });
});

const call = (name: string, ...args: unknown[]): unknown =>
  (textCalls as Record<string, (...all: unknown[]) => unknown>)[name]?.(...args);

describe('an address', () => {
  /** Where Node.js's own class says that its parts end. */
  function partsOf(url: URL): (string | number)[] {
    const shown = inspect(url, { showHidden: true, depth: 2 });
    const field = (name: string): number => Number(new RegExp(`${name}: (\\d+)`).exec(shown)?.[1]);
    return [
      ...['protocol_end', 'username_end', 'host_start', 'host_end', 'port', 'pathname_start'],
      ...['search_start', 'hash_start', 'scheme_type'],
    ].map(field);
  }
  const ADDRESSES = [
    'http://h',
    'http://h:8080/p?q#f',
    'https://u@h/',
    'https://u:p@h:1/?#',
    'https://:p@h/',
    'ftp://h/a#',
    'ws://h/?',
    'wss://h/?q',
    'file:///a/b',
    'file://h/a',
    'mailto:a@b?c#d',
    'web+demo:/.//not-a-host/',
    'x://h:9',
    'data:,x',
    'http://[::1]:80/',
  ];
  test.each(ADDRESSES)('%s has its parts where Node.js has them', (text) => {
    const url = new URL(text);
    expect(call('parseUrl', text)).toEqual({ href: url.href, parts: partsOf(url) });
  });

  test('is resolved against another one, changed in a part, and formatted', () => {
    expect(call('parseUrl', '../x', 'http://h/a/b/c')).toMatchObject({ href: 'http://h/a/x' });
    expect([call('parseUrl', 'x'), call('parseUrl', 'http://')]).toEqual([null, null]);
    const updated = (part: number, value: string) =>
      (call('updateUrl', 'http://u:p@h:1/p?q#f', part, value) as { href: string } | null)?.href;
    expect(
      ['ftp', 'x:2', 'y', '3', 'v', 'w', '/z', '?s', '#g', 'http://n/'].map((value, part) =>
        updated(part, value),
      ),
    ).toEqual([
      'ftp://u:p@h:1/p?q#f',
      'http://u:p@x:2/p?q#f',
      'http://u:p@y:1/p?q#f',
      'http://u:p@h:3/p?q#f',
      'http://v:p@h:1/p?q#f',
      'http://u:w@h:1/p?q#f',
      'http://u:p@h:1/z?q#f',
      'http://u:p@h:1/p?s#f',
      'http://u:p@h:1/p?q#g',
      'http://n/',
    ]);
    expect([updated(9, 'no'), updated(10, 'x')]).toEqual([undefined, undefined]);
    const formatted = (...how: boolean[]) =>
      call('formatUrl', 'http://u:p@xn--bcher-kva.de/?q#f', ...how);
    expect(formatted(true, true, true, true)).toBe('http://u:p@bücher.de/?q#f');
    expect(formatted(false, false, false, false)).toBe('http://xn--bcher-kva.de/');
    expect(call('originOf', 'http://h:1/x')).toBe('http://h:1');
    expect(call('pathToFileUrl', '/a b')).toMatchObject({ href: 'file:///a%20b' });
    expect([
      call('domainToASCII', 'bücher.de'),
      call('domainToUnicode', 'xn--bcher-kva.de'),
    ]).toEqual(['xn--bcher-kva.de', 'bücher.de']);
  });
});

describe('a text', () => {
  test('is bytes in its encoding, and back', () => {
    expect(call('encode', 'ü', 'latin1')).toEqual(Buffer.from([0xfc]));
    expect(call('encode', 'ü', 'none')).toEqual(Buffer.from('ü'));
    expect([call('decode', Buffer.from('ü'), 'utf8'), call('byteLength', 'ü')]).toEqual(['ü', 2]);
    expect(() => call('decode', 'text', 'utf8')).toThrow('no bytes');
    expect([call('isUtf8', Buffer.from('ü')), call('isUtf8', Buffer.of(0xff))]).toEqual([
      true,
      false,
    ]);
    expect([call('knowsEncoding', 'utf-16le'), call('knowsEncoding', 'x')]).toEqual([true, false]);
    const mark = Buffer.from('\ufeffa');
    expect(call('decodeText', mark, 'utf-8', false, false, false)).toBe('a');
    expect(call('decodeText', mark, 'utf-8', false, true, false)).toBe('\ufeffa');
    expect(call('decodeText', Buffer.of(0x61, 0xc3), 'utf-8', false, false, true)).toBe('a');
    expect(call('decodeText', Buffer.of(0x61, 0xc3), 'utf-8', false, false, false)).toBe('a\ufffd');
    expect(() => call('decodeText', Buffer.of(0xff), 'utf-8', true, false, false)).toThrow(
      TypeError,
    );
    expect([call('atob', 'YQ=='), call('atob', 'Y'), call('btoa', 'ÿ'), call('btoa', 'Ā')]).toEqual(
      ['a', -1, '/w==', -1],
    );
    expect([call('dataUrl', 'data:,a%20b'), call('dataUrl', 'data:text/x;base64,YQ==')]).toEqual([
      'a b',
      'a',
    ]);
    expect(call('parseEnv', 'A=1\n# x\nB="2 3"')).toEqual({ A: '1', B: '2 3' });
    expect(call('jsonError', '{}')).toBeNull();
    expect(call('jsonError', '{')).toMatch(/JSON/);
  });

  test('is a script, or what V8 says of it', () => {
    expect(call('isModule', 'x = 1')).toBe(false);
    expect(call('syntaxError', '#!/usr/bin/node\nreturn 1', '/a.js', 'commonjs')).toBeNull();
    expect(call('syntaxError', 'return 1', '/a.js', 'script')).toEqual([
      'Illegal return statement',
      expect.stringMatching(/^\/a\.js:1\nreturn 1\n/),
    ]);
    const [, stack] = call('syntaxError', 'x =', '/a.js', 'script') as string[];
    expect(stack).not.toMatch(/\n\s+at /);
    expect(call('stripTypes', 'let a: number = 1')).toEqual({ source: 'let a         = 1' });
    expect(call('stripTypes', 'enum A {}')).toEqual({ wrong: expect.any(String) });
  });

  test('of a package says which file a path of it is', () => {
    const manifest = JSON.stringify({
      name: 'p',
      exports: { '.': { import: './i.js', require: './r.js' }, './x': './x.js' },
      imports: { '#a': './a.js' },
    });
    const found = (specifier: string, by = 'import') =>
      call('resolveExports', manifest, specifier, by);
    expect([found('.'), found('.', 'require'), found('./x'), found('#a')]).toEqual([
      './i.js',
      './r.js',
      './x.js',
      './a.js',
    ]);
    expect([found('./y'), found('#b')]).toEqual([
      { wrong: expect.any(String) },
      { wrong: expect.any(String) },
    ]);
  });
});

describe('what the host computes', () => {
  const calls = computeCalls() as Record<string, (...all: unknown[]) => unknown>;
  const compute = (name: string, ...args: unknown[]) => calls[name]?.(...args);
  const data = Buffer.from('text');

  test('is what node:crypto says', () => {
    const digest = (key: Uint8Array | null, length: number | null, name = 'sha256') =>
      compute('digest', name, data, key, length);
    expect(digest(null, null)).toEqual({
      value: crypto.createHash('sha256').update(data).digest(),
    });
    expect(digest(Buffer.from('k'), null)).toEqual({
      value: crypto.createHmac('sha256', 'k').update(data).digest(),
    });
    expect((digest(null, 5, 'shake128') as { value: Buffer }).value).toHaveLength(5);
    expect(digest(null, null, 'none')).toMatchObject({ wrong: expect.any(String), kind: 'Error' });
    expect(compute('pbkdf2', data, data, 2, 8, 'sha1')).toEqual({
      value: crypto.pbkdf2Sync(data, data, 2, 8, 'sha1'),
    });
    expect(compute('scrypt', data, data, 8, '{"N":16}')).toEqual({
      value: crypto.scryptSync(data, data, 8, { N: 16 }),
    });
    expect(compute('hkdf', 'sha256', data, data, data, 8)).toEqual({
      value: Buffer.from(crypto.hkdfSync('sha256', data, data, data, 8)),
    });
    expect([compute('hashes'), compute('ciphers')]).toEqual([
      crypto.getHashes(),
      crypto.getCiphers(),
    ]);
  });

  test('is enciphered and deciphered, with its tag where it has one', () => {
    const [key, iv] = [Buffer.alloc(16, 1), Buffer.alloc(12, 2)];
    type Told = { value: { out: Buffer; tag: Buffer | null }; wrong?: string };
    const { value } = compute(
      'encipher',
      'aes-128-gcm',
      key,
      iv,
      data,
      Buffer.from('a'),
      null,
      true,
    ) as Told;
    expect(value.tag).toHaveLength(16);
    const back = (tag: Buffer | null, aad = 'a') =>
      compute('decipher', 'aes-128-gcm', key, iv, value.out, Buffer.from(aad), tag, true) as Told;
    expect(back(value.tag).value).toEqual({ out: data, tag: null });
    expect(back(value.tag, 'b').wrong).toBeDefined();
    const whole = compute(
      'encipher',
      'aes-128-cbc',
      key,
      Buffer.alloc(16),
      data,
      null,
      null,
      true,
    ) as Told;
    expect([whole.value.out.length, whole.value.tag]).toEqual([16, null]);
    const unpadded = compute(
      'encipher',
      'aes-128-ecb',
      key,
      null,
      Buffer.alloc(16),
      null,
      null,
      false,
    ) as Told;
    expect(unpadded.value.out).toHaveLength(16);
  });

  test('is packed and unpacked, up to a limit', () => {
    const packed = zlib.gzipSync(data);
    expect(compute('compress', 'gunzip', packed, '{}')).toEqual({ value: data });
    expect(compute('compress', 'gunzip', packed, '{"maxOutputLength":3}')).toMatchObject({
      code: 'ERR_BUFFER_TOO_LARGE',
    });
    expect(compute('compress', 'none', data, '{}')).toMatchObject({ wrong: 'none is not here' });
    expect(compute('compress', 'inflate', data, '{}')).toMatchObject({
      code: 'Z_DATA_ERROR',
      errno: -3,
    });
    expect(compute('crc32', data, 0)).toBe(zlib.crc32(data));
  });

  test('is said as languages say it', () => {
    expect(compute('compare', 'ä', 'z', '"de"', '{}')).toBe(-1);
    expect(compute('compare', 'ä', 'z', '"sv"', '{}')).toBe(1);
    expect(compute('formatNumber', 1234.5, '"de"', '{}')).toEqual({ value: '1.234,5' });
    expect(compute('formatNumber', '12345678901234567890', '"en"', '{}')).toEqual({
      value: '12,345,678,901,234,567,890',
    });
    expect(compute('formatDate', 0, '"en"', '{"timeZone":"UTC"}')).toEqual({ value: '1/1/1970' });
    expect(compute('formatDate', 0, '"en"', '{"timeZone":"none"}')).toMatchObject({
      kind: 'RangeError',
    });
    expect(compute('zoneName', 0, 'UTC')).toBe('Coordinated Universal Time');
    expect(compute('intl', 'PluralRules', 'select', '"en"', '{}', '[1]')).toEqual({
      value: '"one"',
    });
    expect(compute('intl', 'Segmenter', 'segment', '"en"', '{}', '["ab"]')).toMatchObject({
      value: expect.stringMatching(/^\[\{"segment":"a"/),
    });
    expect(compute('intl', 'None', 'x', '"en"', '{}', '[]')).toMatchObject({
      wrong: 'Intl.None is not a constructor',
    });
    expect([
      compute('localeCase', 'i', '"tr"', true),
      compute('localeCase', 'I', '"tr"', false),
    ]).toEqual(['İ', 'ı']);
    expect(compute('supportedLocales', 'Collator', '["de","zz"]')).toEqual({ value: ['de'] });
  });
});

test('what a script prints is handed on in pieces, in its order', () => {
  const said: string[] = [];
  const output = new Output((news) => {
    const { stream, bytes } = news as { stream: string; bytes: Uint8Array };
    said.push(`${stream} ${bytes.length}`);
  });
  output.flush();
  output.print('stdout', Buffer.alloc(10));
  output.print('stdout', Buffer.alloc(5));
  output.print('stderr', Buffer.alloc(1));
  output.print('stdout', Buffer.alloc(64 * 1024 - 1));
  expect(said).toEqual(['stdout 15', 'stderr 1']);
  output.print('stdout', Buffer.alloc(1));
  expect(said[2]).toBe('stdout 65536');
  output.print('stderr', Buffer.alloc(2));
  output.flush();
  output.flush();
  expect(said.slice(3)).toEqual(['stderr 2']);
});
