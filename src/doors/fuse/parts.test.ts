/** What a mounted world is made of, each part by itself: attributes, hidden names, where it may be mounted, its grep. */
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { temporaryDirectory } from '../../../test/temporary-directory.ts';
import { FsError } from '../../errors.ts';
import type { Visit } from '../door.ts';
import type { FileSystem } from '../files/file-system.ts';
import { ran } from '../testing.ts';
import { checkDirectory, unmountLeft } from './directory.ts';
import { attributeOperations } from './extended-attributes.ts';
import { GrepServer } from './grep-server.ts';
import { Hidden, isHiddenName } from './hidden.ts';
import { RemoteFiles } from './remote-files.ts';
import { installShims, removeShims } from './shims.ts';
import { BELIEVED_MS, ToldSizes } from './told-sizes.ts';

describe('extended attributes', () => {
  const files = {
    locate: async (path: string) => ({
      kind: 'tracker',
      point: '/mnt/t',
      coverage: path === '/fresh' ? 'complete' : null,
    }),
    sentence: (path: string) => (path === '/refused' ? 'it has no title' : undefined),
    content: async (path: string) => (path === '/directory' ? null : Buffer.from('text')),
  } as unknown as FileSystem;
  const put = (
    _: string,
    answer: (code: number, value: unknown) => void,
    work: () => Promise<unknown>,
  ) =>
    void work().then(
      (value) => answer(0, value),
      (error: FsError) => answer(1, error.code),
    );
  const of = attributeOperations(files, put as never);
  const get = (path: string, name: string) =>
    new Promise((resolve) =>
      of.getxattr(path, name, 0, ((_: number, value: Buffer | null) =>
        resolve(value === null ? null : String(value))) as never),
    );

  test.each<[string, string, string | null]>([
    ['/a', 'user.dirigent.origin', 'tracker /mnt/t'],
    ['/a', 'user.dirigent.fresh', null],
    ['/fresh', 'user.dirigent.fresh', 'complete'],
    ['/a', 'user.dirigent.error', null],
    ['/refused', 'user.dirigent.error', 'it has no title'],
    ['/a', 'user.dirigent.version', `sha256:${createHash('sha256').update('text').digest('hex')}`],
    ['/directory', 'user.dirigent.version', null],
    ['/a', 'user.dirigent.other', null],
    ['/a', 'security.selinux', null],
    ['/a', 'origin', null],
  ])('of %s: %s is %j', async (path, name, value) => expect(await get(path, name)).toBe(value));

  test('are listed without reading the file, and none is set or removed', async () => {
    const list = (path: string) =>
      new Promise((resolve) =>
        of.listxattr(path, ((_: number, names: unknown) => resolve(names)) as never),
      );
    expect(await list('/a')).toEqual(['user.dirigent.origin', 'user.dirigent.version']);
    expect(await list('/fresh')).toEqual(
      ['origin', 'fresh', 'version'].map((name) => `user.dirigent.${name}`),
    );
    const refused = [
      new Promise((resolve) =>
        of.setxattr('/a', 'x', Buffer.of(), 0, 0, ((_: number, code: unknown) =>
          resolve(code)) as never),
      ),
      new Promise((resolve) =>
        of.removexattr('/a', 'x', ((_: number, code: unknown) => resolve(code)) as never),
      ),
    ];
    expect(await Promise.all(refused)).toEqual(['ENOTSUP', 'ENOTSUP']);
  });
});

describe('sizes that the kernel was told of', () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ['performance'] }));
  afterEach(() => void vi.useRealTimers());
  test('are believed for a moment, until another one is told or the kernel knows better', () => {
    const sizes = new ToldSizes();
    expect(sizes.differs('/a', 1)).toBe(false);
    sizes.tell('/a', 1);
    expect([sizes.differs('/a', 1), sizes.differs('/a', 2)]).toEqual([false, true]);
    sizes.tell('/a', 2);
    expect(sizes.differs('/a', 2)).toBe(false);
    vi.advanceTimersByTime(BELIEVED_MS - 1);
    expect(sizes.differs('/a', 1)).toBe(true);
    vi.advanceTimersByTime(1);
    expect(sizes.differs('/a', 1)).toBe(false);
    sizes.tell('/a', 1);
    sizes.forget('/a');
    expect(sizes.differs('/a', 2)).toBe(false);
  });

  test('are kept of so many files, those that were told last', () => {
    const sizes = new ToldSizes();
    sizes.tell('/first', 1);
    for (let each = 0; each < 9_999; each++) sizes.tell(`/${each}`, 1);
    expect(sizes.differs('/first', 2)).toBe(true);
    sizes.tell('/last', 1);
    expect([sizes.differs('/first', 2), sizes.differs('/0', 2)]).toEqual([false, true]);
  });
});

test('a world that has not answered for a while is busy', async () => {
  const line = { waited: 60, ask: async (calls: readonly unknown[]) => [calls.length] };
  const files = new RemoteFiles(line);
  expect([files.isBusy, files.lease]).toEqual([false, 0]);
  line.waited = 61;
  files.haveLease(3);
  expect([files.isBusy, files.lease]).toEqual([true, 3]);
  expect(await files.ask([['lstat', '/a']] as never)).toEqual([1]);
});

describe('a file that is open and gets a hidden name', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  /** Files of which /open is open. What waits in no system call that can be told. */
  function hidden(unlink: (path: string) => Promise<void> = async () => undefined) {
    const removed: string[] = [];
    const trouble: string[] = [];
    const sizes: number[] = [];
    const files = {
      opened: (path: string) =>
        path === '/open' ? { resize: (size: number) => sizes.push(size) } : undefined,
      statOf: () => ({ nlink: 0, size: 5 }),
      names: {
        unlink: (path: string) => {
          removed.push(path);
          return unlink(path);
        },
      },
    } as unknown as FileSystem;
    const of = new Hidden({ files, onTrouble: (message) => trouble.push(message) });
    return { of, removed, trouble, sizes };
  }
  const NAME = '/d/.fuse_hidden0001a2';

  test.each([
    [NAME, true],
    ['.fuse_hidden9', true],
    ['/.fuse_hidden', false],
    ['/.fuse_hiddenx', false],
    ['/a.fuse_hidden1', false],
    ['/.fuse_hidden1/a', false],
    [null, false],
  ])('%j is such a name: %s', (path, is) => expect(isHiddenName(path)).toBe(is));

  test('is removed after a while, unless something is renamed onto it', async () => {
    const { of, removed } = hidden();
    await of.hide('/open', NAME, 0);
    await of.hide('/other', NAME, 0);
    of.replacing('/other');
    await vi.advanceTimersByTimeAsync(199);
    expect(removed).toEqual([]);
    await vi.advanceTimersByTimeAsync(1);
    expect(removed).toEqual(['/open']);
  });

  test('goes on by itself, with its name counted, until its last handle is closed', async () => {
    const { of, sizes } = hidden();
    await of.hide('/open', NAME, 0);
    expect(await of.stat(`/elsewhere/${NAME.slice(3)}`)).toEqual({ nlink: 1, size: 5 });
    await of.truncate(NAME, 3);
    expect(sizes).toEqual([3]);
    expect((await of.stat(NAME)).nlink).toBe(0);
    expect((await of.stat(NAME)).nlink).toBe(1);
    of.resized(NAME);
    await of.drop(NAME);
    await expect(of.stat(NAME)).rejects.toThrow('ENOENT');
    await expect(of.truncate(NAME, 0)).rejects.toThrow('ENOENT');
  });

  test('that cannot be removed is told of', async () => {
    const { of, trouble } = hidden(async (path) => {
      throw new FsError('EACCES', { path, op: 'unlink', reason: 'a rule says no' });
    });
    await of.hide('/open', NAME, 0);
    await vi.advanceTimersByTimeAsync(200);
    expect(trouble).toEqual([expect.stringMatching(/^\/open was not removed: .*a rule says no/)]);
  });
});

describe('the directory of a mount', () => {
  test('is an empty one, by its real path, outside of what the world is made of', async () => {
    const at = temporaryDirectory();
    for (const name of ['empty', 'full/in', 'state/in', 'own'])
      mkdirSync(join(at, name), { recursive: true });
    symlinkSync('empty', join(at, 'link'));
    writeFileSync(join(at, 'file'), '');
    const check = (name: string, used: string[] = []) =>
      checkDirectory(
        join(at, name),
        used.map((each) => ({ directory: join(at, each), what: 'the state' })),
      );
    expect(await check('link', ['state', 'none'])).toBe(join(at, 'empty'));
    await expect(check('none')).rejects.toThrow(`is not there: mkdir -p ${join(at, 'none')}`);
    await expect(check('file')).rejects.toThrow('is no directory');
    await expect(check('full')).rejects.toThrow('is not empty');
    for (const [name, used] of [
      ['state/in', 'state'],
      ['state', 'state/in'],
      ['state', 'state'],
    ] as const)
      await expect(check(name, ['own', used])).rejects.toThrow(
        /cannot be mounted: \S+ is the state, and a world that had itself/,
      );
    await unmountLeft(join(at, 'empty'));
    await unmountLeft(join(at, 'none'));
  });
});

describe('a shim', () => {
  test('is put into a directory, replaced, and removed; no other file is', async () => {
    const at = join(temporaryDirectory(), 'new/bin');
    const file = join(at, 'grep');
    expect(await removeShims(at)).toEqual([]);
    expect(await installShims(at)).toEqual([file]);
    expect(statSync(file).mode & 0o777).toBe(0o755);
    const { ino } = statSync(file);
    writeFileSync(file, readFileSync(file, 'utf8').replace('SYSTEMS', ''));
    await installShims(at);
    expect(readFileSync(file, 'utf8')).toMatch(/^#!\/bin\/sh\n# A shim of dirigent\.\n/);
    expect(ino).toBeGreaterThan(0);
    expect(await removeShims(at)).toEqual([file]);
    expect(await removeShims(at)).toEqual([]);
    writeFileSync(file, '#!/bin/sh\necho mine\n');
    await expect(installShims(at)).rejects.toThrow(`${file} is there already, and is no shim`);
    expect([await removeShims(at), readFileSync(file, 'utf8')]).toEqual([
      [],
      '#!/bin/sh\necho mine\n',
    ]);
    const other = temporaryDirectory();
    mkdirSync(join(other, 'grep'));
    await expect(installShims(other)).rejects.toThrow('is there already');
  });

  test('is the system’s grep where no world is mounted, with options and without', async () => {
    const at = temporaryDirectory();
    const [shim = ''] = await installShims(join(at, 'bin'));
    writeFileSync(join(at, 'a'), 'one\ntwo\n');
    const grep = (args: string[], input?: string) => {
      const env = { ...process.env, PATH: `${join(at, 'bin')}:${process.env['PATH']}` };
      const { stdout, status } = spawnSync(shim, args, { cwd: at, env, encoding: 'utf8', input });
      return [stdout, status];
    };
    expect(grep(['-n', 'two', 'a'])).toEqual(['2:two\n', 0]);
    expect(grep(['two', 'a'])).toEqual(['two\n', 0]);
    expect(grep(['three', 'a'])).toEqual(['', 1]);
    expect(grep(['o'], 'on stdin\nx\n')).toEqual(['on stdin\n', 0]);
    expect(grep([])[1]).toBe(2);
  });
});

describe('the grep of real shells in a mounted world', () => {
  /** Asks at a world mounted at /at, of which /bin is not searched. */
  async function asked(request: unknown, result = ran('/mnt/a.md:1:x\nnot/at:/x\n', 'e\n', 0)) {
    const calls: [string, object][] = [];
    const visit = {
      exec: async (command: string, { signal: _, ...options }: { signal: AbortSignal }) => {
        calls.push([command, options]);
        return result;
      },
      fs: { locate: async (path: string) => ({ searchable: path !== '/bin' }) },
    } as unknown as Visit;
    const server = await GrepServer.listen('/at', visit);
    onTestFinished(() => server.close());
    expect([server.shims, server.socket.startsWith(server.place)]).toEqual([
      join(server.place, 'bin'),
      true,
    ]);
    const socket = connect(server.socket);
    socket.write(typeof request === 'string' ? request : `${JSON.stringify(request)}\n`);
    const replies = (await text(socket))
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as { type: string; data?: string; status?: number })
      .map(({ type, data, status }) => [
        type,
        data === undefined ? status : Buffer.from(data, 'base64').toString(),
      ]);
    return { replies, calls };
  }

  test('is the world’s own, where the shell stands', async () => {
    expect(await asked({ cwd: '/at/mnt', query: "what's up", paths: [] })).toEqual({
      replies: [
        ['stdout', '/mnt/a.md:1:x\nnot/at:/x\n'],
        ['stderr', 'e\n'],
        ['end', 0],
      ],
      calls: [["command grep 'what'\\''s up'", { cwd: '/mnt' }]],
    });
  });

  test('shows what was named by its path on the host by that', async () => {
    const { replies, calls } = await asked({ cwd: '/at', query: 'x', paths: ['/at/mnt', 'a'] });
    expect(replies[0]).toEqual(['stdout', '/at/mnt/a.md:1:x\nnot/at:/x\n']);
    expect(calls).toEqual([['command grep x /mnt a', { cwd: '/' }]]);
    const outside = await asked({ cwd: '/home', query: 'x', paths: ['/at'] });
    expect(outside.calls).toEqual([['command grep x /', {}]]);
  });

  test('is the system’s where anything that is searched is not the world’s to search', async () => {
    for (const paths of [['/etc'], ['/at/bin'], ['mnt', '/atx']])
      expect(await asked({ cwd: '/at', query: 'x', paths })).toEqual({
        replies: [['system', undefined]],
        calls: [],
      });
    const home = await asked({ cwd: '/home', query: 'x', paths: [] });
    expect(home.replies).toEqual([['system', undefined]]);
  });

  test('says what is wrong with what it was asked', async () => {
    const { replies } = await asked('no json\n');
    expect(replies).toEqual([
      ['stderr', expect.stringMatching(/^grep: .*\n$/)],
      ['end', 2],
    ]);
    expect((await asked({ cwd: 1 })).replies.at(-1)).toEqual(['end', 2]);
  });
});
