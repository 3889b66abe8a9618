/** Whole trees: what is copied, moved and removed, over mounts, and what is refused before anything is. */
import { describe, expect, test } from 'vitest';
import { MemoryMount } from '../memory-tree/mount.ts';
import type { Namespace } from './namespace.ts';
import { failureOf, namespaceOf, ToldKeeper } from './testing.ts';

async function made(given: object = {}) {
  const keeper = new ToldKeeper();
  const far = Object.assign(new MemoryMount(), given);
  const rows = [
    ['/', new MemoryMount()],
    ['/far', far],
    ['/far/in/deep', new MemoryMount()],
  ] as const;
  const fs = namespaceOf(rows);
  await fs.mkdir('/t/sub', { recursive: true });
  await fs.writeFile('/t/a', 'a');
  await fs.writeFile('/t/sub/b', 'b');
  await fs.symlink('a', '/t/l');
  fs.takeChanges();
  return { fs, far, keeper, kept: namespaceOf(rows, keeper) };
}

const codeOf = async (operation: Promise<unknown>): Promise<string> =>
  (await failureOf(operation)).code;

const modeOf = async (fs: Namespace, path: string): Promise<string> =>
  (await fs.lstat(path)).mode.toString(8);

describe('a copy', () => {
  test('has the mode of what it is a copy of, and a file that is there keeps its own', async () => {
    const { fs } = await made();
    await fs.chmod('/t/a', 0o750);
    await fs.chmod('/t/sub', 0o700);
    await fs.writeFile('/there', 'x');
    await fs.mkdir('/dir');
    await fs.cp('/t/a', '/new');
    await fs.cp('/t/a', '/there');
    await fs.cp('/t/sub', '/far/sub', { recursive: true });
    await fs.cp('/t/sub', '/dir', { recursive: true });
    const paths = ['/new', '/there', '/far/sub', '/far/sub/b', '/dir', '/dir/b'];
    expect(await Promise.all(paths.map((path) => modeOf(fs, path)))).toEqual([
      '750',
      '644',
      '700',
      '644',
      '755',
      '644',
    ]);
    expect(await fs.readFile('/there')).toBe('a');
  });

  test('is given no mode where its mount keeps none, and only where it is another than usual', async () => {
    const modes: number[] = [];
    const chmod = async (_: string, mode: number): Promise<void> => void modes.push(mode);
    const { fs } = await made({ chmod });
    await fs.cp('/t', '/far/t', { recursive: true });
    expect(modes).toEqual([]);
    await fs.chmod('/t/a', 0o4755);
    await fs.cp('/t/a', '/far/b');
    expect(modes).toEqual([0o755]);
    const none = await made({ chmod: undefined });
    await none.fs.chmod('/t/a', 0o700);
    await none.fs.cp('/t/a', '/far/b');
    expect(await none.fs.readFile('/far/b')).toBe('a');
  });

  test('of a link is a link, in the place of whatever is no directory', async () => {
    const { fs } = await made();
    await fs.writeFile('/x', 'x');
    for (const target of ['/x', '/n', '/far/l']) {
      await fs.cp('/t/l', target, { recursive: true });
      expect(await fs.readlink(target)).toBe('a');
    }
    expect(await failureOf(fs.cp('/t/l', '/t/sub', { recursive: true }))).toMatchObject({
      code: 'EISDIR',
      path: '/t/sub',
    });
    await fs.cp('/t/l', '/followed');
    expect(await fs.readFile('/followed')).toBe('a');
  });

  test('of a directory goes into one that is there, but not into itself nor onto a file', async () => {
    const { fs } = await made();
    await fs.mkdir('/far/t');
    await fs.writeFile('/far/t/z', 'z');
    await fs.cp('/t', '/far/t', { recursive: true });
    expect(await fs.readdir('/far/t')).toEqual(['a', 'l', 'sub', 'z']);
    await fs.cp('/t/sub', '/far/in/deep', { recursive: true });
    await fs.cp('/t/sub', '/far', { recursive: true });
    expect([await fs.readdir('/far/in/deep'), await fs.readdir('/far')]).toEqual([
      ['b'],
      ['b', 'in', 't'],
    ]);
    for (const target of ['/t', '/t/sub', '/t/new'])
      expect(await failureOf(fs.cp('/t', target, { recursive: true }))).toMatchObject({
        code: 'EINVAL',
        path: '/t',
      });
    await fs.cp('/t', '/tt', { recursive: true });
    expect(await failureOf(fs.cp('/t', '/far/b', { recursive: true }))).toMatchObject({
      code: 'ENOTDIR',
      path: '/far/b',
    });
    expect(await failureOf(fs.cp('/t', '/n'))).toMatchObject({ code: 'EISDIR', path: '/t' });
  });

  test('reads the names of its directories', async () => {
    const { kept, keeper } = await made();
    await kept.cp('/t', '/far/t', { recursive: true });
    expect(keeper.take().filter((each) => each.startsWith('read'))).toEqual([
      'read names of /t in /',
      'read text of /t/a in /',
      'read text of /t/l in /',
      'read names of /t/sub in /',
      'read text of /t/sub/b in /',
    ]);
  });
});

describe('a move over mounts', () => {
  test('takes modes, times and links along, and leaves nothing behind', async () => {
    const { fs } = await made();
    await fs.chmod('/t/a', 0o600);
    await fs.chmod('/t/sub', 0o700);
    for (const path of ['/t/a', '/t/sub', '/t'])
      await fs.utimes(path, new Date(5_000), new Date(5_000));
    await fs.mv('/t', '/far/t');
    expect(await fs.exists('/t')).toBe(false);
    expect(await fs.readlink('/far/t/l')).toBe('a');
    expect(await Promise.all(['/far/t/a', '/far/t/sub'].map((path) => modeOf(fs, path)))).toEqual([
      '600',
      '700',
    ]);
    for (const path of ['/far/t/a', '/far/t/sub', '/far/t'])
      expect((await fs.lstat(path)).mtime).toEqual(new Date(5_000));
  });

  test.each([
    ['/t/a', '/far/dir', 'EISDIR'],
    ['/t/l', '/far/dir', 'EISDIR'],
    ['/t', '/far/file', 'ENOTDIR'],
    ['/t', '/far/dir', 'ENOTEMPTY'],
  ])('of %s to %s is %s, as a rename is, and nothing is moved', async (from, to, errno) => {
    const { fs } = await made();
    await fs.mkdir('/far/dir');
    await fs.writeFile('/far/dir/z', 'z');
    await fs.writeFile('/far/file', 'file');
    expect(await failureOf(fs.mv(from, to))).toMatchObject({ code: errno, path: to });
    expect(await fs.readFile('/t/a')).toBe('a');
    expect(await fs.readFile('/far/file')).toBe('file');
    expect(await fs.readdir('/far/dir')).toEqual(['z']);
  });

  test('takes the place of an empty directory, a file or a link, but of no second name', async () => {
    const { fs } = await made();
    await fs.mkdir('/far/empty');
    await fs.mv('/t/sub', '/far/empty');
    expect(await fs.readdir('/far/empty')).toEqual(['b']);
    await fs.writeFile('/far/one', 'one');
    await fs.link('/far/one', '/far/two');
    await fs.symlink('one', '/far/link');
    await fs.mv('/t/l', '/far/two');
    expect(await fs.readlink('/far/two')).toBe('a');
    await fs.cp('/t/a', '/t/c');
    await fs.mv('/t/a', '/far/link');
    expect([(await fs.lstat('/far/link')).isFile, await fs.readFile('/far/one')]).toEqual([
      true,
      'one',
    ]);
    await fs.link('/far/one', '/far/three');
    await fs.mv('/t/c', '/far/three');
    expect([await fs.readFile('/far/one'), await fs.readFile('/far/three')]).toEqual(['one', 'a']);
  });

  test('keeps what its mount has no method for', async () => {
    const { fs } = await made({ chmod: undefined, utimes: undefined, link: undefined });
    await fs.writeFile('/far/a', 'was');
    await fs.chmod('/t/a', 0o600);
    await fs.mv('/t/a', '/far/a');
    expect([await fs.readFile('/far/a'), await modeOf(fs, '/far/a')]).toEqual(['a', '644']);
  });

  test('of what cannot be removed moves nothing', async () => {
    const { fs } = await made({ unlink: undefined });
    await fs.writeFile('/far/f', 'f');
    expect(await failureOf(fs.mv('/far/f', '/f'))).toMatchObject({
      code: 'EPERM',
      rule: 'memory mounts have no unlink',
    });
    expect(await fs.exists('/f')).toBe(false);
  });
});

describe('who is asked about a move', () => {
  test('is asked for each entry: to leave its name, to be read, to be made, what is higher first', async () => {
    const { kept, keeper } = await made();
    Object.assign(keeper, { hooked: true, watchesReads: true });
    await kept.mv('/t', '/moved');
    const before = keeper
      .take()
      .flatMap((each) => (each.startsWith('before ') ? [each.slice(7)] : []));
    expect(before).toEqual([
      'rename /t',
      'read /t/a',
      'read /t/l',
      'read /t/sub/b',
      'mkdir /moved',
      'rename /t/sub',
      'mkdir /moved/sub',
      'rename /t/sub/b',
      'create /moved/sub/b "b"',
      'rename /t/l',
      'symlink /moved/l',
      'rename /t/a',
      'create /moved/a "a"',
    ]);
  });

  test('is asked to write what is in the way, and over mounts to remove what is left', async () => {
    const { kept, keeper } = await made();
    keeper.hooked = true;
    await kept.writeFile('/far/a', 'was');
    keeper.take();
    await kept.mv('/t/a', '/far/a');
    const before = keeper
      .take()
      .flatMap((each) => (each.startsWith('before ') ? [each.slice(7)] : []));
    expect(before).toEqual(['rename /t/a', 'write /far/a', 'create /far/a "a"', 'unlink /t/a']);
  });

  test('hears of each file that came to another path by it', async () => {
    const { kept, keeper } = await made();
    keeper.hooked = true;
    await kept.mv('/t', '/moved');
    expect(keeper.take().filter((each) => each.startsWith('after'))).toEqual([
      'after rename /t',
      'after create /moved/a "a"',
      'after create /moved/sub/b "b"',
    ]);
  });

  test('may put other data in its place: then it is a copy that has them, and what was there goes', async () => {
    const { kept, keeper } = await made();
    keeper.hooked = true;
    keeper.outcomes['before create /moved/a'] = { pass: true, data: Buffer.from('mended') };
    await kept.mv('/t', '/moved');
    expect(await kept.readFile('/moved/a')).toBe('mended');
    expect(await kept.readFile('/moved/sub/b')).toBe('b');
    expect(await kept.exists('/t')).toBe(false);
    // What is removed then is asked about, too.
    keeper.outcomes['before create /x'] = { pass: true, data: Buffer.from('other') };
    keeper.decisions['unlink /moved/a'] = 'deny';
    expect(await codeOf(kept.mv('/moved/a', '/x'))).toBe('EACCES');
    expect([await kept.readFile('/moved/a'), await kept.exists('/x')]).toEqual(['mended', false]);
  });

  test.each([
    'rename /t',
    'mkdir /far/t',
    'rename /t/sub',
    'create /far/t/a',
    'symlink /far/t/l',
    'unlink /t/a',
    'unlink /t/l',
    'rmdir /t/sub',
  ])('refuses %s, and so all of it', async (wish) => {
    const { kept, keeper, fs } = await made();
    keeper.decisions[wish] = 'deny';
    expect(await codeOf(kept.mv('/t', '/far/t'))).toBe('EACCES');
    expect([await fs.readdir('/t'), await fs.exists('/far/t')]).toEqual([['a', 'l', 'sub'], false]);
  });
});

describe('a removal of a tree', () => {
  test('is of all of it or of nothing', async () => {
    for (const wish of ['rmdir /t', 'unlink /t/a', 'unlink /t/l', 'rmdir /t/sub']) {
      const { kept, keeper, fs } = await made();
      keeper.decisions[wish] = 'deny';
      expect(await codeOf(kept.rm('/t', { recursive: true }))).toBe('EACCES');
      expect(await fs.readdir('/t')).toEqual(['a', 'l', 'sub']);
    }
    const { fs } = await made();
    await fs.rm('/t', { recursive: true });
    expect(fs.takeChanges()).toEqual(['/t/a', '/t/l', '/t/sub/b', '/t/sub', '/t']);
  });

  test('is of nothing where the mount cannot remove all of it, and says so', async () => {
    const { fs } = await made({ rmdir: undefined });
    await fs.mkdir('/far/d');
    await fs.writeFile('/far/d/f', 'f');
    expect(await failureOf(fs.rm('/far/d', { recursive: true }))).toMatchObject({
      code: 'EPERM',
      rule: 'memory mounts have no rmdir',
    });
    expect(await fs.readdir('/far/d')).toEqual(['f']);
    expect(await failureOf(fs.checkRemoval('/far/d'))).toMatchObject({
      code: 'EPERM',
      path: '/far/d',
      reason:
        'this directory of /far (memory) cannot be removed, so nothing below /far/d was; name the single files to remove',
    });
  });

  test('is one change where the mount makes it one, unless another mount is in it', async () => {
    const removed: string[] = [];
    const { fs } = await made({
      rmdir: undefined,
      removesTree: (path: string) => path !== '/d',
      removeTree: async (path: string) => void removed.push(path),
    });
    for (const path of ['/far/d', '/far/e', '/far/in']) await fs.mkdir(path, { recursive: true });
    expect(await fs.checkRemoval('/far/e')).toBe(true);
    await fs.rm('/far/e', { recursive: true });
    expect(removed).toEqual(['/e']);
    expect(await codeOf(fs.checkRemoval('/far/d'))).toBe('EPERM');
    expect(await codeOf(fs.checkRemoval('/far/in'))).toBe('EPERM');
  });

  test('is asked about at once where a person would be asked about any of it, and none of it is denied', async () => {
    const { kept, keeper, fs } = await made();
    expect([await fs.checkRemoval('/t'), await kept.checkRemoval('/t')]).toEqual([false, false]);
    for (const wish of ['rmdir /t', 'unlink /t/sub/b', 'rmdir /t/sub']) {
      keeper.decisions[wish] = 'ask';
      expect(await kept.checkRemoval('/t'), wish).toBe(true);
      keeper.decisions[wish] = 'deny';
      expect(await kept.checkRemoval('/t'), wish).toBe(false);
      delete keeper.decisions[wish];
    }
  });
});
