/** Mounts in mounts: what the namespace makes of several of them. */
import { describe, expect, it } from 'vitest';
import { FsError } from '../../src/errors.ts';
import { MemoryMount } from '../../src/memory-tree/mount.ts';
import type { Mount } from '../../src/mount/contract/contract.ts';
import { createBinMount, DeviceMount } from '../../src/system/index.ts';
import { diskMount, failure, namespaceOver, outcome } from './support.ts';

function nested() {
  const mounts = {
    root: new MemoryMount(),
    a: new MemoryMount(),
    ab: new MemoryMount(),
    abc: new MemoryMount(),
  };
  const fs = namespaceOver([
    ['/a/b/c', mounts.abc],
    ['/', mounts.root],
    ['/a/b', mounts.ab],
    ['/a', mounts.a],
    ['/x/y/z', new MemoryMount()],
  ]);
  return { fs, mounts };
}

describe('an empty path', () => {
  it('names nothing, in whatever directory', async () => {
    const { fs } = nested();
    await fs.writeFile('/a/f', '');
    const path = fs.resolvePath('/a', '');
    expect(await fs.exists(path)).toBe(false);
    for (const asked of [
      fs.stat(path),
      fs.writeFile(path, 'x'),
      fs.rm(path, { recursive: true }),
    ]) {
      expect(await outcome(asked)).toBe('ENOENT');
    }
    expect(await fs.readdir('/a')).toEqual(['b', 'f']);
    expect(fs.resolvePath('/a', '.')).toBe('/a');
  });
});

describe('nested mounts', () => {
  it('each is listed in the directory above it, with its type, in order', async () => {
    const { fs } = nested();
    await fs.writeFile('/a/a', '');
    await fs.writeFile('/a/c', '');
    expect(await fs.readdir('/')).toEqual(['a', 'x']);
    expect(await fs.readdir('/a')).toEqual(['a', 'b', 'c']);
    expect(await fs.readdir('/a/b')).toEqual(['c']);
    expect(await fs.readdir('/x')).toEqual(['y']);
    for (const path of ['/a', '/a/b', '/a/b/c', '/x', '/x/y', '/x/y/z'])
      expect((await fs.lstat(path)).isDirectory, path).toBe(true);
    expect(await fs.readdirWithFileTypes('/x')).toEqual([
      { name: 'y', isFile: false, isDirectory: true, isSymbolicLink: false },
    ]);
  });

  it('the longest mount point answers, and a name with the same beginning is no mount', async () => {
    const { fs, mounts } = nested();
    await fs.writeFile('/a/b/f', 'ab');
    await fs.writeFile('/a/bc', 'a');
    await fs.writeFile('/ab', 'root');
    await fs.writeFile('/a/b/c/../g', 'ab');
    expect((await mounts.ab.readdir('/')).map((row) => row.name)).toEqual(['f', 'g']);
    expect((await mounts.a.readdir('/')).map((row) => row.name)).toEqual(['bc']);
    expect((await mounts.root.readdir('/')).map((row) => row.name)).toEqual(['ab']);
  });

  it('a mount shadows what was there, whatever it was', async () => {
    const { fs, mounts } = nested();
    await mounts.root.mkdir('/a');
    await mounts.root.write('/a/shadowed', Buffer.from('x'));
    await mounts.a.write('/b', Buffer.from('a file where a mount is'));
    await mounts.root.symlink('/a', '/x');
    expect(await fs.readdir('/a')).toEqual(['b']);
    expect((await fs.lstat('/a/b')).isDirectory).toBe(true);
    expect((await fs.lstat('/x')).isDirectory).toBe(true);
    expect(await fs.readdir('/x')).toEqual(['y']);
    expect(await fs.realpath('/x/y/z')).toBe('/x/y/z');
    expect(await outcome(fs.readFile('/a/b'))).toBe('EISDIR');
    expect(await outcome(fs.readFile('/x'))).toBe('EISDIR');
    expect(await outcome(fs.writeFile('/x', 'y'))).toBe('EISDIR');
    expect([...(fs.walk('/') ?? [])].map((file) => file.path)).toEqual([]);
  });

  it('what holds a mount point stays, and nothing below it is lost in trying', async () => {
    const { fs } = nested();
    await fs.writeFile('/a/f', 'x');
    for (const path of ['/', '/a', '/a/b', '/x', '/x/y']) {
      expect(await outcome(fs.rm(path, { recursive: true, force: true })), path).toBe('EBUSY');
      expect(await outcome(fs.mv(path, '/elsewhere')), path).toBe('EBUSY');
    }
    expect((await failure(fs.rm('/x', { recursive: true }))).reason).toContain('mount point');
    expect(await fs.readFile('/a/f')).toBe('x');
  });

  it('a directory that is there for a mount alone takes nothing, and says why', async () => {
    const { fs } = nested();
    for (const act of [
      fs.writeFile('/x/f', 'y'),
      fs.mkdir('/x/d'),
      fs.symlink('y', '/x/l'),
      fs.chmod('/x', 0o700),
    ]) {
      const error = await failure(act);
      expect([error.code, error.reason]).toEqual([
        'EPERM',
        expect.stringContaining('mounted below'),
      ]);
    }
    expect(await outcome(fs.readFile('/x/f'))).toBe('ENOENT');
    expect(await outcome(fs.mkdir('/x/y/z/d', { recursive: true }))).toBe('ok');
  });

  it('cp -r and walk go over mounts, in one order', async () => {
    const { fs } = nested();
    const files = [
      '/a/a',
      '/a/b/a',
      '/a/b/c/f',
      '/a/b/d',
      '/a/b-',
      '/a/c',
      '/a.txt',
      '/b',
      '/x/y/z/f',
    ];
    await fs.mkdir('/a/d');
    for (const file of [...files, '/a/d/e']) await fs.writeFile(file, file);
    const all = [...(fs.walk('/') ?? [])];
    expect(all.map((file) => file.path)).toEqual([
      '/a/a',
      '/a/b/a',
      '/a/b/c/f',
      '/a/b/d',
      '/a/b-',
      '/a/c',
      '/a/d/e',
      '/a.txt',
      '/b',
      '/x/y/z/f',
    ]);
    expect(all.every((file) => Buffer.from(file.bytes() ?? []).toString() === file.path)).toBe(
      true,
    );
    expect([...(fs.walk('/x') ?? [])].map((file) => file.path)).toEqual(['/x/y/z/f']);
    await fs.cp('/a', '/copy', { recursive: true });
    expect(await fs.readFile('/copy/b/c/f')).toBe('/a/b/c/f');
    expect(await outcome(fs.cp('/a', '/a/b/c/in', { recursive: true }))).toBe('EINVAL');
  });

  it('a walk is null where a mount cannot promise, or the path is not what it says', async () => {
    const lazy: Mount = {
      kind: 'lazy',
      searchable: false,
      lstat: async () => ({ type: 'directory', mode: 0o755, size: 1, mtime: new Date(0) }),
      readdir: async () => [],
      read: async (path) => Promise.reject(new FsError('EISDIR', { path, op: 'read' })),
      walk: () => null,
    };
    const fs = namespaceOver([
      ['/', new MemoryMount()],
      ['/m/lazy', lazy],
    ]);
    await fs.mkdir('/d');
    await fs.symlink('d', '/l');
    expect(fs.walk('/')).toBeNull();
    expect(fs.walk('/m')).toBeNull();
    expect(fs.walk('/d')).not.toBeNull();
    expect(fs.walk('/l')).toBeNull();
    expect(fs.walk('/gone')).toBeNull();
  });

  it('two mounts of one thing have two identities; attaching again keeps ids apart', async () => {
    const shared = new MemoryMount();
    await shared.write('/f', Buffer.from('x'));
    const fs = namespaceOver([
      ['/', new MemoryMount()],
      ['/a', new MemoryMount()],
      ['/a', shared],
      ['/b', shared],
    ]);
    const paths = ['/', '/a', '/b', '/a/f', '/b/f'];
    const identities = await Promise.all(paths.map(async (path) => (await fs.stat(path)).identity));
    expect(new Set(identities).size).toBe(paths.length);
  });
});

describe('moving over mounts', () => {
  it('what cannot be removed at its source is not copied to its target', async () => {
    const source = new MemoryMount();
    await source.mkdir('/d');
    await source.write('/d/f', Buffer.from('x'));
    const lacking = new Proxy(source, {
      get: (target, key) => {
        const value: unknown = Reflect.get(target, key, target);
        return key === 'unlink'
          ? undefined
          : typeof value === 'function'
            ? value.bind(target)
            : value;
      },
    });
    const fs = namespaceOver([
      ['/', new MemoryMount()],
      ['/m', lacking],
    ]);
    expect((await failure(fs.mv('/m/d', '/d'))).code).toBe('EPERM');
    expect((await failure(fs.mv('/m/d/f', '/f'))).code).toBe('EPERM');
    expect((await failure(fs.rm('/m/d', { recursive: true }))).code).toBe('EPERM');
    expect(await fs.readdir('/')).toEqual(['m']);
    expect(await fs.readFile('/m/d/f')).toBe('x');
  });

  it('links, modes and times go along; a link in the way is replaced', async () => {
    const { mount, directory } = diskMount();
    try {
      const fs = namespaceOver([
        ['/', new MemoryMount()],
        ['/m', mount],
      ]);
      await fs.mkdir('/t/sub', { recursive: true });
      await fs.writeFile('/t/sub/run', '#!');
      await fs.chmod('/t/sub/run', 0o750);
      await fs.utimes('/t/sub/run', new Date(0), new Date(9_000));
      await fs.symlink('sub/run', '/t/l');
      await fs.symlink('nowhere', '/t/dangling');
      await fs.mkdir('/m/t');
      await fs.mv('/t', '/m/t');
      expect(await fs.readlink('/m/t/dangling')).toBe('nowhere');
      const stat = await fs.stat('/m/t/l');
      expect([stat.mode, stat.mtime.getTime()]).toEqual([0o750, 9_000]);
      expect(await fs.exists('/t')).toBe(false);
      await fs.writeFile('/f', 'f');
      await fs.symlink('/f', '/m/way');
      await fs.mv('/m/t/sub/run', '/here');
      await fs.mv('/here', '/m/way');
      expect(await fs.readFile('/f')).toBe('f');
      expect((await fs.lstat('/m/way')).isFile).toBe(true);
    } finally {
      directory.remove();
    }
  });
});

describe('system mounts', () => {
  const system = () =>
    namespaceOver([
      ['/', new MemoryMount()],
      ['/bin', createBinMount(['ls', 'cat']), { mode: 'ro' }],
      ['/dev', new DeviceMount()],
    ]);

  it('/dev/null takes everything and gives nothing, /dev/full is full', async () => {
    const fs = system();
    await fs.writeFile('/dev/null', 'x');
    await fs.appendFile('/dev/null', 'x');
    expect(await fs.readFile('/dev/null')).toBe('');
    expect(await outcome(fs.writeFile('/dev/full', 'x'))).toBe('ENOSPC');
    expect(await outcome(fs.writeFile('/dev/new', 'x'))).toBe('EACCES');
    expect(await outcome(fs.rm('/dev/null'))).toBe('EPERM');
    expect(await outcome(fs.mv('/dev/null', '/dev/zero'))).toBe('EPERM');
    expect(await outcome(fs.readdir('/dev/none'))).toBe('ENOENT');
    expect(await outcome(fs.readdir('/dev/null'))).toBe('ENOTDIR');
    expect(await outcome(fs.readFile('/dev/null/x'))).toBe('ENOTDIR');
  });

  it('a stream of the command is no file: writing to it is never lost in silence', async () => {
    const fs = system();
    for (const name of ['stdout', 'stderr', 'stdin', 'tty'])
      expect((await failure(fs.writeFile(`/dev/${name}`, 'x'))).code).toBe('ENOTSUP');
  });

  it('/bin cannot be changed', async () => {
    const fs = system();
    expect(await fs.readFile('/bin/ls')).toContain('built in: ls');
    for (const act of [
      fs.rm('/bin/ls'),
      fs.writeFile('/bin/ls', 'x'),
      fs.mv('/bin/ls', '/ls'),
      fs.symlink('/x', '/bin/x'),
    ])
      expect(await outcome(act)).toBe('EACCES');
    expect(await outcome(fs.readdir('/bin/none'))).toBe('ENOENT');
  });
});

describe('the side channel of errors', () => {
  it('keeps refusals and outages in order, and no ordinary answers', async () => {
    const broken: Mount = {
      kind: 'broken',
      searchable: false,
      lstat: async () => ({ type: 'file', mode: 0o644, size: 1, mtime: new Date(0), ino: 1 }),
      readdir: async () => [],
      read: () => {
        throw new TypeError('a bug');
      },
    };
    const fs = namespaceOver([
      ['/', new MemoryMount()],
      ['/m', broken],
    ]);
    await outcome(fs.readFile('/gone'));
    await fs.exists('/gone');
    const mark = fs.errorMark();
    const bug = await failure(fs.readFile('/m/f'));
    expect([bug.code, bug.reason]).toEqual(['EIO', 'the mount failed: a bug']);
    const refusal = await failure(fs.rm('/m/f'));
    expect(refusal.code).toBe('EPERM');
    expect(fs.errorsSince(mark)).toEqual([bug, refusal]);
    const later = fs.errorMark();
    expect(fs.errorsSince(later)).toEqual([]);
    fs.clearErrors();
    expect(fs.errorsSince(mark)).toEqual([]);
    expect(fs.errorMark()).toBe(later);
  });

  it('one failed operation is one error, under the name that the caller used', async () => {
    const fs = namespaceOver([
      ['/', new MemoryMount()],
      ['/m', new MemoryMount(), { mode: 'ro' }],
    ]);
    await fs.symlink('/m', '/l');
    const error = await failure(fs.mkdir('/l/a/b/c', { recursive: true }));
    expect([error.code, error.path]).toEqual(['EACCES', '/l/a']);
    expect(fs.errorsSince(0)).toEqual([error]);
  });
});
