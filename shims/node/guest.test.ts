/** Pieces of the guest of `node`, beside Node.js itself: copies of values, where a module is, the call that failed. */
import {
  mkdirSync,
  readFileSync,
  realpathSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { join, posix } from 'node:path';
import { inspect } from 'node:util';
import { describe, expect, test } from 'vitest';
import { temporaryDirectory } from '../../test/temporary-directory.ts';
import { cloned } from './guest/clone.ts';
import type { Files } from './guest/files.ts';
import type { Guest, Loose } from './guest/loose.ts';
import { osModule } from './guest/os.ts';
import { directoryOf, isPath, pathOf, Resolver, urlOf } from './guest/resolver.ts';
import { callAt } from './guest/stack.ts';
import { textCalls } from './host/text.ts';

describe('a copy of a value', () => {
  const circle: Record<string, unknown> = { a: 1 };
  circle['self'] = circle;
  test.each<[string, unknown]>([
    ['primitives', [1, 'a', null, undefined, true, 2n, Number.NaN]],
    ['a circle', circle],
    ['dates and patterns', [new Date(5), /a/gi]],
    ['maps and sets', new Map<unknown, unknown>([[new Set([1]), { b: [2] }]])],
    ['bytes', [new Uint8Array([1, 2]), new Float64Array([0.5]), new Uint8Array([7]).buffer]],
    ['boxes', [Object(1), Object('a'), Object(false)]],
    ['holes', Object.assign([], { 0: 1, 2: 3 })],
    ['errors', new RangeError('no', { cause: new TypeError('why') })],
  ])('%s is what structuredClone makes', (_, value) => {
    const copy = cloned(value);
    expect(inspect(copy, { depth: 9 }).replaceAll(/\n\s+at .*/g, '')).toBe(
      inspect(structuredClone(value), { depth: 9 }).replaceAll(/\n\s+at .*/g, ''),
    );
    if (typeof value === 'object') expect(copy).not.toBe(value);
  });

  test('a view is of a copy of its bytes, and one thing is copied once', () => {
    const view = new DataView(new ArrayBuffer(4), 1, 2);
    const { one, other } = cloned({ one: view, other: view });
    expect([one === other, one === view, one.byteOffset, one.byteLength]).toEqual([
      true,
      false,
      1,
      2,
    ]);
    expect(cloned(Buffer.from('a')).constructor).toBe(Uint8Array);
  });

  test.each([
    ['a function', () => 1],
    ['a symbol', Symbol('s')],
    ['a promise', Promise.resolve()],
    ['a weak map', new WeakMap()],
  ])('%s cannot be', (_, value) => {
    expect(() => cloned({ value })).toThrow(expect.objectContaining({ name: 'DataCloneError' }));
  });
});

describe('where a module is', () => {
  /** A directory with packages, the files of it as a guest has them, and both ways to look. */
  function modules(files: Record<string, string>) {
    const at = realpathSync(temporaryDirectory());
    for (const [name, text] of Object.entries(files)) {
      mkdirSync(join(at, name, '..'), { recursive: true });
      writeFileSync(join(at, name), text);
    }
    const calls = textCalls as Record<string, (...all: unknown[]) => unknown>;
    const guest = {
      host: (name: string, ...args: unknown[]) => calls[name]?.(...args),
    } as unknown as Guest;
    const stat = (path: string) => statSync(path, { throwIfNoEntry: false }) ?? null;
    const resolver = new Resolver({
      guest,
      files: {
        tryStat: stat,
        isDirectory: (path: string) => stat(path)?.isDirectory() === true,
        resolve: (path: string) => posix.resolve(path),
        read: (path: string) => readFileSync(path),
      } as unknown as Files,
      library: () => ({ realpathSync }) as unknown as Loose,
      parentOf: (path) => (path === '/b.js' ? '/a.js' : undefined),
    });
    return { at, resolver, require: createRequire(join(at, 'x.js')) };
  }
  const FILES = {
    'a.js': '',
    'b.json': '{}',
    'd/index.js': '',
    'e/package.json': '{"main":"lib/main"}',
    'e/lib/main.js': '',
    'f/package.json': '{"main":"none"}',
    'f/index.json': '{}',
    'node_modules/p/package.json': '{"exports":{".":"./i.js","./sub/*":"./lib/*.js"}}',
    'node_modules/p/i.js': '',
    'node_modules/p/lib/x.js': '',
    'node_modules/@s/q/package.json': '{"main":"./m.js"}',
    'node_modules/@s/q/m.js': '',
    'node_modules/@s/q/n.js': '',
    'node_modules/plain.js': '',
  };

  test.each([
    './a.js',
    './a',
    './b',
    './d',
    './d/',
    './e',
    './f',
    '.',
    'p',
    'p/sub/x',
    '@s/q',
    '@s/q/n',
    '@s/q/n.js',
    'plain',
  ])('require("%s") is where Node.js finds it', (id) => {
    const { at, resolver, require } = modules({ ...FILES, 'index.js': '' });
    expect(resolver.resolve(id, at, 'require')).toBe(require.resolve(id));
  });

  test.each(['./none', './none/', 'none', 'p/other', '@s/none'])(
    'require("%s") is nowhere for both',
    (id) => {
      const { at, resolver, require } = modules(FILES);
      const codeOf = (look: () => string) => {
        try {
          return look();
        } catch (error) {
          return (error as { code: string }).code;
        }
      };
      expect(codeOf(() => resolver.resolve(id, at, 'require'))).toBe(
        codeOf(() => require.resolve(id)),
      );
    },
  );

  test('an import guesses nothing, and says what is missing for whom', () => {
    const { at, resolver } = modules(FILES);
    expect(resolver.resolve('./a.js', at, 'import')).toBe(join(at, 'a.js'));
    expect(resolver.resolve('p', at, 'import')).toBe(join(at, 'node_modules/p/i.js'));
    const failing = (id: string, by: 'import' | 'require' = 'import', parent = '/b.js') => {
      try {
        return resolver.resolve(id, at, by, parent);
      } catch (error) {
        const { code, message } = error as { code: string; message: string };
        return [code, message.replaceAll(at, '')];
      }
    };
    expect(failing('./a')).toEqual([
      'ERR_MODULE_NOT_FOUND',
      "Cannot find module '/a' imported from /b.js",
    ]);
    expect(failing('./d')).toEqual([
      'ERR_UNSUPPORTED_DIR_IMPORT',
      "Directory import '/d' is not supported resolving ES modules imported from /b.js",
    ]);
    expect(failing('none/x')).toEqual([
      'ERR_MODULE_NOT_FOUND',
      "Cannot find package 'none' imported from /b.js",
    ]);
    expect(failing('none', 'require')).toEqual([
      'MODULE_NOT_FOUND',
      "Cannot find module 'none'\nRequire stack:\n- /b.js\n- /a.js",
    ]);
  });

  test('its own package is known by name and by #, and links lead to where they lead', () => {
    const { at, resolver } = modules({
      'package.json':
        '{"name":"own","exports":{"./x":"./x.js"},"imports":{"#a":"./a.js","#p":"p"}}',
      'x.js': '',
      'a.js': '',
      'node_modules/p/index.js': '',
    });
    symlinkSync('a.js', join(at, 'link.js'));
    expect(resolver.resolve('own/x', at, 'import')).toBe(join(at, 'x.js'));
    expect(resolver.resolve('#a', join(at), 'require')).toBe(join(at, 'a.js'));
    expect(resolver.resolve('#p', join(at), 'require')).toBe(join(at, 'node_modules/p/index.js'));
    expect(resolver.resolve('./link.js', at, 'require')).toBe(join(at, 'a.js'));
    expect(resolver.packageOf(join(at, 'x.js'))?.name).toBe('own');
    expect(resolver.packageOf(join(at, 'node_modules/x.js'))).toBeNull();
    const broken = modules({ 'package.json': '{' });
    expect(() => broken.resolver.packageOf(join(broken.at, 'x.js'))).toThrow(
      expect.objectContaining({ code: 'ERR_INVALID_PACKAGE_CONFIG' }),
    );
    expect(resolver.lookups('/a/node_modules/b')).toEqual([
      '/a/node_modules/b/node_modules',
      '/a/node_modules',
      '/node_modules',
    ]);
    expect([
      directoryOf('/a'),
      directoryOf('/a/b'),
      urlOf('/a b'),
      pathOf('file:///a%20b?q#f'),
    ]).toEqual(['/', '/a', 'file:///a%20b', '/a b']);
    expect(['.', '..', './a', '../a', '/a', '.a', 'a', '#a'].map(isPath)).toEqual([
      true,
      true,
      true,
      true,
      true,
      false,
      false,
      false,
    ]);
  });
});

describe('the call at which a stack begins', () => {
  const at = (text: string, column: number, file = '/a.js') =>
    callAt({ stack: `Error: x\n    at f (${file}:1:${column})` }, new Map([['/a.js', text]]));
  test.each<[string, number, string | undefined]>([
    ['assert(a === b)', 1, 'assert(a === b)'],
    ['  assert(f(")"), `(`) ; x', 3, 'assert(f(")"), `(`)'],
    ["assert('\\')')", 1, "assert('\\')')"],
    ['assert.ok(a)', 8, 'assert.ok(a)'],
    ['a?.b(c)', 4, 'a?.b(c)'],
    ['assert(a,', 1, 'assert(a,'],
  ])('%s at %i is %s', (text, column, call) => expect(at(text, column)).toBe(call));

  test('is not known where its source is not', () => {
    expect(at('x', 1, '/b.js')).toBeUndefined();
    expect(callAt({}, new Map())).toBeUndefined();
  });
});

test('the system says the same wherever a world runs, and takes home and directories from the environment', () => {
  const os = (env: Record<string, string>) =>
    osModule({ env, arch: 'x64', uptime: () => 3, getuid: () => 1, getgid: () => 2 }, {}) as Record<
      string,
      () => unknown
    >;
  const has = (env: Record<string, string>, name: string) => os(env)[name]?.();
  expect([has({}, 'homedir'), has({ HOME: '/h' }, 'homedir')]).toEqual(['/', '/h']);
  expect(
    [{}, { TMPDIR: '/a/' }, { TMP: '/b' }, { TEMP: '/c' }, { TMPDIR: '/', TMP: '/b' }].map((env) =>
      has(env as Record<string, string>, 'tmpdir'),
    ),
  ).toEqual(['/tmp', '/a', '/b', '/c', '/']);
  expect(has({ USER: 'ana', HOME: '/h' }, 'userInfo')).toEqual({
    uid: 1,
    gid: 2,
    username: 'ana',
    homedir: '/h',
    shell: '/bin/bash',
  });
  expect(has({}, 'userInfo')).toMatchObject({ username: 'user' });
  expect(
    ['platform', 'endianness', 'availableParallelism', 'uptime', 'arch'].map((name) =>
      has({}, name),
    ),
  ).toEqual(['linux', 'LE', 1, 3, 'x64']);
  expect([has({}, 'loadavg'), has({}, 'freemem'), has({}, 'totalmem')]).toEqual([
    [0, 0, 0],
    2 ** 30,
    2 ** 30,
  ]);
});
