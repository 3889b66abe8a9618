/** The composed file system: what it answers, and which failures it may keep to itself. */
import { describe, expect, test } from 'vitest';
import { FsError } from '../errors.ts';
import { MemoryMount } from '../memory-tree/mount.ts';
import type { Mount } from '../mount/contract/contract.ts';
import { DocumentFault } from '../texts/fault.ts';
import type { DocumentTexts } from '../texts/texts.ts';
import { failureOf, namespaceOf, ToldKeeper } from './testing.ts';

/** A mount whose named method fails with an errno. */
function failing(method: string, code: 'EIO' | 'ENOENT' | 'ENOTDIR', reason?: string) {
  return Object.assign(new MemoryMount(), {
    lacks: undefined,
    [method]: async (path: string) => {
      throw new FsError(code, { path, op: method, ...(reason && { reason }) });
    },
  });
}

const open = (mount: Mount = new MemoryMount()) =>
  namespaceOf([
    ['/', new MemoryMount()],
    ['/m', mount],
  ]);

describe('whether something is there', () => {
  test('is answered, and never by a failure to find out', async () => {
    const fs = open();
    await fs.mkdir('/d');
    await fs.writeFile('/d/f', 'x');
    await fs.symlink('/none', '/dangling');
    await fs.symlink('/loop', '/loop');
    const there = (paths: string[]) => Promise.all(paths.map((path) => fs.exists(path)));
    expect(await there(['/', '/m', '/d', '/d/f'])).toEqual([true, true, true, true]);
    expect(await there(['/n', '/d/f/x', '/dangling', '/loop'])).toEqual(Array(4).fill(false));
    expect((await failureOf(open(failing('lstat', 'EIO')).exists('/m/f'))).code).toBe('EIO');
    expect(await open(failing('lstat', 'ENOENT')).exists('/m/f')).toBe(false);
  });

  test('does not matter to rm -f, unless a mount has something to say about it', async () => {
    const forced = { force: true };
    for (const code of ['ENOENT', 'ENOTDIR'] as const) {
      await open(failing('lstat', code)).rm('/m/f', forced);
      expect((await failureOf(open(failing('lstat', code)).rm('/m/f'))).code).toBe(code);
      const said = open(failing('lstat', code, 'it was archived')).rm('/m/f', forced);
      expect((await failureOf(said)).reason).toBe('it was archived');
    }
    expect((await failureOf(open(failing('lstat', 'EIO')).rm('/m/f', forced))).code).toBe('EIO');
  });
});

test('a directory is removed with what is in it only if that is said', async () => {
  const fs = open();
  await fs.mkdir('/d/e', { recursive: true });
  expect((await failureOf(fs.rm('/d'))).code).toBe('ENOTEMPTY');
  expect((await failureOf(fs.rm('/d', { force: true }))).code).toBe('ENOTEMPTY');
  await fs.rm('/d/e');
  await fs.mkdir('/d/e');
  await fs.rm('/d', { recursive: true });
  expect(await fs.exists('/d')).toBe(false);
  // A link to a directory is a link.
  await fs.mkdir('/d');
  await fs.symlink('d', '/l');
  await fs.rm('/l', { recursive: true });
  expect(await fs.exists('/d')).toBe(true);
});

test('stat follows a link, lstat does not, and two names of a file are one', async () => {
  const fs = open();
  await fs.writeFile('/f', 'abc');
  await fs.symlink('f', '/l');
  await fs.link('/f', '/h');
  const kinds = async (path: string) => {
    const [followed, itself] = [await fs.stat(path), await fs.lstat(path)];
    return [followed, itself].map(({ isFile, isDirectory, isSymbolicLink, size }) => [
      isFile,
      isDirectory,
      isSymbolicLink,
      size,
    ]);
  };
  expect(await kinds('/f')).toEqual([
    [true, false, false, 3],
    [true, false, false, 3],
  ]);
  expect((await kinds('/l')).map((row) => row.slice(0, 3))).toEqual([
    [true, false, false],
    [false, false, true],
  ]);
  expect((await kinds('/m'))[0]?.slice(0, 3)).toEqual([false, true, false]);
  const identity = async (path: string) => (await fs.lstat(path)).identity;
  expect(await identity('/h')).toBe(await identity('/f'));
  expect(await identity('/l')).not.toBe(await identity('/f'));
  expect(await fs.readdirWithFileTypes('/')).toEqual(
    [
      ['f', true, false, false],
      ['h', true, false, false],
      ['l', false, false, true],
      ['m', false, true, false],
    ].map(([name, isFile, isDirectory, isSymbolicLink]) => ({
      name,
      isFile,
      isDirectory,
      isSymbolicLink,
    })),
  );
});

test('only a link has a target, and only what is there has a real path', async () => {
  const fs = open();
  await fs.mkdir('/d');
  await fs.writeFile('/d/f', '');
  await fs.symlink('d', '/l');
  expect([await fs.readlink('/l'), await fs.realpath('/l/f')]).toEqual(['d', '/d/f']);
  for (const path of ['/d', '/d/f', '/m'])
    expect(await failureOf(fs.readlink(path))).toMatchObject({ code: 'EINVAL', path });
  expect((await failureOf(fs.realpath('/l/none'))).code).toBe('ENOENT');
  // A mount of links that cannot be read.
  const links = new MemoryMount();
  await links.symlink('x', '/l');
  const odd = Object.assign<Mount, object>(links, { readlink: undefined });
  expect(await failureOf(open(odd).readlink('/m/l'))).toMatchObject({
    code: 'EINVAL',
    path: '/m/l',
  });
});

test('text is read as it is asked for', async () => {
  const fs = open();
  await fs.writeFile('/f', Uint8Array.of(0xc3, 0xa9));
  expect([await fs.readFile('/f'), await fs.readFile('/f', 'latin1')]).toEqual(['é', 'Ã©']);
  expect(String(await fs.readFileBytes('/f'))).toBe('Ã©');
  await fs.writeFile('/g', 'é', 'latin1');
  await fs.appendFile('/g', 'é');
  expect([...(await fs.readFileBuffer('/g'))]).toEqual([0xe9, 0xc3, 0xa9]);
});

test('a file that is being written is as empty as it will be, with what else is known of it', async () => {
  const mount = Object.assign(new MemoryMount(), { transactional: true });
  await mount.write('/f', Buffer.from('old'));
  await mount.chmod('/f', 0o600);
  const fs = open(mount);
  await fs.writeFile('/m/f', '');
  await fs.writeFile('/m/n', '');
  expect(await fs.stat('/m/f')).toMatchObject({ isFile: true, size: 0, mode: 0o600 });
  expect(await fs.stat('/m/n')).toMatchObject({ isFile: true, size: 0, mode: 0o644 });
  expect([await fs.exists('/m/n'), (await mount.readdir('/')).length]).toEqual([true, 1]);
  expect([fs.walk('/m'), fs.walk('/') === null]).toEqual([null, true]);
});

test('what could not be fetched beforehand is told, mount by mount, and the others are fetched', async () => {
  const fetched: string[] = [];
  const fetching = (point: string, error?: Error) =>
    Object.assign(new MemoryMount(), {
      prefetch: async (path: string) => {
        fetched.push(`${point} ${path}`);
        if (error !== undefined) throw error;
      },
    });
  const down = (path: string) => new FsError('EIO', { path, op: 'prefetch', reason: 'it is down' });
  const fs = namespaceOf([
    ['/', new MemoryMount()],
    ['/a', fetching('/a', down('/'))],
    ['/a/b', fetching('/a/b')],
    ['/c', fetching('/c')],
  ]);
  const failures = await fs.prefetch('/a');
  expect(failures.map(({ path, reason }) => [path, reason])).toEqual([['/a', 'it is down']]);
  expect(fetched).toEqual(['/a /', '/a/b /']);
  expect(await fs.prefetch('/c')).toEqual([]);
});

test('what a mount knows of a path is told of the path as it stands', async () => {
  const keeper = new ToldKeeper();
  const mount = Object.assign(new MemoryMount({ searchable: true }), {
    costly: (path: string) => path === '/far',
    canHave: (path: string) => path !== '/never',
    coverage: (path: string) => (path === '/d' ? 'complete' : null),
    transactional: true,
  });
  const rows = [
    ['/', new MemoryMount()],
    ['/m', mount],
    ['/ro', new MemoryMount(), { mode: 'ro' }],
    ['/ruled', new MemoryMount(), { mode: 'rw', rules: [{ pattern: 'x', mode: 'ro' }] }],
  ] as const;
  const fs = namespaceOf(rows);
  expect([fs.costly('/m/far'), fs.costly('/m/near'), fs.costly('/x')]).toEqual([
    true,
    false,
    false,
  ]);
  expect(await fs.locate('/m/d')).toMatchObject({
    point: '/m',
    kind: 'memory',
    mode: 'rw',
    transactional: true,
    possible: true,
    allAllowed: true,
    coverage: 'complete',
  });
  expect(await fs.locate('/m/never')).toMatchObject({ possible: false, coverage: null });
  expect(await fs.locate('/x')).toMatchObject({ point: '/', transactional: false, possible: true });
  const free = async (path: string) => (await fs.locate(path)).allAllowed;
  expect([await free('/'), await free('/ro'), await free('/ruled')]).toEqual([true, false, false]);
  expect((await namespaceOf(rows, keeper).locate('/m/d')).allAllowed).toBe(false);
  const { capacity } = await fs.locate('/m');
  expect(capacity?.free).toBe(capacity && capacity.total - capacity.used);
});

describe('an entry as the kernel asks for it', () => {
  const look = async (given: object, keeper: ToldKeeper | null = null) => {
    const mount = Object.assign(new MemoryMount(), given);
    await mount.write('/f', Buffer.from('four'));
    await mount.mkdir('/d');
    const fs = namespaceOf([['/', mount]], keeper);
    return { fs, file: await fs.inspect('/f') };
  };

  test('has its size at once, or by being read where its size may be another', async () => {
    const { fs, file } = await look({});
    expect(file).toMatchObject({ type: 'file', size: 4, estimated: false, links: 1, mode: 0o644 });
    await fs.link('/f', '/g');
    expect((await fs.inspect('/g')).links).toBe(2);
    expect(await fs.inspect('/d')).toMatchObject({ type: 'directory', estimated: false });
    for (const given of [{ transactional: true }, { sizedByRead: true }]) {
      const longer = { ...given, read: async () => Buffer.from('longer') };
      const { file: read } = await look(longer);
      expect(read).toMatchObject({ size: 6, estimated: false });
      expect(read.version).not.toBe(file.version);
      const costly = await look({ ...longer, costly: () => true });
      expect(costly.file).toMatchObject({ size: 4, estimated: true });
      const broken = await look({ ...given, read: () => Promise.reject(new Error('down')) });
      expect(broken.file).toMatchObject({ size: 4, estimated: true });
    }
  });

  test('has the size of what hooks show of it', async () => {
    const keeper = Object.assign(new ToldKeeper(), { hooked: true });
    keeper.outcomes['after read /f'] = { pass: true, data: Buffer.from('shown') };
    expect((await look({}, keeper)).file).toMatchObject({ size: 5, estimated: false });
    keeper.outcomes['after read /f'] = { pass: false, reason: 'no' };
    expect((await look({}, keeper)).file).toMatchObject({ size: 4, estimated: true });
  });
});

describe('the text of a document', () => {
  const texts: DocumentTexts = {
    text: async (bytes, path) => {
      if (path.endsWith('bad.pdf')) throw new DocumentFault('EINVAL', 'is broken');
      return Buffer.from(bytes).toString().toUpperCase();
    },
    lengths: new Map<string, number>(),
    close: async () => undefined,
  };

  async function documents(keeper: ToldKeeper | null = null) {
    const mount = new MemoryMount();
    await mount.write('/a.pdf', Buffer.from('words'));
    await mount.write('/bad.pdf', Buffer.from('x'));
    await mount.mkdir('/dir.pdf');
    return namespaceOf([['/', mount]], keeper, { texts });
  }

  test('is a file beside it, which no listing has, and nothing can be changed in', async () => {
    const fs = await documents();
    expect(await fs.stat('/a.pdf.md')).toMatchObject({ isFile: true, mode: 0o444, size: 5 });
    expect(await fs.readFile('/a.pdf.md')).toBe('WORDS');
    expect(await fs.documentText('/a.pdf')).toBe('WORDS');
    expect(await fs.readdir('/')).toEqual(['a.pdf', 'bad.pdf', 'dir.pdf']);
    expect(await failureOf(fs.writeFile('/a.pdf.md', 'x'))).toMatchObject({
      code: 'EROFS',
      path: '/a.pdf.md',
      rule: 'the text of a document is read-only',
    });
    for (const path of ['/dir.pdf.md', '/none.pdf.md'])
      expect((await failureOf(fs.readFile(path))).code).toBe('ENOENT');
    expect((await failureOf(fs.documentText('/dir.pdf'))).code).toBe('ENOENT');
    expect(await failureOf(fs.readFile('/bad.pdf.md'))).toMatchObject({
      code: 'EINVAL',
      path: '/bad.pdf.md',
      reason: '/bad.pdf is broken',
    });
  });

  test('gives way to a file of its name, and is still to be had', async () => {
    const mount = new MemoryMount();
    await mount.write('/a.pdf', Buffer.from('words'));
    await mount.write('/a.pdf.md', Buffer.from('mine'));
    const own = namespaceOf([['/', mount]], null, { texts });
    expect([await own.readFile('/a.pdf.md'), await own.documentText('/a.pdf')]).toEqual([
      'mine',
      'WORDS',
    ]);
  });

  test('may be read by whoever may read it and the document', async () => {
    const keeper = Object.assign(new ToldKeeper(), { watchesReads: true });
    const fs = await documents(keeper);
    for (const path of ['/a.pdf', '/a.pdf.md']) {
      keeper.decisions[`read ${path}`] = 'deny';
      expect((await failureOf(fs.readFile('/a.pdf.md'))).code).toBe('EACCES');
      expect((await failureOf(fs.screen('/a.pdf.md', 'a line'))).code).toBe('EACCES');
      delete keeper.decisions[`read ${path}`];
    }
    expect(await fs.screen('/a.pdf.md', 'a line')).toBe('a line');
    keeper.take();
    expect(await fs.readFile('/a.pdf.md')).toBe('WORDS');
    expect(keeper.take()).toEqual([
      'read text of /a.pdf in /',
      'read text of /a.pdf.md in /',
      'settled',
    ]);
  });
});

test('a line of an index is shown to whoever may read its file', async () => {
  const keeper = Object.assign(new ToldKeeper(), { watchesReads: true });
  const mount = new MemoryMount();
  await mount.write('/f', Buffer.from('all of it'));
  const fs = namespaceOf([['/', mount]], keeper);
  expect(await fs.screen('/f', 'a line')).toBe('a line');
  expect(keeper.take()).toEqual(['read text of /f in /', 'settled']);
  keeper.decisions['read /f'] = 'deny';
  expect((await failureOf(fs.screen('/f', 'a line'))).code).toBe('EACCES');
  expect(await namespaceOf([['/', mount]]).screen('/f', 'a line')).toBe('a line');
});

test('the end of a command tries each file that got no data, and fails with the first', async () => {
  const tried: string[] = [];
  const write = async (path: string) => {
    tried.push(path);
    if (path !== '/c') throw new FsError('EIO', { path, op: 'open', reason: `no ${path}` });
  };
  const fs = open(Object.assign(new MemoryMount(), { transactional: true, write }));
  for (const name of ['a', 'b', 'c']) await fs.writeFile(`/m/${name}`, '');
  expect((await failureOf(fs.flush())).reason).toBe('no /a');
  expect(tried).toEqual(['/a', '/b', '/c']);
  expect(fs.errorsSince(0).map(({ path }) => path)).toEqual(['/m/a', '/m/b']);
  await fs.flush();
  fs.clearErrors();
  expect([tried.length, fs.errorsSince(0)]).toEqual([3, []]);
});
