/** What is told of the files of a host: identities, listings, names, changes, and what an editor has open. */
import fs from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { temporaryDirectory } from '../../test/temporary-directory.ts';
import { BufferedMount } from './buffered.ts';
import type { Buffers } from './buffers.ts';
import { isTemporary, readIdentified, readWhole } from './content.ts';
import { asFsError, hostPath, isConfigName, isInState, isInside, isStateName } from './host.ts';
import { Identities } from './identities.ts';
import { DiskListings } from './listing.ts';
import { DiskMount } from './mount.ts';
import { codeOf } from './testing.ts';
import { Turns } from './turns.ts';
import { watchDirectory } from './watch.ts';

/** A file has an identity as soon as it is there: nothing here changes within one time stamp. */
const AT_ONCE = -1000;
let base = '';
beforeEach(() => {
  base = temporaryDirectory();
});

const text = (bytes: Uint8Array): string => Buffer.from(bytes).toString();

describe('the identity of a file', () => {
  test('is there once it has settled, holds while nothing changes, and is no other file’s', () => {
    const [f, g] = [join(base, 'f'), join(base, 'g')];
    for (const each of [f, g]) fs.writeFileSync(each, 'one');
    const young = new Identities(base);
    const identities = new Identities(base, AT_ONCE);
    if (!identities.isFaithful) return;
    expect([young.of(fs.statSync(f)), young.ofDirectory(fs.statSync(base))]).toEqual([null, null]);
    const before = identities.of(fs.statSync(f));
    if (before === null) throw new Error('no identity');
    expect(identities.of(fs.statSync(g))).not.toEqual(before);
    expect(identities.holds(fs.statSync(f), before)).toBe(true);
    expect(identities.holds(fs.statSync(g), before)).toBe(false);
    expect([identities.of(fs.statSync(base)), identities.ofDirectory(fs.statSync(f))]).toEqual([
      null,
      null,
    ]);
    const stat = fs.statSync(f);
    for (const change of [{ ino: 1 }, { size: 9 }, { mtimeMs: 1 }, { ctimeMs: 1 }, { dev: 1 }])
      expect(
        identities.holds(Object.assign(fs.statSync(f), change), before),
        JSON.stringify(change),
      ).toBe(false);
    expect(identities.of(Object.assign(stat, { dev: 1 }))).toBeNull();
    expect(readIdentified(f, '/f', identities)).toEqual({
      bytes: Buffer.from('one'),
      identity: before,
    });
    expect(readIdentified(f, '/f', young).identity).toBeNull();
  });

  test('of a directory tells its names: it is read again when one came, and the oldest are given up', () => {
    const identities = new Identities(base, AT_ONCE);
    if (!identities.isFaithful) return;
    const directory = (name: string, files: number) => {
      fs.mkdirSync(join(base, name));
      for (let file = 0; file < files; file++) fs.writeFileSync(join(base, name, `f${file}`), 'x');
      return join(base, name);
    };
    const [one, two] = [directory('one', 2), directory('two', 3)];
    fs.mkdirSync(join(one, 'sub'));
    fs.symlinkSync('f0', join(one, 'link'));
    let reads = 0;
    const listings = new DiskListings(identities, 8);
    const of = (path: string) =>
      listings.of(path, path, path, () => {
        reads += 1;
        return fs
          .readdirSync(path, { withFileTypes: true })
          .sort((a, b) => (a.name < b.name ? -1 : 1));
      });
    const first = of(one);
    expect(first.names).toEqual(['f0', 'f1']);
    expect(first.directories).toEqual([{ name: 'sub', after: 2 }]);
    expect([of(one) === first, reads]).toEqual([true, 1]);
    expect([first.stat('f0')?.size, first.stat('none')]).toEqual([1, null]);
    const identity = identities.of(fs.statSync(join(one, 'f0')));
    expect(identity !== null && first.is(0, identity)).toBe(true);
    expect(identity !== null && first.is(1, identity)).toBe(false);
    of(two);
    of(one);
    of(two);
    expect(reads).toBe(2);
    fs.writeFileSync(join(one, 'f2'), 'x');
    const again = of(one);
    expect([again.names.length, again.key === first.key, reads]).toEqual([3, true, 3]);
    // Both together are more than is kept now: the one that was read longest ago goes.
    of(one);
    expect(reads).toBe(3);
    of(two);
    expect(reads).toBe(4);
  });
});

describe('a file that is read', () => {
  test('is whole, of the size that is allowed, and no pipe and no link', async () => {
    const file = join(base, 'f');
    const large = Buffer.alloc(17 * 1024 * 1024, 'ab');
    fs.writeFileSync(file, large);
    expect(large.equals(readWhole(file, '/f'))).toBe(true);
    fs.writeFileSync(file, 'text');
    expect(text(readWhole(file, '/f', 4))).toBe('text');
    expect(await codeOf(() => readWhole(file, '/f', 3))).toBe('EFBIG');
    expect(text(readWhole('/proc/self/stat', '/p')).length).toBeGreaterThan(10);
    fs.symlinkSync('f', join(base, 'l'));
    expect(await codeOf(() => readWhole(join(base, 'l'), '/l'))).toBe('ELOOP');
    expect(await codeOf(() => readWhole(base, '/'))).toBe('EISDIR');
    expect(await codeOf(() => readWhole('/dev/null', '/n'))).toBe('EINVAL');
  });
});

test('names of the host’s own are known in whatever spelling, and no others', () => {
  const state = [
    '.dirigent',
    '.Dirigent',
    '.dirigent.',
    '.dirigent ',
    '.diri\u200dgent',
    '.DIRIGENT. .',
  ];
  const other = ['dirigent', '.dirigen', '.dirigents', 'x.dirigent', '.dirigent-x', ''];
  expect([state.map(isStateName), other.map(isStateName)]).toEqual([
    state.map(() => true),
    other.map(() => false),
  ]);
  expect(['/a/.dirigent/b', '/.dirigent', '/a.b/c', '/dirigent'].map(isInState)).toEqual([
    true,
    true,
    false,
    false,
  ]);
  expect(
    ['dirigent.config.ts', 'Dirigent.config.MJS', 'dirigent.config.cts. '].map(isConfigName),
  ).toEqual([true, true, true]);
  expect(
    ['dirigent.config.tsx', 'x.dirigent.config.ts', 'dirigent.config.rs'].map(isConfigName),
  ).toEqual([false, false, false]);
  expect(
    ['.dirigent-0123456789ab.tmp', '.dirigent-0123456789aG.tmp', 'x.tmp'].map(isTemporary),
  ).toEqual([true, false, false]);
});

test('paths and errors of the host are those of the mount', () => {
  expect([hostPath('/r', '/'), hostPath('/r', '/a'), hostPath('/', '/a')]).toEqual([
    '/r',
    '/r/a',
    '/a',
  ]);
  expect([
    isInside('/r', '/r'),
    isInside('/r', '/r/a'),
    isInside('/r', '/rs'),
    isInside('/', '/x'),
  ]).toEqual([true, true, false, true]);
  const of = (code: string | undefined) =>
    asFsError(Object.assign(new Error('x'), { code }), '/p', 'open');
  expect([
    of('ENOENT').code,
    of('ERR_FS_FILE_TOO_LARGE').code,
    of('ENXIO').code,
    of('EODD').code,
  ]).toEqual(['ENOENT', 'EFBIG', 'EINVAL', 'EIO']);
  expect([of('EODD').reason, of(undefined).reason]).toEqual([
    'the host answered EODD',
    'the host answered Error',
  ]);
  const own = of('ENOENT');
  expect([asFsError(own, '/q', 'x'), own.path]).toEqual([own, '/p']);
});

test('work that goes on alone waits for all before it, and holds up all after it; a failure holds up nothing', async () => {
  const turns = new Turns();
  const log: string[] = [];
  const step =
    (name: string, wait: Promise<unknown> = Promise.resolve()) =>
    async () => {
      log.push(`+${name}`);
      await wait;
      log.push(`-${name}`);
      return name;
    };
  const gate = Promise.withResolvers<void>();
  const all = [
    turns.together(step('a', gate.promise)),
    turns.together(step('b')),
    turns.alone(step('c')),
    turns.together(step('d')),
    turns.alone(async () => {
      throw new Error('e');
    }),
    turns.together(step('f')),
  ];
  await new Promise((resolve) => setImmediate(resolve));
  expect(log).toEqual(['+a', '+b', '-b']);
  gate.resolve();
  const done = await Promise.allSettled(all);
  expect(done.map(({ status }) => status === 'fulfilled')).toEqual([
    true,
    true,
    true,
    true,
    false,
    true,
  ]);
  expect(log.slice(3)).toEqual(['-a', '+c', '-c', '+d', '-d', '+f', '-f']);
});

test('a watched directory tells the names that change; one that is gone tells so at once', async () => {
  const told: (string | null)[] = [];
  const stop = watchDirectory(base, (name) => told.push(name));
  if (stop === null) return;
  fs.writeFileSync(join(base, 'f'), 'x');
  await expect.poll(() => told, { interval: 5 }).toContain('f');
  stop();
  const gone: (string | null)[] = [];
  for (const path of [join(base, 'none'), join(base, 'f', 'x')])
    watchDirectory(path, (name) => gone.push(name))?.();
  expect(gone).toEqual([null, null]);
});

describe('a directory that another program has open', () => {
  function opened(given: Partial<Buffers> = {}) {
    const shown = new Map<string, string>();
    const buffers: Buffers = {
      reads: true,
      writes: true,
      async read(path) {
        return shown.get(path) ?? fs.readFileSync(base + path, 'utf8');
      },
      async write(path, data) {
        shown.set(path, data);
        fs.writeFileSync(base + path, data);
      },
      ...given,
    };
    return { mount: new BufferedMount(new DiskMount({ root: base }), buffers), shown };
  }

  test('has its texts as that shows them, and writes through it', async () => {
    const { mount, shown } = opened();
    fs.writeFileSync(join(base, 'f'), 'saved');
    expect(text(await mount.read('/f'))).toBe('saved');
    shown.set('/f', 'newer');
    expect(text(await mount.read('/f'))).toBe('newer');
    await mount.append('/f', Buffer.from('!'));
    expect([shown.get('/f'), text(await mount.read('/f'))]).toEqual(['newer!', 'newer!']);
    await mount.append('/g', Buffer.from('made'));
    await mount.write('/h', Buffer.from('too'));
    expect([shown.get('/g'), shown.get('/h')]).toEqual(['made', 'too']);
    // Line ends and a byte order mark that it does not show are no change.
    fs.writeFileSync(join(base, 'w'), '\uFEFFa\r\nb');
    shown.set('/w', 'a\nb');
    expect(text(await mount.read('/w'))).toBe('\uFEFFa\r\nb');
    expect([...(mount.walk('/') ?? [])].map((file) => [file.path, file.bytes()])).toEqual(
      ['/f', '/g', '/h', '/w'].map((path) => [path, null]),
    );
  });

  test('has what is no text from the disk, as all where that is asked for nothing', async () => {
    const { mount, shown } = opened();
    fs.writeFileSync(join(base, 'b'), Buffer.of(0, 1));
    shown.set('/b', 'never');
    expect([...(await mount.read('/b'))]).toEqual([0, 1]);
    await mount.write('/b', Buffer.from('text over bytes'));
    await mount.write('/c', Buffer.of(0xff));
    expect([shown.get('/b'), shown.has('/c')]).toEqual(['never', false]);
    expect(fs.readFileSync(join(base, 'b'), 'utf8')).toBe('text over bytes');
    const deaf = opened({ reads: false, writes: false });
    fs.writeFileSync(join(base, 'f'), 'disk');
    deaf.shown.set('/f', 'shown');
    await deaf.mount.append('/f', Buffer.from('!'));
    await deaf.mount.write('/n', Buffer.from('n'));
    expect([text(await deaf.mount.read('/f')), deaf.shown.size]).toEqual(['disk!', 1]);
    expect([mount.sizedByRead, deaf.mount.sizedByRead]).toEqual([true, false]);
    expect(await codeOf(() => mount.read('/none'))).toBe('ENOENT');
    expect(await codeOf(() => mount.append('/f/x', Buffer.from('')))).toBe('ENOTDIR');
  });

  test('is changed as the disk is', async () => {
    const { mount } = opened();
    await mount.mkdir('/d');
    await mount.write('/d/f', Buffer.from('x'));
    await mount.symlink('f', '/d/l');
    await mount.link('/d/f', '/d/g');
    await mount.chmod('/d/f', 0o600);
    await mount.utimes('/d/f', new Date(5000));
    expect(await mount.lstat('/d/g')).toMatchObject({
      links: 2,
      mode: 0o600,
      mtime: new Date(5000),
    });
    expect([await mount.readlink('/d/l'), mount.hasLinks('/d/l'), mount.lacks('/d/x')]).toEqual([
      'f',
      true,
      true,
    ]);
    await mount.rename('/d/g', '/h');
    await mount.unlink('/d/l');
    await mount.unlink('/d/f');
    await mount.rmdir('/d');
    expect((await mount.readdir('/')).map(({ name }) => name)).toEqual(['h']);
    expect([mount.directory, mount.capacity().total > 0]).toEqual([base, true]);
    await mount.close();
  });
});
