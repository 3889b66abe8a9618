/** What SFTP shows of files: their attributes, and the line that clients print of each. */
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { FsError } from '../../errors.ts';
import type { KernelStat } from '../files/stat.ts';
import { attributesOf, isLink, rowsOf } from './sftp-listing.ts';

const NOW = Date.UTC(2026, 6, 1, 12);
beforeEach(() => void vi.useFakeTimers({ now: NOW, toFake: ['Date'] }));
afterEach(() => void vi.useRealTimers());

const time = (at: number) => ({ seconds: Math.floor(at / 1000), nanoseconds: 0 });

const stat = (mode: number, mtime = NOW, more: Partial<KernelStat> = {}): KernelStat =>
  ({ size: 12, mode, atime: time(mtime), mtime: time(mtime), ...more }) as unknown as KernelStat;

/** The lines of files, by their names. */
async function lines(files: Record<string, KernelStat>): Promise<string[]> {
  const rows = await rowsOf(
    {
      stat: async (path) => {
        const found = files[path];
        if (found === undefined) throw new FsError('ENOENT', { path, op: 'lstat' });
        return found;
      },
    },
    '/d',
    ['.', '..', ...Object.keys(files).map((path) => path.slice('/d/'.length)), 'gone'].filter(
      (name) => name !== '',
    ),
  );
  return rows.map(({ line }) => line);
}

test('a line says what a file is, who may do what, its size and its time, as ls -l does', async () => {
  const day = 24 * 60 * 60 * 1000;
  const found = await lines({
    '/d': stat(0o040_755),
    '/d/file': stat(0o100_640, NOW - 90 * 60 * 1000, { size: 123_456 }),
    '/d/link': stat(0o120_777, NOW - 181 * day),
    '/d/tool': stat(0o100_111, NOW - 183 * day),
    '/d/ahead': stat(0o100_444, NOW + 183 * day),
  });
  expect(found).toEqual([
    'drwxr-xr-x    1 agent    agent          12 Jul  1 12:00 .',
    'drwxr-xr-x    1 agent    agent          12 Jul  1 12:00 ..',
    '-rw-r-----    1 agent    agent      123456 Jul  1 10:30 file',
    'lrwxrwxrwx    1 agent    agent          12 Jan  1 12:00 link',
    '---x--x--x    1 agent    agent          12 Dec 30  2025 tool',
    '-r--r--r--    1 agent    agent          12 Dec 31  2026 ahead',
  ]);
});

test('what is gone by now is left out, and what cannot be looked at is an error', async () => {
  expect(await lines({})).toEqual([]);
  const refuses = async (path: string): Promise<never> => {
    throw new FsError('EACCES', { path, op: 'lstat' });
  };
  await expect(rowsOf({ stat: refuses }, '/d', ['x'])).rejects.toMatchObject({
    code: 'EACCES',
    path: '/d/x',
  });
});

test('everything belongs to whoever looks, and no time is before the epoch', () => {
  expect(attributesOf(stat(0o100_644, 5_000))).toEqual({
    size: 12,
    uid: 1000,
    gid: 1000,
    mode: 0o100_644,
    atime: 5,
    mtime: 5,
  });
  expect(attributesOf(stat(0o100_644, -5_000))).toMatchObject({ atime: 0, mtime: 0 });
  expect([0o120_777, 0o100_777, 0o040_777].map((mode) => isLink(stat(mode)))).toEqual([
    true,
    false,
    false,
  ]);
});
