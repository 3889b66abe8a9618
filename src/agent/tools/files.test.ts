/** What `read`, `write` and `edit` tell a model, and what they do to files. */
import { posix } from 'node:path';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { FsError } from '../../errors.ts';
import { type AgentTool, defineTool, type ToolContext } from '../tool.ts';
import { clipped } from './clip.ts';
import { editTool, readTool, writeTool } from './files.ts';

/** Files in memory, as a world has them, seen from /w. */
function open(given: Record<string, string | Uint8Array> = {}) {
  const files = new Map(Object.entries(given).map(([path, data]) => [path, Buffer.from(data)]));
  const made: string[] = [];
  const isDirectory = (path: string) =>
    made.includes(path) || [...files.keys()].some((file) => file.startsWith(`${path}/`));
  const access = {
    cwd: '/w',
    files: {
      resolvePath: (base: string, path: string) => posix.resolve(base, path),
      stat: async (path: string) => ({ isDirectory: isDirectory(path) }),
      readdir: async (path: string) =>
        [...files.keys()]
          .filter((file) => posix.dirname(file) === path)
          .map((file) => posix.basename(file)),
      readFileBuffer: async (path: string) => {
        const found = files.get(path);
        if (found === undefined)
          throw new FsError(path === '/w/secret' ? 'EACCES' : 'ENOENT', { path, op: 'open' });
        return found;
      },
      exists: async (path: string) => isDirectory(path) || files.has(path),
      mkdir: async (path: string, options: unknown) => {
        expect(options).toEqual({ recursive: true });
        made.push(path);
      },
      writeFile: async (path: string, text: string) => void files.set(path, Buffer.from(text)),
    },
  };
  const context = { access } as unknown as ToolContext;
  const call = async (tool: AgentTool, input: Record<string, unknown>): Promise<string> => {
    const checked = tool.prepare(input);
    if ('faults' in checked) return checked.faults.join('\n');
    return (await checked.value(context)).text;
  };
  return { call, made, text: (path: string) => files.get(path)?.toString() };
}

describe('read', () => {
  const lines = (from: number, to: number) =>
    Array.from({ length: to - from + 1 }, (_, n) => `${from + n}\tline ${from + n}`).join('\n');
  const TEN = Array.from({ length: 10 }, (_, n) => `line ${n + 1}\n`).join('');

  test.each([
    [{}, lines(1, 10)],
    [{ offset: 3 }, lines(3, 10)],
    [{ offset: 3, limit: 2 }, `${lines(3, 4)}\n[6 more lines; offset 5 goes on]`],
    [{ limit: 9 }, `${lines(1, 9)}\n[1 more lines; offset 10 goes on]`],
    [{ offset: 9, limit: 2 }, lines(9, 10)],
    [{ offset: 10, limit: 5 }, lines(10, 10)],
    [{ offset: 11 }, '[the file has 10 lines]'],
    [{ offset: 0 }, expect.stringMatching(/^offset: /)],
    [{ limit: 0 }, expect.stringMatching(/^limit: /)],
  ])('%j of ten lines', async (more, expected) => {
    expect(await open({ '/w/a': TEN }).call(readTool, { path: 'a', ...more })).toEqual(expected);
  });

  test('gives two thousand lines, if it is not told how many', async () => {
    const { call } = open({ '/w/a': 'x\n'.repeat(2_001) });
    expect(await call(readTool, { path: 'a' })).toMatch(
      /\n2000\tx\n\[1 more lines; offset 2001 goes on\]$/,
    );
  });

  test('says what has no lines, and lists directories', async () => {
    const { call } = open({ '/w/empty': '', '/w/blank': '\n', '/w/d/b': '', '/w/d/a': '' });
    expect(await call(readTool, { path: 'empty' })).toBe('[an empty file]');
    expect(await call(readTool, { path: 'blank' })).toBe('1\t');
    expect(await call(readTool, { path: '/w/d' })).toBe('b\na');
    expect(await call(readTool, { path: '' })).toMatch(/^path: /);
    const { call: empty, made } = open();
    made.push('/e');
    expect(await empty(readTool, { path: '/e' })).toBe('[an empty directory]');
  });

  test('does not show bytes, and says how they are looked at', async () => {
    const { call } = open({ '/w/a.bin': 'a\0b', '/w/a.pdf': '%PDF\0' });
    await expect(call(readTool, { path: 'a.bin' })).rejects.toThrow(
      'binary, 3 bytes; look at it with xxd',
    );
    await expect(call(readTool, { path: 'a.pdf' })).rejects.toThrow(
      'binary, 5 bytes; its text is /w/',
    );
  });

  test('changes nothing and can be run again; the others cannot', () => {
    const { readOnly, repeatable, loggedFirst } = readTool;
    expect({ readOnly, repeatable, loggedFirst }).toEqual({
      ...{ readOnly: true, repeatable: true, loggedFirst: false },
    });
    for (const tool of [writeTool, editTool])
      expect(tool).toMatchObject({
        readOnly: false,
        repeatable: false,
        loggedFirst: true,
        host: false,
      });
  });
});

describe('write', () => {
  test('replaces a file whole, and makes the directories that are missing', async () => {
    const { call, made, text } = open({ '/w/a': 'before' });
    expect(await call(writeTool, { path: 'a', content: 'é' })).toBe('wrote 2 bytes to /w/a');
    expect([text('/w/a'), made]).toEqual(['é', []]);
    await call(writeTool, { path: '/n/m/f', content: '' });
    expect([text('/n/m/f'), made]).toEqual(['', ['/n/m']]);
  });
});

describe('edit', () => {
  test('replaces the one place, to the character, or all where it is told so', async () => {
    const { call, text } = open({ '/w/a': 'one two one' });
    expect(await call(editTool, { path: 'a', old: 'two', new: '$& $1' })).toBe(
      'replaced one place in /w/a',
    );
    expect(text('/w/a')).toBe('one $& $1 one');
    expect(await call(editTool, { path: 'a', old: 'one', new: 'x', all: true })).toBe(
      'replaced 2 places in /w/a',
    );
    expect(text('/w/a')).toBe('x $& $1 x');
  });

  test.each([
    [{ old: 'none', new: 'x' }, 'does not hold that text'],
    [{ old: 'one', new: 'x' }, 'holds that text 2 times'],
    [{ old: 'two', new: 'two' }, 'old and new are the same'],
    [{ path: 'gone', old: 'a', new: 'b' }, '/w/gone does not exist; write makes a new file'],
    [{ path: 'secret', old: 'a', new: 'b' }, 'EACCES'],
    [{ path: 'bytes', old: 'a', new: 'b' }, 'binary'],
  ])('refuses %j, and writes nothing', async (input, said) => {
    const { call, text } = open({ '/w/a': 'one two one', '/w/bytes': 'a\0' });
    await expect(call(editTool, { path: 'a', ...input })).rejects.toThrow(said);
    expect([text('/w/a'), text('/w/bytes'), text('/w/gone')]).toEqual([
      'one two one',
      'a\0',
      undefined,
    ]);
  });

  test('needs a text to look for', async () => {
    expect(await open().call(editTool, { path: 'a', old: '', new: 'x' })).toMatch(/^old: /);
  });
});

test('what is too long is shown by its two ends, and says how much is left out', () => {
  expect(clipped('abcdef', 6)).toBe('abcdef');
  expect(clipped('abcdefg', 6)).toMatch(/^abc\n\[… 1 characters are left out here.*\]\nefg$/);
  expect(clipped('abcdefgh', 5)).toMatch(/^ab\n\[… 4 characters/);
  expect(clipped('x'.repeat(32_000))).toHaveLength(32_000);
  expect(clipped('x'.repeat(32_001))).toContain('[… 1 characters are left out');
});

describe('a tool', () => {
  const tool = (more: object = {}) =>
    defineTool({
      ...{
        name: 't',
        description: 'd',
        input: z.strictObject({ n: z.number(), deep: z.object({ s: z.string() }) }),
      },
      run: async ({ n }) => `${n}`,
      ...more,
    });

  test('is checked before it runs, and every fault is told with its place', async () => {
    expect(tool().prepare({ n: 'x', deep: { s: 1 }, more: 1 })).toEqual({
      faults: [
        expect.stringMatching(/^n: /),
        expect.stringMatching(/^deep\.s: /),
        expect.stringMatching(/^Unrecognized key/),
      ],
    });
    const checked = tool().prepare({ n: 1, deep: { s: '' } });
    expect('value' in checked && (await checked.value({} as ToolContext))).toEqual({ text: '1' });
    const whole = { text: 'x', failed: true, untrusted: ['/mnt/x'] };
    const given = tool({ run: async () => whole }).prepare({ n: 1, deep: { s: '' } });
    expect('value' in given && (await given.value({} as ToolContext))).toBe(whole);
  });

  test('is logged first unless it changes nothing, or says otherwise', () => {
    const shown = (more: object) => {
      const { readOnly, repeatable, host, loggedFirst, guideline } = tool(more);
      return { readOnly, repeatable, host, loggedFirst, guideline };
    };
    const plain = { readOnly: false, repeatable: false, host: false, loggedFirst: true };
    expect(shown({})).toEqual({ ...plain, guideline: undefined });
    expect(shown({ readOnly: true })).toMatchObject({ readOnly: true, loggedFirst: false });
    expect(shown({ loggedFirst: false })).toMatchObject({ readOnly: false, loggedFirst: false });
    expect(shown({ readOnly: true, loggedFirst: true })).toMatchObject({ loggedFirst: true });
    expect(shown({ host: true, repeatable: true, guideline: 'g' })).toEqual({
      ...plain,
      ...{ host: true, repeatable: true, guideline: 'g' },
    });
    expect(tool({}).inputSchema).toMatchObject({ type: 'object', required: ['n', 'deep'] });
  });
});
