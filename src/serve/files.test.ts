/** Files of the world as a page shows them: in parts, as text where they are, and to whom they may be shown. */
import { describe, expect, test } from 'vitest';
import type { Doorway, Visit } from '../doors/door.ts';
import type { Principal } from '../doors/principal.ts';
import { type Errno, FsError } from '../errors.ts';
import { ServedFiles } from './files.ts';
import type { Caller } from './rights.ts';

const ANN: Caller = { actor: 'ann', role: 'user', agent: null };
const PART = 1024 * 1024;
const LARGEST = 64 * 1024 * 1024;
const MTIME = new Date('2026-01-02T03:04:05Z');

/** A doorway to files in memory: what is a code fails with it. */
function open(
  files: Record<string, Uint8Array | string | { fails: Errno } | { size: number }> = {},
) {
  const entered: Principal[] = [];
  const left = { count: 0 };
  const commands: { command: string; options: object }[] = [];
  const answer = { stdout: '', stderr: '', exitCode: 0 };
  const get = (path: string) => {
    const found = files[path];
    if (found === undefined) throw new FsError('ENOENT', { path, op: 'open' });
    if (typeof found === 'object' && 'fails' in found)
      throw new FsError(found.fails, { path, op: 'open' });
    return found;
  };
  const bytesOf = (path: string): Uint8Array => {
    const found = get(path);
    return typeof found === 'string' || found instanceof Uint8Array
      ? Buffer.from(found)
      : Buffer.alloc(0);
  };
  const kinds = (path: string) => ({
    isDirectory: path.endsWith('d'),
    isSymbolicLink: path.endsWith('l'),
  });
  const fs = {
    stat: async (path: string) => {
      const found = path.endsWith('d') ? '' : get(path);
      const size =
        typeof found === 'object' && 'size' in found
          ? found.size
          : Buffer.from(found as string).length;
      return { ...kinds(path), size: path.endsWith('d') ? 4_096 : size, mtime: MTIME };
    },
    readFileBuffer: async (path: string) => bytesOf(path),
    readFile: async (path: string) => Buffer.from(bytesOf(path)).toString(),
    readdirWithFileTypes: async () => ['l', 'd', 'a'].map((name) => ({ name, ...kinds(name) })),
  };
  const visit = () => {
    const end = async () => void left.count++;
    const exec = async (command: string, options: object) => {
      commands.push({ command, options });
      return answer;
    };
    return { fs, exec, close: end, [Symbol.asyncDispose]: end } as unknown as Visit;
  };
  const enter = async (principal: Principal) => {
    entered.push(principal);
    return visit();
  };
  const faults: unknown[] = [];
  const served = new ServedFiles({ enter } as Pick<Doorway, 'enter'>, (error) =>
    faults.push(error),
  );
  return { served, entered, left, commands, answer, faults };
}

describe('a file', () => {
  test('is told with its text, and what it is', async () => {
    const { served } = open({ '/a': 'ä\n', '/l': 'x' });
    expect(await served.read(ANN, '/a', 0)).toEqual({
      ...{ path: '/a', type: 'file', size: 3, mtime: '2026-01-02T03:04:05.000Z' },
      ...{ content: 'ä\n', encoding: 'utf-8', offset: 0, next: null },
    });
    expect(await served.read(ANN, '/l', 0)).toMatchObject({ type: 'symlink' });
    expect(await served.read(ANN, '/d', 0)).toEqual({
      ...{ path: '/d', type: 'directory', size: 4_096, mtime: '2026-01-02T03:04:05.000Z' },
      entries: [
        { name: 'a', type: 'file' },
        { name: 'd', type: 'directory' },
        { name: 'l', type: 'symlink' },
      ],
    });
  });

  test('is told in parts of a mebibyte, none of which ends inside of a character', async () => {
    const sign = '🙂';
    for (const before of [PART - 4, PART - 3, PART - 2, PART - 1, PART]) {
      const { served } = open({ '/a': `${'x'.repeat(before)}${sign}end` });
      const first = await served.read(ANN, '/a', 0);
      expect(first.encoding).toBe('utf-8');
      expect(first.next).toBe(before === PART - 4 ? PART : before);
      const second = await served.read(ANN, '/a', first.next ?? 0);
      expect(`${first.content}${second.content}`).toBe(`${'x'.repeat(before)}${sign}end`);
      expect([second.offset, second.next]).toEqual([first.next, null]);
    }
  });

  test('that is no text is told as base64, in parts, too', async () => {
    const bytes = Buffer.alloc(PART + 1, 0xff);
    const { served } = open({ '/a': bytes, '/b': Buffer.from([0x41, 0xc3]), '/e': '' });
    const first = await served.read(ANN, '/a', 0);
    expect([first.encoding, first.next, Buffer.from(first.content ?? '', 'base64').length]).toEqual(
      [...['base64', PART, PART]],
    );
    expect(await served.read(ANN, '/a', PART)).toMatchObject({ content: '/w==', next: null });
    // A file that ends inside of a character is none either.
    expect(await served.read(ANN, '/b', 0)).toMatchObject({ encoding: 'base64', content: 'QcM=' });
    expect(await served.read(ANN, '/e', 0)).toMatchObject({ content: '', next: null });
    expect(await served.read(ANN, '/e', 9)).toMatchObject({ content: '', next: null, offset: 9 });
  });

  test('of more than 64 MiB is not read', async () => {
    const { served } = open({ '/a': { size: LARGEST + 1 }, '/b': { size: LARGEST } });
    await expect(served.read(ANN, '/a', 0)).rejects.toMatchObject({ code: 'EFBIG' });
    await expect(served.read(ANN, '/b', 0)).resolves.toMatchObject({ content: '' });
    await expect(served.read(ANN, '/none', 0)).rejects.toMatchObject({ code: 'ENOENT' });
  });
});

test.each<[Errno | null, boolean | Errno]>([
  [null, true],
  ['EACCES', false],
  ['EPERM', false],
  ['ENOENT', true],
  ['ENOTDIR', true],
  ['EISDIR', true],
  ['EIO', 'EIO'],
])('where reading ends with %s somebody may read it: %s', async (code, expected) => {
  const { served } = open({ '/a': code === null ? 'x' : { fails: code } });
  const answer = await served.mayRead(ANN, '/a').catch((error: FsError) => error.code);
  expect(answer).toBe(expected);
});

test('whoever asks comes in anew each time, as themselves, into a world that is kept for them', async () => {
  const { served, entered, left } = open({ '/a': 'x' });
  await served.read(ANN, '/a', 0);
  await served.read(ANN, '/a', 0);
  const bound = { ...ANN, agent: 'reader' };
  await served.read(bound, '/a', 0);
  const [ann, reader] = [{ actor: 'ann' }, { actor: 'ann', agent: 'reader' }];
  expect(entered).toEqual([ann, ann, ann, reader, reader]);
  expect(left.count).toBe(3);
  await served.close();
  expect(left.count).toBe(5);
});

test('a search is a line of the shell, and gives what it found, and what it says of it', async () => {
  const { served, commands, answer } = open();
  answer.stdout = '/mnt/a:3:one: two\n/mnt/b:10:\nnoise\n7:of the file\n';
  answer.stderr = 'index: fresh\n\nnot searched: x\n';
  answer.exitCode = 2;
  const { signal } = new AbortController();
  expect(await served.search(ANN, "it's $x", '/mnt/a b', signal)).toEqual({
    found: [
      { path: '/mnt/a', line: 3, text: 'one: two' },
      { path: '/mnt/b', line: 10, text: '' },
      { path: '/mnt/a b', line: 7, text: 'of the file' },
    ],
    notes: ['index: fresh', 'not searched: x'],
    exitCode: 2,
  });
  const [{ command = '', options } = {}] = commands;
  expect(command).toMatch(/^grep .*\$x.* .*\/mnt\/a b/);
  expect(options).toEqual({ fresh: true, signal, timeoutMs: 60_000 });
});
