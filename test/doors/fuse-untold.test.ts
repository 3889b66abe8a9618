/** Files that are made in a mounted world which nobody else uses, without a kernel: what its world is told, and when. */
import { constants } from 'node:fs';
import { expect, test } from 'vitest';
import { FileSystem } from '../../src/doors/files/file-system.ts';
import { kernelOperations } from '../../src/doors/fuse/operations.ts';
import { RemoteFiles } from '../../src/doors/fuse/remote-files.ts';
import { FsError } from '../../src/errors.ts';
import { isWithin } from '../../src/paths.ts';
import type { FsCall } from '../../src/world/fs-call.ts';

const FLAGS = constants.O_CREAT | constants.O_WRONLY;

interface TestedWorld {
  /** Does nothing but the modes of the mounts decide? */
  allAllowed?: boolean;
  /** Calls that it does not take. */
  refused?: readonly string[];
  /** Bytes that there is room for. */
  free?: number;
  /** For how long what is not certain stands, ms. */
  local?: number;
}

/** A world of one mount in memory, to itself, which keeps what it is told. */
function world({ allAllowed = true, refused = [], free = 2 ** 30, local = 0 }: TestedWorld = {}) {
  const messages: string[][] = [];
  const paths = new Set(['/w']);
  const trouble: string[] = [];
  /** When all of it was changed, ms. */
  const clock = { now: 0 };
  /** Files that were made by another way. */
  const there = new Set<string>();
  const written: string[] = [];
  /** Does the world end under the next message? */
  const ending = { now: false };
  const entry = (path: string) => ({
    type: path.includes('.') ? 'file' : 'directory',
    mode: 0o644,
    size: 0,
    estimated: false,
    mtime: clock.now,
    identity: `of ${path}`,
    links: 1,
  });
  const answer = ([method, given, other, exclusive]: readonly [string, ...unknown[]]): unknown => {
    const path = String(given);
    if (method === 'mv')
      for (const each of [...paths].filter((one) => isWithin(path, one))) {
        paths.delete(each);
        paths.add(String(other) + each.slice(path.length));
      }
    if (method === 'mv') return undefined;
    if (refused.includes(`${method} ${path}`))
      throw new FsError('EACCES', { path, op: 'open', rule: 'no such name', reason: 'no' });
    const above = path.slice(0, path.lastIndexOf('/'));
    if ((method === 'make' || method === 'mkdir') && above !== '' && !paths.has(above))
      throw new FsError('ENOENT', { path, op: 'open' });
    if (method === 'locate')
      return {
        point: '/w',
        kind: 'memory',
        allAllowed,
        possible: true,
        capacity: { total: free, free },
      };
    if (method === 'make' && there.has(path)) {
      if (exclusive === true) throw new FsError('EEXIST', { path, op: 'open' });
      return { there: true, whole: false, made: null };
    }
    if (method === 'writeFile') written.push(path);
    if (method === 'readdirWithFileTypes') return [];
    if (method === 'inspect' && !paths.has(path))
      throw new FsError('ENOENT', { path, op: 'lstat' });
    paths.add(path);
    if (method === 'make') return { there: false, whole: false, made: entry(path) };
    return method === 'inspect' ? entry(path) : undefined;
  };
  const ask = async (calls: readonly FsCall[]): Promise<unknown[]> => {
    messages.push(calls.map(([method, path]) => `${method} ${path}`));
    if (ending.now) {
      ending.now = false;
      throw new Error('the world of this mount was begun anew');
    }
    return calls.map(answer);
  };
  const files = new RemoteFiles({ ask, waited: 0 });
  files.haveLease(1);
  const system = new FileSystem({
    files,
    services: [],
    inMemory: ['/w'],
    elsewhere: ['/w/disk'],
    socket: null,
    seenAt: null,
    freshness: { local, service: 0 },
    limits: { handles: Number.POSITIVE_INFINITY, bytes: 2 ** 30 },
    keptBytes: 1_000,
    movesOverMounts: false,
    owner: { uid: 0, gid: 0 },
    onTrouble: (message) => trouble.push(message),
  });
  const make = (path: string) => system.handles.create(path, 0o644, FLAGS, null);
  const write = async (fd: number) => {
    await system.handles.write(fd, Buffer.from('text'), 0);
    await system.handles.flush(fd, null);
    await system.handles.release(fd);
  };
  /** What the world was told since this was asked last, but for what was asked with it. */
  const told = (): string[][] =>
    messages
      .splice(0)
      .map((calls) => calls.filter((call) => !call.startsWith('inspect ')))
      .filter((calls) => calls.length > 0);
  return {
    files,
    system,
    messages,
    paths,
    clock,
    there,
    written,
    ending,
    trouble,
    make,
    write,
    told,
  };
}

test('a file that is made where nothing is refused costs one message, with what is written to it', async () => {
  const { system, make, write, told } = world();
  await system.names.mkdir('/w/d', 0o644);
  expect(told()).toEqual([['locate /w', 'mkdir /w/d']]);
  for (const path of ['/w/d/1.md', '/w/d/2.md']) {
    const { fd } = await make(path);
    expect(told()).toEqual([]);
    expect(await system.stat(path)).toMatchObject({ size: 0, mode: 0o100644 });
    await write(fd);
    expect(told()).toEqual([[`make ${path}`, `writeFile ${path}`]]);
  }
});

test('what is asked of a world is asked once it knows what was made before, in that order', async () => {
  const { files, system, make, write, told } = world();
  await system.names.mkdir('/w/d', 0o644);
  const first = await make('/w/d/1.md');
  await make('/w/d/2.md');
  told();
  await system.list('/w/d');
  expect(told()).toEqual([['make /w/d/1.md'], ['make /w/d/2.md'], ['readdirWithFileTypes /w/d']]);
  await make('/w/d/3.md');
  await write(first.fd);
  expect(told()).toEqual([['make /w/d/3.md'], ['writeFile /w/d/1.md']]);
  const last = await make('/w/d/4.md');
  await write((await make('/w/d/5.md')).fd);
  expect(told()).toEqual([['make /w/d/4.md'], ['make /w/d/5.md', 'writeFile /w/d/5.md']]);
  await system.handles.flush(last.fd, null);
  // Somebody else comes: the world knows all, and is told at once of what is made from then on.
  await make('/w/d/6.md');
  files.haveLease(0);
  await system.told();
  expect(told()).toEqual([['make /w/d/6.md']]);
  await make('/w/d/7.md');
  expect(told()).toEqual([['make /w/d/7.md']]);
});

test('where anything but the modes decides, and once the rules are others, a world is told of a file when it is made', async () => {
  const { system, make, told } = world({ allAllowed: false });
  await system.names.mkdir('/w/d', 0o644);
  told();
  await make('/w/d/1.md');
  expect(told()).toEqual([['make /w/d/1.md']]);
  const other = world();
  await other.system.names.mkdir('/w/d', 0o644);
  other.system.forget();
  other.told();
  await other.make('/w/d/1.md');
  expect(other.told()).toEqual([['make /w/d/1.md', 'locate /w/d']]);
});

test('of a file that the world does not take after all its close tells, and nothing is left of it', async () => {
  const path = '/w/d/1.md';
  for (const isTold of [false, true]) {
    const { system, make, write, trouble } = world({ refused: [`make ${path}`] });
    await system.names.mkdir('/w/d', 0o644);
    const { fd } = await make(path);
    if (isTold) await system.list('/w/d');
    await expect(write(fd)).rejects.toMatchObject({ code: 'EACCES', rule: 'no such name' });
    await system.handles.release(fd);
    await expect(system.stat(path)).rejects.toMatchObject({ code: 'ENOENT' });
    // From now on the world is asked first, of what else is made there, too.
    await expect(make(path)).rejects.toMatchObject({ code: 'EACCES' });
    expect(trouble).toEqual([]);
  }
});

test('of a directory of the host inside a mount in memory nothing is certain, however long nobody else uses the world', async () => {
  const { system, messages } = world();
  for (const path of ['/w/disk/1', '/w/disk/2', '/w/disk/3', '/w/1', '/w/2'])
    await system.stat(path).catch(() => undefined);
  messages.length = 0;
  await system.stat('/w/disk/1').catch(() => undefined);
  await system.stat('/w/1').catch(() => undefined);
  expect(messages).toEqual([['inspect /w/disk/1']]);
});

test('a time that is set costs no message of its own: it goes ahead of what is told next', async () => {
  const { system, make, write, told } = world();
  await system.names.mkdir('/w/d', 0o644);
  await write((await make('/w/d/1.md')).fd);
  await write((await make('/w/d/2.md')).fd);
  told();
  const at = (seconds: number) => ({ seconds, nanoseconds: 5_000_000 });
  await system.utimes('/w/d/1.md', at(7), at(7));
  await system.utimes('/w/d/2.md', at(8), at(8));
  expect(await system.stat('/w/d/1.md')).toMatchObject({ size: 0, mtime: at(7) });
  expect(told()).toEqual([]);
  await write((await make('/w/d/3.md')).fd);
  expect(told()).toEqual([
    ['utimes /w/d/1.md', 'utimes /w/d/2.md', 'make /w/d/3.md', 'writeFile /w/d/3.md'],
  ]);
  await system.utimes('/w/d/1.md', at(9), at(9));
  await system.names.mkdir('/w/d/e', 0o755);
  expect(told()).toEqual([]);
  await write((await make('/w/d/e/5.md')).fd);
  expect(told()).toEqual([
    ['utimes /w/d/1.md', 'mkdir /w/d/e', 'make /w/d/e/5.md', 'writeFile /w/d/e/5.md'],
  ]);
  await system.utimes('/w/d/1.md', at(10), at(10));
  const { fd } = await make('/w/d/4.md');
  await system.utimes('/w/d/2.md', at(10), at(10));
  await system.list('/w/d');
  expect(told()).toEqual([
    ['utimes /w/d/1.md'],
    ['make /w/d/4.md'],
    ['utimes /w/d/2.md'],
    ['readdirWithFileTypes /w/d'],
  ]);
  await system.utimes('/w/d/1.md', at(11), at(11));
  await system.handles.sync(fd);
  expect(told()).toEqual([['utimes /w/d/1.md']]);
});

test('a time that the world does not take after all stops nothing that goes with it, and is told', async () => {
  const { system, make, write, told, trouble } = world({ refused: ['utimes /w/d/1.md'] });
  await system.names.mkdir('/w/d', 0o644);
  await write((await make('/w/d/1.md')).fd);
  told();
  const time = { seconds: 7, nanoseconds: 0 };
  await system.utimes('/w/d/1.md', null, time);
  await write((await make('/w/d/2.md')).fd);
  expect(told()).toEqual([
    ['utimes /w/d/1.md', 'make /w/d/2.md', 'writeFile /w/d/2.md'],
    ['utimes /w/d/1.md'],
    ['make /w/d/2.md', 'writeFile /w/d/2.md'],
  ]);
  expect(trouble).toEqual(['no']);
  expect(await system.stat('/w/d/1.md')).not.toMatchObject({ mtime: time });
});

test('where anything but the modes decides, a world is told of a time when it is set', async () => {
  const { system, make, write, told } = world({ allAllowed: false });
  await system.names.mkdir('/w/d', 0o644);
  await write((await make('/w/d/1.md')).fd);
  told();
  const time = { seconds: 7, nanoseconds: 0 };
  await system.utimes('/w/d/1.md', time, time);
  expect(told()).toEqual([['utimes /w/d/1.md']]);
});

test('of what is below a directory that was renamed nothing is certain, whatever was known of it itself', async () => {
  const { system, paths, make, told } = world();
  for (const path of ['/w/app', '/w/app/lib', '/w/new', '/w/new/lib', '/w/new/lib/3.md'])
    paths.add(path);
  for (const name of ['1.md', '2.md'])
    await expect(system.stat(`/w/app/lib/${name}`)).rejects.toMatchObject({ code: 'ENOENT' });
  await make('/w/app/lib/1.md');
  told();
  await make('/w/app/lib/2.md');
  expect(told()).toEqual([]);
  await system.names.rename('/w/app', '/w/old');
  await system.names.rename('/w/new', '/w/app');
  told();
  expect(await system.stat('/w/app/lib/3.md')).toMatchObject({ size: 0 });
  await make('/w/app/lib/4.md');
  expect(told()).toEqual([['make /w/app/lib/4.md', 'locate /w/app/lib']]);
});

test('a file that is made to be read alone is in the world once it is closed', async () => {
  const { system, told } = world();
  await system.names.mkdir('/w/d', 0o644);
  told();
  const flags = constants.O_CREAT | constants.O_RDONLY;
  const { fd } = await system.handles.create('/w/d/1.md', 0o644, flags, null);
  expect(system.handles.hasUntold(fd)).toBe(true);
  await system.handles.flush(fd, null);
  expect(told()).toEqual([['make /w/d/1.md']]);
});

test('a world is asked first for names that are too long, and where it has no room left', async () => {
  const { system, make, told } = world();
  await system.names.mkdir('/w/d', 0o644);
  told();
  const long = `/w/d/${'é'.repeat(128)}`;
  await make(long);
  expect(told()).toEqual([[`make ${long}`]]);
  const full = world({ free: 1_000 });
  await full.system.names.mkdir('/w/d', 0o644);
  full.told();
  await full.make('/w/d/1.md');
  expect(full.told()).toEqual([['make /w/d/1.md']]);
});

test('the close of a file that was there after all fails, and it is not written over', async () => {
  const { system, make, write, there, written } = world();
  await system.names.mkdir('/w/d', 0o644);
  const { fd } = await make('/w/d/1.md');
  there.add('/w/d/1.md');
  await expect(write(fd)).rejects.toMatchObject({ code: 'EEXIST' });
  expect(written).toEqual([]);
});

test('an fsync of a directory is answered once the world knows what was made and whose time was set', async () => {
  const { system, make, write, told, trouble } = world();
  const { fsyncdir } = kernelOperations({
    files: system,
    mount: () => null,
    onTrouble: (message) => trouble.push(message),
  });
  await system.names.mkdir('/w/d', 0o644);
  await write((await make('/w/d/1.md')).fd);
  told();
  await make('/w/d/2.md');
  await system.utimes('/w/d/1.md', null, { seconds: 5, nanoseconds: 0 });
  await make('/w/d/3.md');
  expect(told()).toEqual([]);
  const result = await new Promise((resolve) => fsyncdir('/w/d', false, 0, resolve));
  expect([result, told()]).toEqual([
    0,
    [['make /w/d/2.md'], ['utimes /w/d/1.md'], ['make /w/d/3.md']],
  ]);
  expect(trouble).toEqual([]);
});

test('of a directory that is known a file that is made in it changes the time alone, which is the file’s, and is not asked for', async () => {
  const { system, messages, clock, make, write } = world();
  await system.names.mkdir('/w/d', 0o644);
  messages.length = 0;
  clock.now = 7_000;
  const { fd } = await make('/w/d/1.md');
  expect((await system.stat('/w/d')).mtime.seconds).toBeGreaterThan(7);
  await write(fd);
  expect(messages).toEqual([['make /w/d/1.md', 'writeFile /w/d/1.md', 'inspect /w/d/1.md']]);
  expect((await system.stat('/w/d')).mtime).toEqual({ seconds: 7, nanoseconds: 0 });
  // One whose time was told without its content, too.
  clock.now = 9_000;
  await make('/w/d/2.md');
  await system.told();
  expect((await system.stat('/w/d')).mtime).toEqual({ seconds: 9, nanoseconds: 0 });
  expect(messages.splice(0).slice(1)).toEqual([['make /w/d/2.md']]);
  await system.names.unlink('/w/d/1.md');
  await system.stat('/w/d');
  expect(messages.at(-1)).toEqual(['inspect /w/d']);
});

/** Stands for as long as a test takes: what a directory that was put off says of itself. */
const LONG_MS = 60_000;

test('a directory that is made where nothing is refused costs no message of its own: it goes ahead of what is told next', async () => {
  const { system, make, write, told } = world({ local: LONG_MS });
  await system.names.mkdir('/w/d', 0o755);
  told();
  await system.names.mkdir('/w/d/e', 0o755);
  await system.names.mkdir('/w/d/e/f', 0o700);
  expect(await system.stat('/w/d/e/f')).toMatchObject({ mode: 0o040700 });
  await expect(system.names.mkdir('/w/d/e', 0o755)).rejects.toMatchObject({ code: 'EEXIST' });
  await expect(system.stat('/w/d/e/1.md')).rejects.toMatchObject({ code: 'ENOENT' });
  const { fd } = await make('/w/d/e/f/1.md');
  expect(told()).toEqual([]);
  await write(fd);
  expect(told()).toEqual([
    [
      'mkdir /w/d/e',
      'mkdir /w/d/e/f',
      'chmod /w/d/e/f',
      'make /w/d/e/f/1.md',
      'writeFile /w/d/e/f/1.md',
    ],
  ]);
});

test.each([
  ['listed', (system: FileSystem) => system.list('/w/d'), 'readdirWithFileTypes /w/d'],
  ['removed', (system: FileSystem) => system.names.rmdir('/w/d/e'), 'rm /w/d/e'],
  ['renamed', (system: FileSystem) => system.names.rename('/w/d/e', '/w/d/g'), 'locate /w/d/e'],
  ['given rights', (system: FileSystem) => system.chmod('/w/d/e', 0o700), 'chmod /w/d/e'],
] as const)(
  'where a directory that was put off is %s, the world knows it first',
  async (_what, does, first) => {
    const { system, told } = world({ local: LONG_MS });
    await system.names.mkdir('/w/d', 0o755);
    told();
    await system.names.mkdir('/w/d/e', 0o755);
    expect(told()).toEqual([]);
    await does(system);
    expect(told().flat().slice(0, 2)).toEqual(['mkdir /w/d/e', first]);
  },
);

test('a directory that the world does not take after all stops nothing else, is told, and the next is asked for first', async () => {
  const { system, make, write, told, trouble } = world({
    local: LONG_MS,
    refused: ['mkdir /w/d/e'],
  });
  await system.names.mkdir('/w/d', 0o755);
  await system.names.mkdir('/w/d/e', 0o755);
  await system.names.mkdir('/w/d/f', 0o755);
  const { fd } = await make('/w/d/e/1.md');
  told();
  await system.told();
  expect(told()).toEqual([
    ['mkdir /w/d/e', 'mkdir /w/d/f'],
    ['mkdir /w/d/e'],
    ['mkdir /w/d/f'],
    ['make /w/d/e/1.md'],
  ]);
  expect(trouble).toEqual(['no']);
  await expect(write(fd)).rejects.toMatchObject({ code: 'ENOENT' });
  await expect(system.stat('/w/d/e')).rejects.toMatchObject({ code: 'ENOENT' });
  await system.stat('/w/d/f');
  await expect(system.names.mkdir('/w/d/e', 0o755)).rejects.toMatchObject({ code: 'EACCES' });
});

test('once what was made and written may have taken the room, the world is asked first', async () => {
  const { system, make, told } = world({ local: LONG_MS, free: 2 ** 20 + 5_000 });
  await system.names.mkdir('/w/d', 0o755);
  const made = [];
  for (let number = 0; number < 8; number++) {
    told();
    await system.names.mkdir(`/w/d/${number}`, 0o755);
    made.push(told().length);
  }
  // Each takes 1,024 bytes at most; then how much there is was asked for anew.
  expect(made.slice(0, 5)).toEqual([0, 0, 0, 0, 0]);
  expect(Math.max(...made.slice(5))).toBeGreaterThan(0);
  const { fd } = await make('/w/d/1.md');
  await system.handles.write(fd, Buffer.alloc(6_000), 0);
  await system.handles.flush(fd, null);
  told();
  await system.names.mkdir('/w/d/last', 0o755);
  expect(told().flat()).toContain('mkdir /w/d/last');
});

test('where a world ends under a message and begins anew, it is told once more of the directories that went with it', async () => {
  const { system, make, write, told, ending, trouble } = world({ local: LONG_MS });
  await system.names.mkdir('/w/d', 0o755);
  told();
  await system.names.mkdir('/w/d/f', 0o755);
  ending.now = true;
  await system.told();
  expect(told()).toEqual([['mkdir /w/d/f'], ['mkdir /w/d/f']]);
  await system.names.mkdir('/w/d/e', 0o755);
  const { fd } = await make('/w/d/e/1.md');
  ending.now = true;
  // What became of the file itself, whoever wrote it is told.
  await expect(write(fd)).rejects.toThrow('begun anew');
  expect(told()).toEqual([
    ['mkdir /w/d/e', 'make /w/d/e/1.md', 'writeFile /w/d/e/1.md'],
    ['mkdir /w/d/e'],
  ]);
  expect(trouble).toEqual([]);
});
