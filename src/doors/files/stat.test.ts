/** Attributes as the kernel takes them, and times beyond those that a world keeps. */
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { Inspection } from '../../namespace/inspect.ts';
import { targetForHost, targetFromHost } from './links.ts';
import { keepsItsName, refuseOver } from './renaming.ts';
import { kernelStat, millisecondsOf, typeBits } from './stat.ts';
import { Times } from './times.ts';
import { memoryPoints, wholePoints } from './whole-points.ts';

const OWNER = { uid: 3, gid: 4 };
const FOUND: Inspection = {
  ...{ type: 'file', mode: 0o640, size: 1_025, estimated: false, mtime: 1_234, identity: 'i' },
  links: 2,
};

beforeEach(() => void vi.useFakeTimers({ toFake: ['Date'], now: 5_000 }));
afterEach(() => void vi.useRealTimers());

describe('a file', () => {
  test('has what the world says of it, and blocks of 512 bytes', () => {
    const time = { seconds: 1, nanoseconds: 234_000_007 };
    expect(kernelStat(FOUND, OWNER, 7)).toEqual({
      ...{ mode: 0o100640, size: 1_025, nlink: 2, ...OWNER, blocks: 3, blksize: 4_096 },
      ...{ mtime: time, ctime: time, atime: time },
    });
    expect(kernelStat({ ...FOUND, size: 1_024 }, OWNER, 0).blocks).toBe(2);
    expect(kernelStat({ ...FOUND, mtime: -1 }, OWNER, 0).mtime).toEqual({
      ...{ seconds: -1, nanoseconds: 999_000_000 },
    });
  });

  test('is of its type', () => {
    expect(['file', 'directory', 'symlink'].map((type) => typeBits(type as 'file'))).toEqual([
      ...[0o100000, 0o040000, 0o120000],
    ]);
    expect(kernelStat({ ...FOUND, type: 'symlink' }, OWNER, 0).mode).toBe(0o120640);
  });

  test('has a time that was set to the nanosecond while the world has that millisecond', () => {
    const mtime = { seconds: 1, nanoseconds: 234_567_890 };
    expect(millisecondsOf(mtime)).toBe(1_234);
    expect(kernelStat(FOUND, OWNER, 7, { mtime }).mtime).toEqual(mtime);
    expect(kernelStat({ ...FOUND, mtime: 1_235 }, OWNER, 7, { mtime }).mtime).toEqual({
      ...{ seconds: 1, nanoseconds: 235_000_007 },
    });
    // The world sets no time of a link itself.
    const link = kernelStat({ ...FOUND, type: 'symlink', mtime: 9 }, OWNER, 7, { mtime });
    expect(link.mtime).toEqual(mtime);
  });

  test('was changed when its attributes were, or its content where that is later', () => {
    const changed = (ctime: number) => kernelStat(FOUND, OWNER, 7, { ctime }).ctime;
    expect(changed(1_235)).toEqual({ seconds: 1, nanoseconds: 235_000_000 });
    expect(changed(1_234)).toEqual({ seconds: 1, nanoseconds: 234_000_007 });
    const atime = { seconds: 8, nanoseconds: 9 };
    expect(kernelStat(FOUND, OWNER, 7, { atime }).atime).toEqual(atime);
  });
});

describe('times', () => {
  const SET = { seconds: 1, nanoseconds: 234_000_111 };

  test('are those that were set, until the content is another', () => {
    const times = new Times(OWNER);
    times.set('/a', SET, null);
    expect(times.statOf('/a', FOUND)).toMatchObject({
      ...{ atime: SET, mtime: { seconds: 1, nanoseconds: 234_000_000 } },
      ctime: { seconds: 5, nanoseconds: 0 },
    });
    times.set('/a', null, SET);
    expect(times.statOf('/a', FOUND)).toMatchObject({ atime: SET, mtime: SET });
    times.changed('/a');
    expect([times.versionOf('/a'), times.versionOf('/b')]).toEqual([1, 0]);
    expect(times.statOf('/a', FOUND)).toMatchObject({
      ...{ atime: SET, mtime: { seconds: 1, nanoseconds: 234_000_001 } },
    });
    times.changed('/a');
    expect(times.versionOf('/a')).toBe(2);
  });

  test('go with a name, and with what is below it; a new file of a name has none of the old', () => {
    const times = new Times(OWNER);
    for (const path of ['/d', '/d/a', '/da']) times.set(path, SET, SET);
    times.renamed('/d', '/e');
    const set = (path: string) => times.statOf(path, FOUND).atime === SET;
    expect(['/d', '/d/a', '/da', '/e', '/e/a'].map(set)).toEqual([false, false, true, true, true]);
    expect([times.versionOf('/e'), times.versionOf('/e/a')]).toEqual([1, 0]);
    times.removed('/e/a');
    expect([set('/e/a'), times.versionOf('/e/a')]).toEqual([false, 1]);
    times.renamed('/none', '/n');
    expect(times.statOf('/n', FOUND).ctime).toEqual({ seconds: 5, nanoseconds: 0 });
  });

  test('of a hundred thousand paths are remembered, the newest', () => {
    const times = new Times(OWNER);
    for (let index = 0; index <= 100_000; index++) {
      times.changed(`/${index}`);
      times.touched(`/${index}`);
    }
    expect([times.versionOf('/0'), times.versionOf('/1'), times.versionOf('/100000')]).toEqual([
      0, 1, 1,
    ]);
    const touched = (path: string) => times.statOf(path, FOUND).ctime.seconds === 5;
    expect([touched('/0'), touched('/1')]).toEqual([false, true]);
  });
});

describe('a link', () => {
  test.each([
    ['/host/w/a', '/host/w', '/a'],
    ['/host/w', '/host/w', '/'],
    ['/host/wider', '/host/w', '/host/wider'],
    ['../a', '/host/w', '../a'],
    ['/a', '', '/a'],
  ])('to %s, of a world seen at %j, is kept as %s', (target, directory, kept) => {
    expect(targetFromHost(target, directory)).toBe(kept);
  });

  test.each([
    ['a', '/l', 'a'],
    ['../a', '/d/l', '../a'],
    ['..', '/d/l', '..'],
    ['../..', '/d/e/l', '../..'],
    ['../../a', '/d/l', '/host/w/a'],
    ['..', '/l', '/host/w'],
    ['x/../a', '/d/l', '/host/w/d/a'],
    ['../x/..', '/d/l', '/host/w'],
    ['/a/b', '/d/l', '/host/w/a/b'],
    ['/', '/l', '/host/w'],
    ['/../a', '/l', '/host/w/a'],
  ])('to %s at %s is shown as %s', (target, path, shown) => {
    expect(targetForHost(target, path, '/host/w')).toBe(shown);
  });

  test('in a world that is the root is shown from there', () => {
    expect([targetForHost('/', '/l', ''), targetForHost('/a', '/l', '')]).toEqual(['/', '/a']);
  });
});

test.each([
  ['directory', 'file', 'ENOTDIR'],
  ['directory', 'symlink', 'ENOTDIR'],
  ['file', 'directory', 'EISDIR'],
  ['symlink', 'directory', 'EISDIR'],
  ['file', 'file', null],
  ['directory', 'directory', null],
  ['file', null, null],
] as const)('a %s over a %s: %s', (type, over, code) => {
  const target = over === null ? null : { ...FOUND, type: over };
  const rename = () => refuseOver({ ...FOUND, type }, target, '/to');
  if (code === null) expect(rename).not.toThrow();
  else expect(rename).toThrow(code);
  expect(keepsItsName('/from', '/to')).toMatchObject({ code: 'EPERM', path: '/from' });
});

test('services and forms are written whole; what is in memory is told from what is mounted in it', () => {
  const forms = ['/session/approvals', '/session/changes', '/session/schedule'];
  expect(
    wholePoints([
      { point: '/workspace', service: false },
      { point: '/mnt/x', service: true },
    ]),
  ).toEqual(['/mnt/x', ...forms]);
  expect(
    memoryPoints([
      { point: '/', kind: 'memory' },
      { point: '/workspace', kind: 'disk' },
      { point: '/tmp', kind: 'memory' },
    ]),
  ).toEqual({ inMemory: ['/', '/tmp'], elsewhere: ['/workspace'] });
  expect(
    memoryPoints([
      { point: '/tmp', kind: 'memory' },
      { point: '/mnt', kind: 'disk' },
      { point: '/tmp/d', kind: 'disk' },
    ]),
  ).toEqual({ inMemory: ['/tmp'], elsewhere: ['/tmp/d'] });
});
