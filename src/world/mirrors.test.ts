/** Memory mounts as they outlive their worker, and what a world has spent over its workers. */
import { expect, test } from 'vitest';
import { Mirrors } from './mirrors.ts';
import type { MountSpec } from './protocol.ts';
import { interrupted, memoryUsedUp, overdue, workerFailed } from './stopped.ts';
import { totalUsage } from './usage.ts';

const memory = (point: string): MountSpec =>
  ({
    point,
    source: {
      kind: 'memory',
      initial: [{ op: 'write', path: '/begun', data: Buffer.from('0'), at: 1, mode: 0o644 }],
    },
  }) as unknown as MountSpec;
const other = { point: '/other', source: { kind: 'disk' } } as unknown as MountSpec;

test('what is changed in a memory mount is in its mirror, and told once, a rename by both its names', () => {
  const mirrors = new Mirrors([memory('/m'), memory('/n'), other], undefined);
  const data = Buffer.from('1');
  mirrors.apply('/m', { op: 'write', path: '/a', data, at: 1, mode: 0o644 });
  mirrors.apply('/m', { op: 'rename', path: '/a', to: '/b', at: 2 });
  mirrors.apply('/none', { op: 'unlink', path: '/a', at: 2 });
  expect(
    mirrors
      .at('/m')
      ?.readdir('/')
      .map(({ name }) => name),
  ).toEqual(['b', 'begun']);
  expect(mirrors.takeTouched('/m')).toEqual(['/a', '/b']);
  expect([mirrors.takeTouched('/m'), mirrors.takeTouched('/n')]).toEqual([[], []]);
  expect([mirrors.at('/other'), mirrors.takeTouched('/other')]).toEqual([undefined, []]);
});

test('a new worker begins with what the mounts hold now', () => {
  const specs = [memory('/m'), other];
  const mirrors = new Mirrors(specs, undefined);
  mirrors.apply('/m', { op: 'unlink', path: '/begun', at: 2 });
  mirrors.apply('/m', { op: 'mkdir', path: '/d', at: 3 });
  const filled = mirrors.filled(specs);
  expect(filled[1]).toBe(other);
  const again = new Mirrors(filled, undefined);
  expect(
    again
      .at('/m')
      ?.readdir('/')
      .map(({ name }) => name),
  ).toEqual(['d']);
  expect(again.at('/m')?.lstat('/d').mtime).toEqual(new Date(3));
});

test('what was spent before a worker began is added to what it spends, mount by mount', () => {
  const before = { '/a': { requests: 1, bytes: 10 }, '/b': { requests: 2, bytes: 20 } };
  const now = { '/b': { requests: 3, bytes: 30 }, '/c': { requests: 4, bytes: 40 } };
  expect(totalUsage(before, now)).toEqual({
    '/a': { requests: 1, bytes: 10 },
    '/b': { requests: 5, bytes: 50 },
    '/c': { requests: 4, bytes: 40 },
  });
  expect(before['/b']).toEqual({ requests: 2, bytes: 20 });
});

test('a command that was ended from outside says why, with the status that shells have for it', () => {
  expect(interrupted()).toMatchObject({ exitCode: 130, message: 'interrupted' });
  expect(overdue(1_500)).toMatchObject({
    exitCode: 124,
    message: 'stopped after 1.5 s, its deadline',
  });
  expect(memoryUsedUp(64 * 1024 * 1024)).toMatchObject({
    exitCode: 137,
    message: expect.stringContaining('was used up (64 MiB); take less') as string,
  });
  const heap = Object.assign(new Error('heap'), { code: 'ERR_WORKER_OUT_OF_MEMORY' });
  expect(workerFailed(heap).message).toContain('was used up; take less');
  expect(workerFailed(new Error('gone'))).toMatchObject({
    exitCode: 137,
    message: 'stopped: gone',
  });
});
