/** The world as a POSIX file system, over a real namespace: names, handles, and what the world has when. */
import { constants } from 'node:fs';
import { beforeEach, describe, expect, test } from 'vitest';
import { FsError } from '../../errors.ts';
import { MemoryMount } from '../../memory-tree/mount.ts';
import type { Mount } from '../../mount/contract/contract.ts';
import { Namespace } from '../../namespace/namespace.ts';
import { MountTable } from '../../namespace/table.ts';
import type { FsCall } from '../../world/fs-call.ts';
import { FileSystem } from './file-system.ts';
import { WorldFiles } from './world-files.ts';

const { O_RDONLY, O_WRONLY, O_RDWR, O_APPEND, O_EXCL, O_TRUNC } = constants;
const OWNER = { uid: 5, gid: 6 };

/** A service with records `/N.md`, which it writes as it likes; it has no other names. */
class Records implements Mount {
  readonly kind = 'records';
  readonly searchable = false;
  readonly transactional = true;
  readonly sent: string[] = [];
  readonly texts = new Map<string, string>();
  hasLinks = (): boolean => false;
  canHave = (path: string): boolean => path === '/' || /^\/\d+\.md$/.test(path);
  async lstat(path: string) {
    if (path === '/')
      return { type: 'directory', mode: 0o755, size: 0, mtime: new Date(0) } as const;
    return { type: 'file', mode: 0o644, size: this.#at(path).length, mtime: new Date(0) } as const;
  }
  async readdir() {
    return [...this.texts.keys()].map((path) => ({ name: path.slice(1), type: 'file' as const }));
  }
  async read(path: string) {
    return Buffer.from(this.#at(path));
  }
  async write(path: string, data: Uint8Array) {
    const text = Buffer.from(data).toString();
    if (text.includes('refused'))
      throw new FsError('EINVAL', { path, op: 'write', reason: 'it has a field that is refused' });
    this.sent.push(`${path} ${text}`);
    this.texts.set(path, `${text}, as kept`);
  }
  #at(path: string): string {
    const text = this.texts.get(path);
    if (text === undefined) throw new FsError('ENOENT', { path, op: 'open' });
    return text;
  }
}

/** The namespace in this process, and what it is asked. */
class Direct extends WorldFiles {
  readonly isBusy = false;
  lease = 0;
  readonly asked: string[] = [];
  readonly #fs: Namespace;
  constructor(fs: Namespace) {
    super();
    this.#fs = fs;
  }
  async ask(calls: readonly FsCall[]): Promise<unknown[]> {
    const values: unknown[] = [];
    for (const [method, ...args] of calls) {
      this.asked.push(`${method} ${args[0]}`);
      const call = this.#fs[method as 'readFile'] as (...given: unknown[]) => unknown;
      values.push(await call.apply(this.#fs, args));
    }
    return values;
  }
}

function open({
  movesOverMounts = false,
  seenAt = null as string | null,
  socket = null as string | null,
  bytes = 2 ** 20,
} = {}) {
  const table = new MountTable();
  const records = new Records();
  records.texts.set('/1.md', 'one');
  const memory = () => new MemoryMount({ searchable: false });
  const rows: [string, Mount][] = [
    ['/', memory()],
    ['/w', memory()],
    ['/other', memory()],
    ['/svc', records],
  ];
  for (const [point, mount] of rows)
    table.attach({ point, mount, access: { mode: 'rw' }, searchable: false });
  const gate = () => ({ decision: 'allow' as const, rule: 'test', reason: '' });
  const world = new Namespace({ table, gate, timeoutMs: 5_000, origin: 'shell' });
  const files = new Direct(world);
  const trouble: string[] = [];
  const system = new FileSystem({
    files,
    services: ['/svc'],
    ...{ inMemory: [], elsewhere: [], socket, seenAt, movesOverMounts },
    freshness: { local: 0, service: 0 },
    limits: { handles: 8, bytes },
    keptBytes: 1_000,
    owner: OWNER,
    onTrouble: (message) => trouble.push(message),
  });
  const { handles, names } = system;
  const make = async (path: string, flags = O_WRONLY, mode = 0o644) =>
    (await handles.create(path, mode, flags, null)).fd;
  const opened = async (path: string, flags = O_RDWR) => (await handles.open(path, flags, null)).fd;
  const write = (fd: number, text: string, at = 0) => handles.write(fd, Buffer.from(text), at);
  const read = async (fd: number) => {
    const bytes = Buffer.alloc(100);
    return bytes.toString('utf8', 0, await handles.read(fd, bytes, 100, 0));
  };
  /** Makes a file, as a program does. */
  const put = async (path: string, text: string) => {
    const fd = await make(path);
    if (text !== '') await write(fd, text);
    await handles.flush(fd, null);
    await handles.release(fd);
  };
  const rowsOf = async (path: string) => (await system.list(path)).map(({ name }) => name).sort();
  return {
    world,
    records,
    files,
    trouble,
    system,
    handles,
    names,
    make,
    opened,
    write,
    read,
    put,
    rowsOf,
  };
}
type Opened = ReturnType<typeof open>;

let at: Opened;
beforeEach(() => {
  at = open();
});

const codeOf = (work: Promise<unknown>): Promise<string> =>
  work.then(
    () => 'done',
    (error: unknown) => (error instanceof FsError ? error.code : String(error)),
  );

describe('names', () => {
  test('a directory is made where nothing is, with its rights, and removed where nothing is in it', async () => {
    await at.names.mkdir('/w/d', 0o700);
    expect(await at.system.stat('/w/d')).toMatchObject({ mode: 0o040700, ...OWNER });
    expect(await codeOf(at.names.mkdir('/w/d', 0o755))).toBe('EEXIST');
    await at.put('/w/d/a', 'x');
    expect(await codeOf(at.names.rmdir('/w/d'))).toBe('ENOTEMPTY');
    expect(await codeOf(at.names.rmdir('/w/d/a'))).toBe('ENOTDIR');
    expect(await codeOf(at.names.rmdir('/w/none'))).toBe('ENOENT');
    expect(await codeOf(at.names.unlink('/w/d'))).toBe('EISDIR');
    await at.names.unlink('/w/d/a');
    expect(await codeOf(at.names.unlink('/w/d/a'))).toBe('ENOENT');
    await at.names.rmdir('/w/d');
    expect(await codeOf(at.system.stat('/w/d'))).toBe('ENOENT');
    expect(await at.rowsOf('/w')).toEqual([]);
  });

  test('a rename replaces a file, leaves its own name, and takes what is below along', async () => {
    await at.names.mkdir('/w/d', 0o755);
    await at.put('/w/d/a', 'a');
    await at.put('/w/b', 'b');
    await at.names.rename('/w/b', '/w/d/a');
    expect(await at.world.readFile('/w/d/a')).toBe('b');
    await at.names.rename('/w/d', '/w/e');
    expect([await at.rowsOf('/w'), await at.rowsOf('/w/e')]).toEqual([['e'], ['a']]);
    await at.names.rename('/w/e/a', '/w/e/a');
    expect(await at.world.readFile('/w/e/a')).toBe('b');
    expect(await codeOf(at.names.rename('/w/none', '/w/x'))).toBe('ENOENT');
    await at.put('/w/f', 'f');
    expect(await codeOf(at.names.rename('/w/f', '/w/e'))).toBe('EISDIR');
    expect(await codeOf(at.names.rename('/w/e', '/w/f'))).toBe('ENOTDIR');
  });

  test('a rename that may replace nothing replaces nothing, and two names are not exchanged', async () => {
    await at.put('/w/a', 'a');
    await at.put('/w/b', 'b');
    expect(await codeOf(at.names.rename('/w/a', '/w/b', 1))).toBe('EEXIST');
    await at.names.rename('/w/a', '/w/c', 1);
    expect(await codeOf(at.names.rename('/w/b', '/w/c', 2))).toBe('EINVAL');
    expect(await codeOf(at.names.rename('/w/b', '/w/c', 3))).toBe('EINVAL');
    expect(await at.rowsOf('/w')).toEqual(['b', 'c']);
  });

  test('over mounts a rename is EXDEV, unless this door moves', async () => {
    await at.put('/w/a', 'a');
    expect(await codeOf(at.names.rename('/w/a', '/other/a'))).toBe('EXDEV');
    const moving = open({ movesOverMounts: true });
    await moving.put('/w/a', 'a');
    await moving.names.rename('/w/a', '/other/a');
    expect([await moving.rowsOf('/w'), await moving.world.readFile('/other/a')]).toEqual([[], 'a']);
  });

  test('two names are one file: by each is seen what was written by the other', async () => {
    await at.put('/w/a', 'a');
    await at.names.link('/w/a', '/w/b');
    expect(await codeOf(at.names.link('/w/a', '/w/b'))).toBe('EEXIST');
    await at.names.rename('/w/a', '/w/b');
    expect(await at.rowsOf('/w')).toEqual(['a', 'b']);
    expect((await at.system.stat('/w/a')).nlink).toBe(2);
    const fd = await at.opened('/w/a');
    await at.write(fd, 'longer');
    expect((await at.system.stat('/w/b')).size).toBe(6);
    await at.handles.flush(fd, null);
    await at.names.unlink('/w/a');
    expect(await at.read(fd)).toBe('longer');
    await at.handles.release(fd);
    expect([await at.rowsOf('/w'), (await at.system.stat('/w/b')).nlink]).toEqual([['b'], 1]);
  });

  test('what is linked is what was written, closed or not', async () => {
    const fd = await at.make('/w/a');
    await at.write(fd, 'text');
    await at.names.link('/w/a', '/w/b');
    expect(await at.world.readFile('/w/b')).toBe('text');
    await at.handles.release(fd);
  });

  test('a link is kept as the world means it, and shown as the host finds it', async () => {
    const seen = open({ seenAt: '/host' });
    await seen.names.symlink('/host/w/a', '/w/l');
    expect([await seen.world.readlink('/w/l'), await seen.names.readlink('/w/l')]).toEqual([
      ...['/w/a', '/host/w/a'],
    ]);
    await at.names.symlink('/host/w/a', '/w/l');
    expect(await at.names.readlink('/w/l')).toBe('/host/w/a');
    expect(await codeOf(at.names.symlink('x', '/w/l'))).toBe('EEXIST');
    expect((await at.system.stat('/w/l')).mode & 0o170000).toBe(0o120000);
    expect(await codeOf(at.handles.open('/w/l', O_RDONLY, null))).toBe('ELOOP');
  });
});

describe('handles', () => {
  test('what is written has its place, and is the world’s when it is closed', async () => {
    const fd = await at.make('/w/a', O_RDWR);
    await at.write(fd, 'abc');
    expect([await at.read(fd), await at.world.readFile('/w/a')]).toEqual(['abc', '']);
    expect(await at.system.stat('/w/a')).toMatchObject({ size: 3 });
    expect(at.handles.hasUntold(fd)).toBe(true);
    await at.handles.flush(fd, null);
    expect([at.handles.hasUntold(fd), await at.world.readFile('/w/a')]).toEqual([false, 'abc']);
    const appending = await at.opened('/w/a', O_WRONLY | O_APPEND);
    await at.write(appending, 'de', 0);
    await at.handles.sync(appending);
    expect(await at.world.readFile('/w/a')).toBe('abcde');
    expect(at.handles.size).toBe(2);
    for (const each of [fd, appending]) await at.handles.release(each);
    expect([at.handles.size, await codeOf(at.handles.read(fd, Buffer.alloc(1), 1, 0))]).toEqual([
      ...[0, 'EINVAL'],
    ]);
  });

  test('each is for what it was opened for', async () => {
    await at.put('/w/a', 'abc');
    const [reading, writing] = [
      await at.opened('/w/a', O_RDONLY),
      await at.opened('/w/a', O_WRONLY),
    ];
    expect(await codeOf(at.write(reading, 'x'))).toBe('EINVAL');
    expect(await codeOf(at.handles.resize(reading, 0))).toBe('EINVAL');
    expect(await codeOf(at.read(writing))).toBe('EINVAL');
    const emptied = await at.opened('/w/a', O_WRONLY | O_TRUNC);
    expect((await at.system.stat('/w/a')).size).toBe(0);
    await at.handles.close(emptied);
    expect(await at.world.readFile('/w/a')).toBe('');
    // Who only reads empties nothing.
    await at.world.writeFile('/w/a', 'new');
    await at.handles.close(await at.opened('/w/a', O_RDONLY | O_TRUNC));
    expect(await at.world.readFile('/w/a')).toBe('new');
    expect(await codeOf(at.handles.open('/w', O_RDONLY, null))).toBe('EISDIR');
    expect(await codeOf(at.handles.open('/w/none', O_RDONLY, null))).toBe('ENOENT');
  });

  test('a file is made with its rights, or is there already', async () => {
    const fd = await at.make('/w/a', O_RDWR, 0o600);
    expect((await at.system.stat('/w/a')).mode).toBe(0o100600);
    expect(await codeOf(at.handles.create('/w/a', 0o644, O_WRONLY | O_EXCL, null))).toBe('EEXIST');
    await at.write(fd, 'x');
    const second = await at.make('/w/a', O_RDWR);
    expect(await at.read(second)).toBe('x');
    await at.world.writeFile('/w/b', 'there');
    expect(await codeOf(at.handles.create('/w/b', 0o644, O_WRONLY | O_EXCL, null))).toBe('EEXIST');
    expect(await at.read(await at.make('/w/b', O_RDWR))).toBe('there');
    expect(await codeOf(at.make('/w/no/b'))).toBe('ENOENT');
  });

  test('only so many are open, and of so many bytes; what fails leaves nothing open', async () => {
    const small = open({ bytes: 10 });
    await small.put('/w/a', 'x');
    for (let opened = 0; opened < 8; opened++) {
      expect(await codeOf(small.handles.open('/w/none', O_RDONLY, null))).toBe('ENOENT');
      await small.opened('/w/a');
    }
    expect(await codeOf(small.handles.open('/w/a', O_RDONLY, null))).toBe('EAGAIN');
    expect(await codeOf(small.make('/w/b'))).toBe('EAGAIN');
    small.handles.abandon();
    expect(small.handles.size).toBe(0);
    const fd = await small.make('/w/b');
    expect(await codeOf(small.write(fd, 'x'.repeat(11)))).toBe('EFBIG');
    expect(await codeOf(small.handles.resize(fd, 11))).toBe('EFBIG');
    await small.world.writeFile('/w/large', 'x'.repeat(11));
    expect(await codeOf(small.handles.open('/w/large', O_RDONLY, null))).toBe('EFBIG');
    expect(small.handles.size).toBe(1);
  });

  test('a truncation is committed at once, unless it empties what somebody is about to write', async () => {
    await at.put('/w/a', 'abcdef');
    await at.handles.truncate('/w/a', 3);
    expect(await at.world.readFile('/w/a')).toBe('abc');
    const fd = await at.opened('/w/a');
    await at.handles.truncate('/w/a', 0);
    expect(await at.world.readFile('/w/a')).toBe('abc');
    await at.write(fd, 'new');
    await at.handles.close(fd);
    expect(await at.world.readFile('/w/a')).toBe('new');
    const again = await at.opened('/w/a');
    await at.handles.truncate('/w/a', 1);
    expect(await at.world.readFile('/w/a')).toBe('n');
    await at.handles.release(again);
    expect(await codeOf(at.handles.truncate('/w/none', 0))).toBe('ENOENT');
    expect(at.handles.size).toBe(0);
  });

  test('by a handle a file is told as it is, whatever became of its name', async () => {
    await at.put('/w/a', 'abc');
    const fd = await at.opened('/w/a');
    const byPath = (path: string) => at.system.stat(path);
    expect(await at.handles.stat(fd, byPath)).toMatchObject({ size: 3, nlink: 1 });
    await at.write(fd, 'abcd');
    expect(await at.handles.stat(fd, () => expect.fail())).toMatchObject({ size: 4 });
    expect(at.handles.nameOf(fd)).toBe('/w/a');
    await at.names.rename('/w/a', '/w/b');
    expect(at.handles.nameOf(fd)).toBe('/w/b');
    await at.names.unlink('/w/b');
    expect(at.handles.nameOf(fd)).toBeNull();
    expect(await at.handles.stat(fd, () => expect.fail())).toMatchObject({ size: 4, nlink: 0 });
    expect(at.system.statOf(at.handles.fileOf(fd))).toMatchObject({ size: 4, nlink: 0 });
    expect(at.handles.hasUntold(fd)).toBe(false);
    await at.handles.close(fd);
    expect(await at.rowsOf('/w')).toEqual([]);
  });

  test('what nobody can be told of by an errno is told', async () => {
    const fd = await at.make('/svc/2.md');
    await at.write(fd, 'refused');
    await at.handles.release(fd);
    const other = await at.make('/svc/3.md');
    await at.write(other, 'refused');
    await at.handles.commitAll();
    expect(at.trouble).toEqual([
      '/svc/2.md was not written: it has a field that is refused',
      '/svc/3.md was not written: it has a field that is refused',
    ]);
    const last = await at.make('/w/a');
    await at.write(last, 'x');
    await at.handles.commitAll();
    expect(await at.world.readFile('/w/a')).toBe('x');
  });

  test('a content that the kernel has pages of is known again, until it is another', async () => {
    await at.put('/w/a', 'abc');
    const cached = async () => {
      const { fd, keepCache } = await at.handles.open('/w/a', O_RDONLY, null);
      await at.handles.release(fd);
      return keepCache;
    };
    expect([await cached(), await cached()]).toEqual([false, true]);
    await at.world.writeFile('/w/a', 'other');
    expect([await cached(), await cached()]).toEqual([false, true]);
  });
});

describe('a record', () => {
  test('is written whole, once, by whoever opened it', async () => {
    const asker = (pid: number) => () => pid;
    const { fd } = await at.handles.open('/svc/1.md', O_WRONLY | O_TRUNC, asker(7));
    // A shell closes the first of two descriptors before anything is written.
    await at.handles.flush(fd, asker(7));
    await at.write(fd, 'new');
    await at.handles.flush(fd, asker(8));
    await at.handles.sync(await at.opened('/svc/1.md', O_WRONLY | O_TRUNC));
    expect(at.records.sent).toEqual([]);
    await at.write(fd, 'new');
    await at.handles.flush(fd, asker(7));
    expect(at.records.sent).toEqual(['/1.md new']);
    await at.handles.flush(fd, asker(7));
    expect(at.records.sent).toHaveLength(1);
    expect(await at.read(await at.opened('/svc/1.md', O_RDONLY))).toBe('new, as kept');
  });

  test('that is made is one request, and is there before it is sent', async () => {
    const fd = await at.make('/svc/2.md', O_WRONLY, 0o600);
    expect(await at.system.stat('/svc/2.md')).toMatchObject({ size: 0, mode: 0o100600 });
    expect(await codeOf(at.names.link('/svc/1.md', '/svc/2.md'))).toBe('EEXIST');
    await at.system.chmod('/svc/2.md', 0o640);
    await at.write(fd, 'two');
    await at.handles.close(fd);
    expect(at.records.sent).toEqual(['/2.md two']);
    expect(await at.rowsOf('/svc')).toEqual(['1.md', '2.md']);
    const gone = await at.make('/svc/3.md');
    await at.names.unlink('/svc/3.md');
    await at.handles.close(gone);
    expect(at.records.sent).toHaveLength(1);
  });

  test('that is refused is as it was, and one that was to be made is not there', async () => {
    for (const path of ['/svc/1.md', '/svc/2.md']) {
      const fd =
        path === '/svc/1.md' ? await at.opened(path, O_WRONLY | O_TRUNC) : await at.make(path);
      await at.write(fd, 'refused');
      expect(await codeOf(at.handles.flush(fd, null))).toBe('EINVAL');
      await at.handles.release(fd);
    }
    expect([at.trouble, await at.rowsOf('/svc')]).toEqual([[], ['1.md']]);
    expect(await at.read(await at.opened('/svc/1.md', O_RDONLY))).toBe('one');
    expect(await codeOf(at.system.stat('/svc/2.md'))).toBe('ENOENT');
  });

  test('lives at its service, too: it has a second name, and its service decides which it has', async () => {
    expect((await at.system.stat('/svc/1.md')).nlink).toBe(2);
    expect((await at.system.stat('/svc')).nlink).not.toBe(2);
    const error: unknown = await at.names
      .rename('/svc/1.md', '/svc/note')
      .catch((caught: unknown) => caught);
    expect(error).toMatchObject({ code: 'EPERM', rule: 'a record keeps its name' });
  });

  test('beside it programs have droppings, of which the service hears what is renamed onto it', async () => {
    await at.put('/svc/.1.md.swp', 'swap');
    const fd = await at.make('/svc/4913', O_RDWR, 0o600);
    await at.write(fd, 'saved');
    expect(await at.rowsOf('/svc')).toEqual(['.1.md.swp', '1.md', '4913']);
    expect(await at.system.stat('/svc/4913')).toMatchObject({ size: 5, mode: 0o100600, nlink: 1 });
    await at.system.chmod('/svc/4913', 0o640);
    expect((await at.system.stat('/svc/4913')).mode).toBe(0o100640);
    await at.names.rename('/svc/4913', '/svc/note');
    expect(await codeOf(at.names.rename('/svc/note', '/w/note'))).toBe('EXDEV');
    const text = Buffer.from((await at.system.content('/svc/note')) ?? []).toString();
    expect([text, await codeOf(at.system.stat('/svc/4913'))]).toEqual(['saved', 'ENOENT']);
    expect(at.records.sent).toEqual([]);
    await at.names.rename('/svc/note', '/svc/1.md');
    expect(at.records.sent).toEqual(['/1.md saved']);
    await at.names.unlink('/svc/.1.md.swp');
    expect(await at.rowsOf('/svc')).toEqual(['1.md']);
    expect(await at.read(await at.opened('/svc/1.md', O_RDONLY))).toBe('saved, as kept');
    await at.handles.release(fd);
  });

  test('a lock beside it is a link of the door alone, and never its text', async () => {
    await at.names.symlink('user@host', '/svc/.#1.md');
    expect(await at.names.readlink('/svc/.#1.md')).toBe('user@host');
    expect(await codeOf(at.names.symlink('x', '/svc/.#1.md'))).toBe('EEXIST');
    expect(await codeOf(at.handles.open('/svc/.#1.md', O_RDONLY, null))).toBe('ELOOP');
    expect(await codeOf(at.names.rename('/svc/.#1.md', '/svc/1.md'))).toBe('EPERM');
    expect((await at.system.list('/svc')).find(({ name }) => name === '.#1.md')?.mode).toBe(
      0o120000,
    );
    expect(await codeOf(at.make('/svc/none/4913'))).toBe('ENOENT');
  });
});

describe('attributes', () => {
  test('rights and times are the world’s, and times to the nanosecond as long as nothing is written', async () => {
    await at.put('/w/a', 'abc');
    await at.system.chmod('/w/a', 0o600);
    expect((await at.world.lstat('/w/a')).mode & 0o777).toBe(0o600);
    at.files.asked.splice(0);
    await at.system.chmod('/w/a', 0o600);
    expect(at.files.asked).not.toContain('chmod /w/a');
    const [atime, mtime] = [
      { seconds: 7, nanoseconds: 8 },
      { seconds: 9, nanoseconds: 10_000_011 },
    ];
    await at.system.utimes('/w/a', atime, mtime);
    expect(await at.system.stat('/w/a')).toMatchObject({ atime, mtime });
    expect((await at.world.lstat('/w/a')).mtime).toEqual(new Date(9_010));
    await at.system.utimes('/w/a', { seconds: 1, nanoseconds: 0 }, null);
    expect(await at.system.stat('/w/a')).toMatchObject({
      atime: { seconds: 1, nanoseconds: 0 },
      mtime,
    });
    expect(await codeOf(at.system.utimes('/w/none', atime, mtime))).toBe('ENOENT');
    expect(await codeOf(at.system.utimes('/w/none', atime, null))).toBe('ENOENT');
    expect(await codeOf(at.system.chmod('/w/none', 0o600))).toBe('ENOENT');
  });

  test('a time that is set to what is being written is the file’s once it is written', async () => {
    const fd = await at.make('/w/a');
    await at.write(fd, 'abc');
    const mtime = { seconds: 9, nanoseconds: 0 };
    await at.system.utimes('/w/a', null, mtime);
    expect(await at.world.readFile('/w/a')).toBe('abc');
    await at.handles.close(fd);
    expect((await at.system.stat('/w/a')).mtime).toEqual(mtime);
  });

  test('all files are one owner’s', async () => {
    await at.put('/w/a', 'abc');
    for (const [uid, gid] of [
      [5, 6],
      [0xffffffff, 6],
      [5, -1],
      [-1, 0xffffffff],
    ] as const)
      expect(await codeOf(at.system.chown('/w/a', uid, gid))).toBe('done');
    for (const [uid, gid] of [
      [0, 6],
      [5, 0],
      [6, 5],
    ] as const)
      expect(await codeOf(at.system.chown('/w/a', uid, gid))).toBe('EPERM');
  });

  test('a listing has the type of each, and what is not listed is there all the same', async () => {
    const door = open({ socket: '/run/socket' });
    await door.names.mkdir('/w/d', 0o755);
    await door.names.symlink('d', '/w/l');
    await door.put('/w/a', '');
    const rows = (await door.system.list('/w')).map(
      ({ name, mode }) => `${name} ${mode.toString(8)}`,
    );
    expect(rows.sort()).toEqual(['a 100000', 'd 40000', 'l 120000']);
    expect(await door.rowsOf('/')).not.toContain('.door');
    expect(await door.system.stat('/.door')).toMatchObject({ mode: 0o100400, size: 12 });
    expect(Buffer.from((await door.system.content('/.door')) ?? []).toString()).toBe(
      '/run/socket\n',
    );
    expect(await codeOf(at.system.stat('/.door'))).toBe('ENOENT');
  });

  test('a content is what is open, else what the world has; a directory has none', async () => {
    await at.put('/w/a', 'abc');
    const text = async (path: string) => {
      const bytes = await at.system.content(path);
      return bytes === null ? null : Buffer.from(bytes).toString();
    };
    expect([await text('/w/a'), await text('/w')]).toEqual(['abc', null]);
    const fd = await at.opened('/w/a');
    await at.write(fd, 'X');
    expect([await text('/w/a'), at.system.opened('/w/a')?.size]).toEqual(['Xbc', 3]);
    await at.handles.release(fd);
    expect(at.system.opened('/w/a')).toBeUndefined();
    expect(await codeOf(at.system.content('/w/none'))).toBe('ENOENT');
  });

  test('room is counted in blocks of 4096 bytes', async () => {
    const { block, longestName, blocks, free } = await at.system.room('/svc');
    expect({ block, longestName, blocks, free }).toEqual({
      ...{ block: 4_096, longestName: 255, blocks: 2 ** 28, free: 2 ** 28 },
    });
    const { capacity } = await at.system.locate('/w');
    if (capacity !== null)
      expect(await at.system.room('/w')).toMatchObject({
        ...{ blocks: Math.floor(capacity.total / 4_096), free: Math.floor(capacity.free / 4_096) },
      });
  });
});

test('what an errno cannot say is told by the path, and by the directories of what was refused', () => {
  const refused = (path: string, at_: string, reason?: string) =>
    at.system.refused(
      path,
      new FsError('EPERM', { path: at_, op: 'open', ...(reason === undefined ? {} : { reason }) }),
    );
  refused('/w/d/a', '/w/d/a', 'it is not allowed');
  refused('/w/x', '/other/y', 'neither is this');
  expect(
    ['/w/d/a', '/w/d', '/w/x', '/w', '/other'].map((path) => at.system.sentence(path)),
  ).toEqual([
    'it is not allowed',
    '/w/d/a: it is not allowed',
    ...Array(3).fill('/other/y: neither is this'),
  ]);
  at.system.refused('/w/n', new FsError('ENOENT', { path: '/w/n', op: 'open' }));
  expect(at.system.sentence('/w/n')).toBeUndefined();
  for (let index = 0; index < 1_000; index++) refused('/w/x', `/w/x`, 'again');
  expect(at.system.sentence('/w/d/a')).toBe('it is not allowed');
  for (let index = 0; index < 1_000; index++) refused(`/m/${index}`, `/m/${index}`, 'more');
  expect([at.system.sentence('/w/d/a'), at.system.sentence('/m/999')]).toEqual([undefined, 'more']);
});

test('once rules are others, what is here is asked for anew; what is being written stays', async () => {
  await at.put('/w/a', 'abc');
  await at.put('/w/b', 'abc');
  const [reading, writing] = [await at.opened('/w/a'), await at.opened('/w/b')];
  await at.write(writing, 'X');
  at.files.asked.splice(0);
  at.system.forget();
  await at.read(reading);
  expect(await at.read(writing)).toBe('Xbc');
  expect(at.files.asked.filter((call) => call.startsWith('readFileBuffer'))).toEqual([
    'readFileBuffer /w/a',
  ]);
  await at.handles.flush(writing, null);
  expect(await at.world.readFile('/w/b')).toBe('Xbc');
  await at.system.told();
});
