/** What the kernel asks of a mounted world, answered over files in memory: values, and errnos below 0. */
import { constants } from 'node:fs';
import { constants as os } from 'node:os';
import { describe, expect, test } from 'vitest';
import { FileSystem } from '../files/file-system.ts';
import { LocalFiles } from '../files/world-files.ts';
import { filesInMemory } from '../testing.ts';
import type { KernelOperations } from './binding.ts';
import { kernelOperations } from './operations.ts';

const { ENOENT, EEXIST, EINVAL, EPERM, ENOTSUP, EISDIR, ESTALE } = os.errno;
const { O_RDONLY, O_RDWR, O_WRONLY, O_APPEND } = constants;

/** A mount of files in memory; each operation gives `[code, …values]`. */
async function mounted() {
  const fs = filesInMemory();
  await fs.mkdir('/workspace/d');
  await fs.writeFile('/workspace/a', 'hello');
  const trouble: string[] = [];
  const files = new FileSystem({
    files: new LocalFiles(fs),
    services: [],
    inMemory: [],
    elsewhere: [],
    socket: null,
    seenAt: null,
    movesOverMounts: false,
    freshness: { local: 0, service: 0 },
    limits: { handles: 8, bytes: 2 ** 20 },
    keptBytes: 0,
    owner: { uid: 5, gid: 6 },
    onTrouble: (message) => trouble.push(message),
  });
  const kernel = kernelOperations({
    files,
    mount: () => ({ context: () => ({ pid: 0 }) }) as never,
    onTrouble: (message) => trouble.push(message),
  });
  const ask = (name: keyof KernelOperations, ...args: unknown[]): Promise<unknown[]> =>
    new Promise((resolve) => {
      const operation = kernel[name] as (...all: unknown[]) => void;
      operation(...args, (...answer: unknown[]) => resolve(answer));
    });
  const at = (path: string) => `/workspace/${path}`;
  const open = async (path: string, flags = O_RDWR) =>
    ((await ask('open', at(path), flags))[1] as { fd: number }).fd;
  const read = async (fd: number, length = 100, position = 0) => {
    const buffer = Buffer.alloc(length);
    const [count] = (await ask('read', '', fd, buffer, length, position)) as [number];
    return count < 0 ? count : buffer.subarray(0, count).toString();
  };
  const write = async (fd: number, text: string, position = 0) =>
    (await ask('write', '', fd, Buffer.from(`${text}…`), Buffer.byteLength(text), position))[0];
  const close = async (path: string, fd: number) => {
    expect(await ask('flush', at(path), fd)).toEqual([0, undefined]);
    await ask('release', at(path), fd);
  };
  return { fs, files, trouble, ask, at, open, read, write, close };
}

describe('a file', () => {
  test('is looked at, by its name and by its handle', async () => {
    const { ask, at, open } = await mounted();
    expect(await ask('getattr', at('a'))).toMatchObject([
      0,
      { size: 5, uid: 5, gid: 6, mode: 0o100_644 },
    ]);
    expect(await ask('getattr', at('none'))).toEqual([-ENOENT]);
    expect(await ask('getattr', at('d'))).toMatchObject([0, { mode: 0o040_755 }]);
    const fd = await open('a');
    expect(await ask('fgetattr', at('a'), fd)).toMatchObject([0, { size: 5 }]);
    expect(await ask('initWithConfig', { maxWrite: 7, more: 1 })).toEqual([0, { maxWrite: 7 }]);
  });

  test('is read, written and appended to, and committed by its close', async () => {
    const { fs, ask, at, open, read, write, close } = await mounted();
    const fd = await open('a');
    expect([await read(fd, 3, 1), await read(fd), await read(fd, 3, 5)]).toEqual([
      'ell',
      'hello',
      '',
    ]);
    expect(await write(fd, 'J')).toBe(1);
    expect(await write(fd, '!!', 5)).toBe(2);
    expect(await read(fd)).toBe('Jello!!');
    expect(await ask('fsync', at('a'), false, fd)).toEqual([0, undefined]);
    expect(await fs.readFile(at('a'))).toBe('Jello!!');
    await close('a', fd);
    const more = await open('a', O_WRONLY | O_APPEND);
    await write(more, '+');
    await close('a', more);
    expect(await fs.readFile(at('a'))).toBe('Jello!!+');
    expect([await read(99), await write(99, 'x')].every((code) => Number(code) < 0)).toBe(true);
  });

  test('is made once, with its mode, and is no special file', async () => {
    const { fs, ask, at, write, close } = await mounted();
    const [code, { fd }] = (await ask('createWithFlags', at('new'), 0o100_640, O_RDWR)) as [
      number,
      { fd: number },
    ];
    expect([code, await write(fd, 'x')]).toEqual([0, 1]);
    await close('new', fd);
    expect((await fs.stat(at('new'))).mode & 0o777).toBe(0o640);
    expect(await ask('mknod', at('node'), 0o100_600, 0)).toEqual([0, undefined]);
    expect(await ask('mknod', at('zero'), 0o600, 0)).toEqual([0, undefined]);
    expect(await ask('mknod', at('node'), 0o100_600, 0)).toEqual([-EEXIST]);
    expect(await ask('mknod', at('pipe'), 0o010_600, 0)).toEqual([-EPERM]);
    expect([await fs.exists(at('node')), await fs.exists(at('pipe'))]).toEqual([true, false]);
  });

  test('is cut and made longer, by its name and by its handle', async () => {
    const { fs, ask, at, open, close } = await mounted();
    expect(await ask('truncate', at('a'), 2)).toEqual([0, undefined]);
    expect(await fs.readFile(at('a'))).toBe('he');
    const fd = await open('a');
    expect(await ask('ftruncate', at('a'), fd, 3)).toEqual([0, undefined]);
    expect(await ask('fallocate', at('a'), fd, 0, 2, 4)).toEqual([0, undefined]);
    expect(await ask('fallocate', at('a'), fd, 0, 0, 6)).toEqual([0, undefined]);
    expect(await ask('fallocate', at('a'), fd, 1, 0, 99)).toEqual([-ENOTSUP]);
    expect(await ask('fgetattr', at('a'), fd)).toMatchObject([0, { size: 6 }]);
    await close('a', fd);
    expect(await fs.readFile(at('a'))).toBe('he\0\0\0\0');
  });

  test('that is gone, though the kernel believes in it, is looked for anew', async () => {
    const { ask, at } = await mounted();
    expect(await ask('open', at('none'), O_RDONLY)).toEqual([-ESTALE]);
    expect(await ask('truncate', at('none'), 0)).toEqual([-ENOENT]);
  });

  test('is given a mode and times, of which each may be left, or be now', async () => {
    const { fs, ask, at } = await mounted();
    expect(await ask('chmod', at('a'), 0o100_600)).toEqual([0, undefined]);
    expect((await fs.stat(at('a'))).mode & 0o7777).toBe(0o600);
    const time = (seconds: number, nanoseconds = 0) => ({ seconds, nanoseconds });
    const set = (mtime: object) => ask('utimensWithTimespec', at('a'), time(1), mtime);
    expect(await set(time(1000))).toEqual([0, undefined]);
    expect((await fs.stat(at('a'))).mtime).toEqual(new Date(1_000_000));
    await set(time(2000, 0x3ffffffe));
    expect((await fs.stat(at('a'))).mtime).toEqual(new Date(1_000_000));
    const before = Date.now();
    await set(time(2000, 0x3fffffff));
    expect((await fs.stat(at('a'))).mtime.getTime()).toBeGreaterThanOrEqual(before);
    expect(await ask('chown', at('a'), 5, 6)).toEqual([0, undefined]);
    expect(await ask('chown', at('a'), 0, 0)).toEqual([-EPERM]);
  });
});

describe('a name', () => {
  test('is listed with the kind of what it names, behind the two of every directory', async () => {
    const { fs, ask, at } = await mounted();
    await fs.symlink('a', at('l'));
    const [code, names, stats] = (await ask('readdir', '/workspace')) as [
      number,
      string[],
      { mode: number }[],
    ];
    expect([code, names.slice(0, 2), names.slice(2).sort()]).toEqual([
      0,
      ['.', '..'],
      ['a', 'd', 'l'],
    ]);
    expect(names.map((name, index) => [name, (stats[index]?.mode ?? 0) >> 12]).sort()).toEqual([
      ['.', 0o4],
      ['..', 0o4],
      ['a', 0o10],
      ['d', 0o4],
      ['l', 0o12],
    ]);
    expect(await ask('readdir', at('none'))).toEqual([-ENOENT]);
    expect(await ask('fsyncdir', '/workspace', false, 0)).toEqual([0, undefined]);
  });

  test('is made, linked to, renamed and removed', async () => {
    const { fs, ask, at } = await mounted();
    expect(await ask('mkdir', at('e'), 0o040_700)).toEqual([0, undefined]);
    expect((await fs.stat(at('e'))).mode & 0o777).toBe(0o700);
    expect(await ask('symlink', '../a', at('e/l'))).toEqual([0, undefined]);
    expect(await ask('readlink', at('e/l'))).toEqual([0, '../a']);
    expect(await ask('renameWithFlags', at('a'), at('b'), 0)).toEqual([0, undefined]);
    expect(await ask('unlink', at('e/l'))).toEqual([0, undefined]);
    expect(await ask('rmdir', at('e'))).toEqual([0, undefined]);
    expect(await ask('unlink', at('e'))).toEqual([-ENOENT]);
    expect(await ask('link', at('b'), at('c'))).toEqual([-EPERM]);
    expect([await fs.exists(at('a')), await fs.readFile(at('b'))]).toEqual([false, 'hello']);
    expect((await ask('unlink', at('d')))[0]).toBe(-EISDIR);
  });

  test('that is no text is made by nothing', async () => {
    const { ask, at } = await mounted();
    const bad = at('x\ufffd');
    for (const asked of [
      ask('createWithFlags', bad, 0o600, O_RDWR),
      ask('mknod', bad, 0o600, 0),
      ask('mkdir', bad, 0o700),
      ask('renameWithFlags', at('a'), bad, 0),
      ask('symlink', 'a', bad),
      ask('symlink', bad, at('y')),
    ])
      expect(await asked).toEqual([-EINVAL]);
  });

  test('that libfuse hides is none of the world’s; the file goes on until its last handle is closed', async () => {
    const { fs, ask, at, open, read, write, close } = await mounted();
    const hidden = at('.fuse_hidden0001');
    const fd = await open('a');
    expect(await ask('renameWithFlags', at('a'), hidden, 0)).toEqual([0, undefined]);
    expect(await fs.exists(hidden)).toBe(false);
    expect(await ask('getattr', hidden)).toMatchObject([0, { size: 5 }]);
    await write(fd, 'J');
    expect(await ask('truncate', hidden, 4)).toEqual([0, undefined]);
    expect(await ask('ftruncate', hidden, fd, 3)).toEqual([0, undefined]);
    expect(await read(fd)).toBe('Jel');
    expect(await ask('fgetattr', hidden, fd)).toMatchObject([0, { size: 3 }]);
    await expect.poll(() => fs.exists(at('a'))).toBe(false);
    await close('.fuse_hidden0001', fd);
    expect(await ask('unlink', hidden)).toEqual([0, undefined]);
    expect(await ask('getattr', hidden)).toEqual([-ENOENT]);
  });
});

test('the room is told, as much to everybody as to the owner', async () => {
  const { ask } = await mounted();
  const [code, room] = (await ask('statfs', '/workspace')) as [number, Record<string, number>];
  expect([code, room['namemax'], room['bfree'], room['ffree']]).toEqual([
    0,
    255,
    room['bavail'],
    room['favail'],
  ]);
  expect([room['bsize'], room['files']]).toEqual([room['frsize'], room['ffree']]);
  expect(room['blocks']).toBeGreaterThan(0);
});

test('why something was refused can be asked for behind its errno', async () => {
  const { ask, at, files, trouble } = await mounted();
  await ask('mknod', at('pipe'), 0o010_600, 0);
  expect(files.sentence(at('pipe'))).toContain('pipes, sockets and devices cannot be made here');
  expect(await ask('getxattr', at('pipe'), 'user.dirigent.error', 0)).toEqual([
    0,
    Buffer.from(files.sentence(at('pipe')) ?? ''),
  ]);
  expect(trouble).toEqual([]);
});
