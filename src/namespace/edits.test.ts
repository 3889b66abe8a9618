/** Changes of single entries: what an open finds, what is refused, and what is asked before. */
import { describe, expect, test } from 'vitest';
import { MemoryMount } from '../memory-tree/mount.ts';
import type { Access } from '../policy/gate.ts';
import { failureOf, namespaceOf, ToldKeeper } from './testing.ts';

/** A root, and at /m a mount with a file in a directory. */
async function made(given: object = {}, access: Access = { mode: 'rw' }) {
  const mount = new MemoryMount();
  await mount.mkdir('/d');
  await mount.write('/d/f', Buffer.from('old'));
  Object.assign(mount, given);
  const keeper = new ToldKeeper();
  const rows = [
    ['/', new MemoryMount()],
    ['/m', mount, access],
    ['/above/in', new MemoryMount()],
  ] as const;
  return { fs: namespaceOf(rows), kept: namespaceOf(rows, keeper), keeper, mount };
}

const codeOf = async (operation: Promise<unknown>): Promise<string> =>
  (await failureOf(operation)).code;

describe('an open for writing', () => {
  test('finds a file or none, which may be written piece by piece', async () => {
    const { fs } = await made();
    for (const op of ['write', 'append'] as const) {
      expect(await fs.checkWrite('/m/d/f', op)).toEqual({ there: true, whole: false });
      expect(await fs.checkWrite('/m/d/n', op)).toEqual({ there: false, whole: false });
    }
    expect(await fs.exists('/m/d/n')).toBe(false);
  });

  test('wants all of it at once where that is a transaction, a person is asked, or nothing is changed later', async () => {
    const transaction = await made({ transactional: true });
    for (const path of ['/m/d/f', '/m/d/n'])
      expect((await transaction.fs.checkWrite(path, 'write')).whole).toBe(true);
    const growing = await made({}, { mode: 'append' });
    expect(await growing.fs.checkWrite('/m/d/n', 'write')).toEqual({ there: false, whole: true });
    expect(await growing.fs.checkWrite('/m/d/f', 'append')).toEqual({ there: true, whole: false });
    expect(await codeOf(growing.fs.checkWrite('/m/d/f', 'write'))).toBe('EACCES');
    const { kept, keeper } = await made();
    keeper.decisions['write /m/d/f'] = 'ask';
    expect(await kept.checkWrite('/m/d/f', 'write')).toEqual({ there: true, whole: true });
    expect(await kept.checkWrite('/m/d/f', 'append')).toEqual({ there: true, whole: false });
    expect(keeper.take().join()).not.toContain('asked');
  });

  test.each([
    ['/m', 'EISDIR'],
    ['/above', 'EISDIR'],
    ['/m/d', 'EISDIR'],
    ['/m/none/f', 'ENOENT'],
    ['/m/d/f/x', 'ENOTDIR'],
  ])('%s is %s, however it is written', async (path, errno) => {
    const { fs } = await made();
    for (const given of [{ transactional: false }, { transactional: true }]) {
      const held = (await made(given)).fs;
      expect(await codeOf(held.writeFile(path, ''))).toBe(errno);
    }
    expect(await codeOf(fs.checkWrite(path, 'write'))).toBe(errno);
    expect(await codeOf(fs.checkWrite(path, 'append'))).toBe(errno);
    expect(await codeOf(fs.writeFile(path, 'x'))).toBe(errno);
    expect(await codeOf(fs.appendFile(path, 'x'))).toBe(errno);
    expect(await codeOf(fs.make(path, 0o644))).toBe(errno);
  });

  test('where a mount has no such method is EPERM before anything is written', async () => {
    const { fs } = await made({ append: undefined });
    expect(await codeOf(fs.checkWrite('/m/d/f', 'append'))).toBe('EPERM');
    expect((await fs.checkWrite('/m/d/f', 'write')).there).toBe(true);
    const still = await made({ write: undefined, transactional: true });
    expect(await codeOf(still.fs.writeFile('/m/d/f', ''))).toBe('EPERM');
  });

  test('with O_CREAT makes an empty file of its mode, unless one is there or nothing can be made yet', async () => {
    const { fs } = await made();
    for (const mode of [0o644, 0o600]) {
      const path = `/m/d/${mode}`;
      const terms = await fs.make(path, mode, true);
      expect(terms).toMatchObject({ there: false, whole: false, made: { type: 'file', mode } });
      expect((await fs.stat(path)).size).toBe(0);
      expect(await codeOf(fs.make(path, mode, true))).toBe('EEXIST');
      expect(await fs.make(path, 0o777)).toEqual({ there: true, whole: false, made: null });
      expect((await fs.stat(path)).mode).toBe(mode);
    }
    const transaction = await made({ transactional: true });
    expect(await transaction.fs.make('/m/d/n', 0o600)).toEqual({
      there: false,
      whole: true,
      made: null,
    });
    expect(await transaction.fs.exists('/m/d/n')).toBe(false);
  });
});

describe('who is asked', () => {
  test('is told of the mode that a new file gets, and of none where one is written', async () => {
    const { kept, keeper } = await made();
    for (const path of ['/m/d/n', '/m/d/f'])
      for (const op of ['create', 'write']) keeper.decisions[`${op} ${path}`] = 'ask';
    await kept.writeFile('/x', 'new\n');
    await kept.chmod('/x', 0o755);
    await kept.cp('/x', '/m/d/n');
    expect(keeper.preview).toContain('mode of /m/d/n: 0755\n');
    await kept.cp('/x', '/m/d/f');
    expect(keeper.preview).not.toContain('mode of');
    expect([(await kept.stat('/m/d/n')).mode, (await kept.stat('/m/d/f')).mode]).toEqual([
      0o755, 0o644,
    ]);
  });

  test('is told where a link leads, and of a mode and a time', async () => {
    const { kept, keeper } = await made();
    const asked = async (op: string, path: string, work: () => Promise<unknown>) => {
      keeper.decisions[`${op} ${path}`] = 'ask';
      await work();
      expect(keeper.take()).toContain(`asked about ${op} ${path}`);
      return keeper.preview;
    };
    const symlink = () => kept.symlink('f', '/m/d/l');
    expect(await asked('symlink', '/m/d/l', symlink)).toBe('link /m/d/l -> f\n');
    const chmod = () => kept.chmod('/m/d/f', 0o600);
    expect(await asked('chmod', '/m/d/f', chmod)).toBe('mode of /m/d/f: 0644 -> 0600\n');
    const utimes = () => kept.utimes('/m/d/f', new Date(0), new Date(0));
    expect(await asked('utimes', '/m/d/f', utimes)).toBe(
      'time of /m/d/f: 1970-01-01T00:00:00.000Z\n',
    );
    const unlink = () => kept.rm('/m/d/f');
    expect(await asked('unlink', '/m/d/f', unlink)).toContain('remove file /m/d/f (3 bytes)\n');
  });

  test('decides: what is refused is not done, and says by whom', async () => {
    const { kept, keeper } = await made();
    keeper.answer = 'deny';
    const works: Record<string, () => Promise<unknown>> = {
      'write /m/d/f': () => kept.writeFile('/m/d/f', 'x'),
      'append /m/d/f': () => kept.appendFile('/m/d/f', 'x'),
      'create /m/d/n': () => kept.writeFile('/m/d/n', 'x'),
      'mkdir /m/d/n': () => kept.mkdir('/m/d/n'),
      'symlink /m/d/n': () => kept.symlink('f', '/m/d/n'),
      'chmod /m/d/f': () => kept.chmod('/m/d/f', 0o600),
      'utimes /m/d/f': () => kept.utimes('/m/d/f', new Date(0), new Date(0)),
      'unlink /m/d/f': () => kept.rm('/m/d/f'),
      'rmdir /m/d': () => kept.rm('/m/d'),
      'link /m/d/f': () => kept.link('/m/d/f', '/m/d/n'),
    };
    for (const [wish, work] of Object.entries(works)) {
      keeper.decisions[wish] = 'ask';
      expect(await failureOf(work()), wish).toMatchObject({ code: 'EACCES', rule: 'person' });
      keeper.decisions[wish] = 'deny';
      expect(await failureOf(work()), wish).toMatchObject({ code: 'EACCES', rule: 'policy' });
      delete keeper.decisions[wish];
    }
    expect(await kept.readdir('/m/d')).toEqual(['f']);
    expect(await kept.readFile('/m/d/f')).toBe('old');
    expect((await kept.stat('/m/d/f')).mode).toBe(0o644);
  });

  test('by an engine is asked of each, and can only be stricter', async () => {
    const { kept, keeper } = await made();
    keeper.judged = true;
    keeper.verdicts['write /m/d/f'] = 'deny';
    expect(await failureOf(kept.writeFile('/m/d/f', 'x'))).toMatchObject({ rule: 'engine' });
    keeper.verdicts['write /m/d/f'] = 'ask';
    await kept.writeFile('/m/d/f', 'x');
    expect(keeper.take()).toContain('asked about write /m/d/f');
    keeper.decisions['unlink /m/d/f'] = 'ask';
    await kept.rm('/m/d/f');
    expect(keeper.take()).toContain('asked about unlink /m/d/f');
  });
});

describe('a second name', () => {
  test('is a way to write a file, and to read it', async () => {
    const { kept, keeper } = await made();
    keeper.decisions['read /m/d/f'] = 'deny';
    await kept.link('/m/d/f', '/m/d/one');
    keeper.watchesReads = true;
    expect(await codeOf(kept.link('/m/d/f', '/m/d/two'))).toBe('EACCES');
    delete keeper.decisions['read /m/d/f'];
    keeper.decisions['create /m/d/two'] = 'deny';
    expect(await codeOf(kept.link('/m/d/f', '/m/d/two'))).toBe('EACCES');
    await kept.symlink('f', '/m/d/l');
    keeper.decisions['symlink /m/d/three'] = 'deny';
    expect(await codeOf(kept.link('/m/d/l', '/m/d/three'))).toBe('EACCES');
    expect(await kept.readdir('/m/d')).toEqual(['f', 'l', 'one']);
  });

  test('is in the same mount, of something that is there, where nothing is', async () => {
    const { fs } = await made();
    expect(await failureOf(fs.link('/m/d/f', '/f'))).toMatchObject({ code: 'EXDEV', path: '/f' });
    expect(await codeOf(fs.link('/m/d/none', '/m/d/x'))).toBe('ENOENT');
    expect(await codeOf(fs.link('/m/d/f', '/m/d'))).toBe('EEXIST');
    await fs.link('/m/d/f', '/m/d/h');
    await fs.writeFile('/m/d/h', 'new');
    expect(await fs.readFile('/m/d/f')).toBe('new');
  });
});

describe('what is refused whatever the mount says', () => {
  test('a link to nothing, to a NUL, or to more than PATH_MAX has room for', async () => {
    const { fs } = await made();
    expect(await codeOf(fs.symlink('', '/l'))).toBe('ENOENT');
    expect(await codeOf(fs.symlink('a\0b', '/l'))).toBe('EINVAL');
    expect(await codeOf(fs.symlink('x'.repeat(4_096), '/l'))).toBe('ENAMETOOLONG');
    expect(await codeOf(fs.symlink('é'.repeat(2_048), '/l'))).toBe('ENAMETOOLONG');
    await fs.symlink('x'.repeat(4_095), '/l');
    expect(await fs.readlink('/l')).toHaveLength(4_095);
    expect(await codeOf(fs.symlink('x', '/l'))).toBe('EEXIST');
  });

  test('a time that is none', async () => {
    const { fs } = await made();
    const never = new Date(Number.NaN);
    expect(await failureOf(fs.utimes('/m/d/f', never, never))).toMatchObject({
      code: 'EINVAL',
      path: '/m/d/f',
    });
  });

  test('a mode or a time of what is not there', async () => {
    const { fs } = await made();
    expect(await codeOf(fs.chmod('/m/d/none', 0o600))).toBe('ENOENT');
    expect(await codeOf(fs.utimes('/m/d/none', new Date(0), new Date(0)))).toBe('ENOENT');
  });

  test('directories above what is a file; those that are there are no fault', async () => {
    const { fs } = await made();
    await fs.mkdir('/m/d/a/b', { recursive: true });
    await fs.mkdir('/m/d/a/b', { recursive: true });
    await fs.mkdir('/above/in', { recursive: true });
    expect(await failureOf(fs.mkdir('/m/d/f', { recursive: true }))).toMatchObject({
      code: 'EEXIST',
      path: '/m/d/f',
    });
    expect(await codeOf(fs.mkdir('/m/d/f/x', { recursive: true }))).toMatch(/^(EEXIST|ENOTDIR)$/);
    const transaction = await made({ transactional: true });
    await transaction.fs.writeFile('/m/d/open', '');
    const below = transaction.fs.mkdir('/m/d/open', { recursive: true });
    expect(await codeOf(below)).toBe('EEXIST');
  });

  test('a mount point, and what holds one', async () => {
    const { fs } = await made();
    for (const path of ['/m', '/above', '/above/in']) {
      for (const recursive of [false, true]) {
        const { code, rule, reason } = await failureOf(fs.rm(path, { recursive }));
        expect([code, rule, reason]).toEqual([
          'EBUSY',
          'mount points stay',
          `${path} is a mount point, or holds one; only the deployment can remove it`,
        ]);
      }
      expect(await codeOf(fs.mv(path, '/x'))).toBe('EBUSY');
      expect(await codeOf(fs.mkdir(path))).toBe('EEXIST');
    }
  });
});

describe('a file that is open, and has no data yet', () => {
  test('is moved within its mount once it is sent, and not over mounts', async () => {
    const { fs, mount } = await made({ transactional: true });
    await fs.writeFile('/m/d/f', '');
    expect(await failureOf(fs.mv('/m/d', '/d'))).toMatchObject({
      code: 'EBUSY',
      path: '/m/d/f',
      rule: 'what is moved is known',
    });
    expect(Buffer.from(await mount.read('/d/f')).toString()).toBe('old');
    await fs.mv('/m/d/f', '/m/d/g');
    expect((await mount.read('/d/g')).length).toBe(0);
    // Nothing is open any more.
    await fs.mv('/m/d', '/d');
    expect(await fs.readdir('/d')).toEqual(['g']);
  });

  test('has a mode and a time once it is sent', async () => {
    const { fs, mount } = await made({ transactional: true });
    await fs.writeFile('/m/d/n', '');
    await fs.chmod('/m/d/n', 0o600);
    await fs.writeFile('/m/d/f', '');
    await fs.utimes('/m/d/f', new Date(0), new Date(5_000));
    expect((await mount.lstat('/d/n')).mode).toBe(0o600);
    expect(await mount.lstat('/d/f')).toMatchObject({ size: 0, mtime: new Date(5_000) });
  });

  test('goes with its directory as one change, and is sent to nobody', async () => {
    const removed: string[] = [];
    const written: string[] = [];
    const { fs } = await made({
      transactional: true,
      removesTree: (path: string) => path === '/d',
      removeTree: async (path: string) => void removed.push(path),
      write: async (path: string) => void written.push(path),
    });
    await fs.writeFile('/m/d/f', '');
    expect(await fs.checkRemoval('/m/d')).toBe(true);
    await fs.rm('/m/d', { recursive: true });
    await fs.flush();
    expect([removed, written]).toEqual([['/d'], []]);
    expect(fs.takeChanges()).toEqual(['/m/d']);
  });

  test('that is removed is removed, and one that was not there is forgotten', async () => {
    const { fs, mount } = await made({ transactional: true });
    for (const name of ['f', 'n']) {
      await fs.writeFile(`/m/d/${name}`, '');
      await fs.rm(`/m/d/${name}`);
    }
    await fs.flush();
    expect(await mount.readdir('/d')).toEqual([]);
  });
});
