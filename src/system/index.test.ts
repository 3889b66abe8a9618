/** What every world has: the fixed files of `/` and `/bin`, and the devices. */
import { expect, test } from 'vitest';
import type { Mount } from '../mount/contract/contract.ts';
import { commandOfFile, createBinMount, DeviceMount, RootMount, StaticMount } from './index.ts';

const MADE = new Date('2026-01-02T03:04:05Z');
const fixed = () =>
  new StaticMount(
    'fixed',
    new Map([
      ['b', 'zwei'],
      ['a', 'ä\n'],
      ['c', ''],
    ]),
    0o600,
    MADE,
  );
const root = () => new RootMount({ name: 'README.md', text: 'ä world\n', made: 1_000 });

test('a fixed directory lists its files by name, as files of their own mode and time', async () => {
  const mount = fixed();
  expect(mount).toMatchObject({ kind: 'fixed', local: true, searchable: false });
  expect(mount.hasLinks()).toBe(false);
  expect(await mount.readdir('/')).toEqual(['a', 'b', 'c'].map((name) => ({ name, type: 'file' })));
  expect(await mount.lstat('/a')).toEqual({ type: 'file', mode: 0o600, size: 3, mtime: MADE });
  expect(await mount.lstat('/')).toEqual({
    type: 'directory',
    mode: 0o755,
    size: 4096,
    mtime: MADE,
  });
  expect(Buffer.from(await mount.read('/b')).toString()).toBe('zwei');
});

test('files of a fixed directory are readable by all, if nothing else is said', async () => {
  const plain = new StaticMount('fixed', new Map([['a', '']]));
  expect((await plain.lstat('/a')).mode).toBe(0o644);
});

test('it says of a name that it is not there only where that is so', () => {
  const lacking = ['/', '/a', '/a/below', '/none', '/none/below', `/${'n'.repeat(255)}`];
  expect(lacking.map((path) => fixed().lacks(path))).toEqual([
    ...[false, false, false],
    ...[true, true, true],
  ]);
  // Of a name that is too long a look-up says something else.
  expect(fixed().lacks(`/${'n'.repeat(256)}`)).toBe(false);
});

const LONG = 'é'.repeat(128);
const MOUNTS: readonly [string, () => Mount, string][] = [
  ['a fixed directory', fixed, 'a'],
  ['/dev', () => new DeviceMount(), 'null'],
];
test.each(MOUNTS)('%s says what is wrong with a path', async (_, make, name) => {
  const mount = make();
  const refused = async (op: 'lstat' | 'read' | 'readdir', path: string) => {
    const error: unknown = await Promise.resolve(mount[op](path)).catch(
      (caught: unknown) => caught,
    );
    const { code, op: asked, path: where } = error as Record<string, unknown>;
    expect(where).toBe(path);
    return `${op} ${code} ${asked}`;
  };
  for (const [op, call] of [
    ['lstat', 'lstat'],
    ['read', 'open'],
    ['readdir', 'scandir'],
  ] as const) {
    expect(await refused(op, '/none')).toBe(`${op} ENOENT ${call}`);
    expect(await refused(op, '/none/below')).toBe(`${op} ENOENT ${call}`);
    expect(await refused(op, `/${name}/below`)).toBe(`${op} ENOTDIR ${call}`);
    expect(await refused(op, `/${LONG}`)).toBe(`${op} ENAMETOOLONG ${call}`);
    // 255 bytes are a name.
    expect(await refused(op, `/${LONG.slice(1)}n`)).toBe(`${op} ENOENT ${call}`);
  }
  expect(await refused('readdir', `/${name}`)).toBe('readdir ENOTDIR scandir');
  expect(await refused('read', '/')).toBe('read EISDIR read');
});

test('/ is as old as its world, and full with what is in it', async () => {
  const mount = root();
  expect(mount.kind).toBe('memory');
  expect(await mount.lstat('/README.md')).toMatchObject({ mode: 0o644, mtime: new Date(1_000) });
  expect(Buffer.from(await mount.read('/README.md')).toString()).toBe('ä world\n');
  expect(mount.capacity()).toEqual({ total: 9, used: 9, free: 0 });
});

test('each file of /bin can be run, and stands for its command', async () => {
  const bin = createBinMount(['grep', 'cat']);
  expect(await bin.readdir('/')).toEqual(['cat', 'grep'].map((name) => ({ name, type: 'file' })));
  expect((await bin.lstat('/cat')).mode).toBe(0o755);
  const text = Buffer.from(await bin.read('/grep')).toString();
  expect(text).toBe('#!/bin/bash\n# built in: grep\n');
  expect(commandOfFile(text)).toBe('grep');
});

test.each([
  ['#!/bin/bash\n# built in: [', '['],
  ['#!/bin/bash\n# built in: \n', null],
  ['#!/bin/bash\n# built in: cat\nrm -r /\n', null],
  ['#!/bin/bash\n# built in: /bin/cat\n', null],
  ['#!/bin/bash\necho\n', null],
  ['', null],
])('of a file that says %j the command is %j', (text, command) => {
  expect(commandOfFile(text)).toBe(command);
});

const NAMES = ['full', 'null', 'random', 'stderr', 'stdin', 'stdout', 'tty', 'urandom', 'zero'];

test('/dev has its devices, which all may read and write, and which are no place to search', async () => {
  const dev = new DeviceMount();
  expect([dev.kind, dev.local, dev.searchable, dev.hasLinks()]).toEqual([
    'dev',
    true,
    false,
    false,
  ]);
  expect(await dev.readdir('/')).toEqual(NAMES.map((name) => ({ name, type: 'file' })));
  for (const name of NAMES)
    expect(await dev.lstat(`/${name}`)).toMatchObject({ type: 'file', mode: 0o666, size: 0 });
  expect(await dev.lstat('/')).toMatchObject({ type: 'directory', mode: 0o755, size: 4096 });
});

test('an endless device gives a mebibyte at a time, zeros or chance; the others are empty', async () => {
  const dev = new DeviceMount();
  const endless = NAMES.filter((name) => dev.endless(`/${name}`));
  expect(endless).toEqual(['full', 'random', 'urandom', 'zero']);
  expect(dev.endless('/none')).toBe(false);
  for (const name of NAMES) {
    const data = Buffer.from(await dev.read(`/${name}`));
    expect(data.length).toBe(endless.includes(name) ? 1024 * 1024 : 0);
    expect(data.some((byte) => byte !== 0)).toBe(name.endsWith('random'));
  }
  expect(await dev.read('/random')).not.toEqual(await dev.read('/random'));
});

test.each(NAMES)(
  'what is written to /dev/%s is gone, or refused where somebody waits for it',
  async (name) => {
    const dev = new DeviceMount();
    const isStream = ['tty', 'stdin', 'stdout', 'stderr'].includes(name);
    const code = isStream ? 'ENOTSUP' : name === 'full' ? 'ENOSPC' : null;
    for (const op of ['write', 'append'] as const) {
      await expect(dev[op](`/${name}`, new Uint8Array())).resolves.toBeUndefined();
      const written = dev[op](`/${name}`, Buffer.from('x'));
      if (code === null) await expect(written).resolves.toBeUndefined();
      else await expect(written).rejects.toMatchObject({ code });
    }
  },
);

test('no device can be made', async () => {
  const dev = new DeviceMount();
  for (const op of ['write', 'append'] as const)
    await expect(dev[op]('/new', new Uint8Array())).rejects.toMatchObject({
      code: 'EACCES',
      rule: 'devices are fixed',
    });
});
