/** Bytes as text, work in slices, YAML that is read soon: the small helpers of many. */
import { describe, expect, test } from 'vitest';
import { decoded } from './decoded.ts';
import { moduleAdvice } from './module-advice.ts';
import { atOnce, inSlices, type Work } from './slices.ts';
import { readYaml, YamlFault } from './yaml.ts';

test('text is UTF-8, and each line that is none is Latin-1', () => {
  const bytes = (...parts: (string | number[])[]) =>
    Buffer.concat(
      parts.map((part) => (typeof part === 'string' ? Buffer.from(part) : Buffer.from(part))),
    );
  expect(decoded(bytes('é\nb'))).toBe('é\nb');
  expect(decoded(bytes('é\n', [0xe9], '\nü', '\n'))).toBe('é\né\nü\n');
  expect(decoded(bytes([0xff], 'é'))).toBe('ÿÃ©');
  expect(decoded(bytes('a\n', [0xfc]))).toBe('a\nü');
  expect(decoded(bytes([0xfc], '\n\n', 'é'))).toBe('ü\n\né');
  expect(decoded(new Uint8Array())).toBe('');
});

test('work comes to what it comes to, with turns for others between its slices', async () => {
  function* work(pieces: number, ms: number): Work<number> {
    for (let piece = 0; piece < pieces; piece++) {
      const end = performance.now() + ms;
      while (performance.now() < end);
      yield;
    }
    return pieces;
  }
  expect(atOnce(work(5, 0))).toBe(5);
  let turns = 0;
  let going = true;
  const count = (): void => {
    turns += 1;
    if (going) setImmediate(count);
  };
  setImmediate(count);
  expect(await inSlices(work(6, 10))).toBe(6);
  going = false;
  expect(turns).toBeGreaterThan(1);
});

test('what Node says of a module is told with what to do about it', () => {
  const error = (code: string) => Object.assign(new Error('x'), { code });
  const of = (code: string) => moduleAdvice('/m.ts', error(code));
  expect(of('ERR_UNSUPPORTED_NODE_MODULES_TYPE_STRIPPING')).toContain('compile it to JavaScript');
  expect(of('ERR_UNSUPPORTED_TYPESCRIPT_SYNTAX')).toContain('only strips types');
  expect(of('ERR_UNKNOWN_FILE_EXTENSION')).toContain('write it as .mjs');
  expect(of('ENOENT')).toBe('');
  expect(moduleAdvice('/m.ts', 'text')).toBe('');
  const syntax = new Error("Unexpected token 'export'");
  expect(moduleAdvice('/a/m.ts', syntax)).toContain('makes .ts files CommonJS: name it /a/m.mts');
  expect(moduleAdvice('/a/m.js', syntax)).toContain('name it /a/m.mjs');
  expect(moduleAdvice('/a/m.mjs', syntax)).toBe('');
  expect(moduleAdvice('/a/m.ts', new Error('other'))).toBe('');
});

describe('YAML', () => {
  const value = (text: string, schema?: 'core' | 'failsafe') => readYaml(text, schema).value;
  const fault = (text: string, limits?: { characters: number; tokens: number }) => {
    try {
      readYaml(text, 'core', limits);
    } catch (error) {
      if (error instanceof YamlFault) return [error.message, error.at];
      throw error;
    }
    return null;
  };

  test('says what it says: plain data, of the core schema or as text', () => {
    expect(value('a: 1\nb: [x, 2.5, true, null]\nc:\n  - d: "e"\n  - |\n    f\n')).toEqual({
      a: 1,
      b: ['x', 2.5, true, null],
      c: [{ d: 'e' }, 'f\n'],
    });
    expect(value('a: 1\nb: yes', 'failsafe')).toEqual({ a: '1', b: 'yes' });
    expect([value(''), value('text'), value('- 1')]).toEqual([null, 'text', [1]]);
    expect(value('a: 1 # [{*x ,, ?\n')).toEqual({ a: 1 });
    expect(value("a: '*x ,, [[['\n")).toEqual({ a: '*x ,, [[[' });
  });

  test.each([
    ['a: &x 1\nb: *x\n', /an alias \(\*name\) is not allowed/, 11],
    ['? a\n: b\n', /without "\?"/, 0],
    ['[a,,b]', /nothing stands between two commas/, 3],
    ['[a, , b]', /nothing stands between two commas/, 4],
    ['a: 1\na: 2\n', /./, 5],
    ['__proto__: 1\n', /__proto__/, 0],
    ['a:\n  __proto__: 1\n', /__proto__/, 5],
    ['[a]: 1\n', /a key must be a word/, 0],
    ['a: [1\n', /./, undefined],
    ['a: "x\n', /./, undefined],
  ])('%j is a fault, and where', (text, message, at) => {
    const found = fault(text);
    expect(found?.[0]).toMatch(message);
    expect(found?.[0]).not.toMatch(/at line \d+|\n/);
    if (at !== undefined) expect(found?.[1]).toBe(at);
  });

  test('is read up to its limits, and not beyond', () => {
    const lists = (depth: number) => `${'['.repeat(depth)}${']'.repeat(depth)}`;
    const dashes = (depth: number) => `${'- '.repeat(depth)}x\n`;
    const maps = (depth: number) => `${'{a: '.repeat(depth)}1${'}'.repeat(depth)}`;
    for (const nest of [lists, dashes, maps]) {
      expect(fault(nest(32))).toBeNull();
      expect(fault(nest(33))?.[0]).toBe('it nests more than 32 levels');
    }
    expect(fault('- a\n'.repeat(40))).toBeNull();
    expect(fault('[[a], [b]]\n')).toBeNull();
    const limits = { characters: 10, tokens: 1000 };
    expect(fault('x'.repeat(10), limits)).toBeNull();
    expect(fault('x'.repeat(11), limits)?.[0]).toBe('it is 11 characters long; 10 are read');
    expect(fault('x'.repeat(64 * 1024))).toBeNull();
    expect(fault('x'.repeat(64 * 1024 + 1))?.[0]).toContain('65,537 characters');
    expect(fault('a: 1\n'.repeat(5), { characters: 100, tokens: 10 })).toEqual([
      'it has too many fields to be read',
      expect.any(Number),
    ]);
    expect(fault(Array.from({ length: 1100 }, (_, at) => `k${at}: v\n`).join(''))).toBeNull();
    expect(fault(Array.from({ length: 1200 }, (_, at) => `k${at}: v\n`).join(''))?.[0]).toContain(
      'too many fields',
    );
  });
});
