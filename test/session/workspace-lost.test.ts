/** What cannot be kept in a snapshot is told, and holds up nothing else. */
import fs from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { FsError } from '../../src/errors.ts';
import { forkSession } from '../../src/session/index.ts';
import { sessionPlace } from '../../src/session/place.ts';
import type { WorkspaceFiles } from '../../src/session/workspace/files.ts';
import { diskFiles, Manifest, WorkspaceSnapshots } from '../../src/session/workspace/index.ts';
import { atOnce } from '../../src/slices.ts';
import { temporaryDirectory, testWorld } from '../world/harness.ts';
import { readSession } from './support.ts';

test.each(['mem', 'a directory'])(
  'a command whose snapshot fails has its end, which says so; the next one has all again: %s',
  async (kind) => {
    const root = temporaryDirectory();
    const world = testWorld({ mounts: { '/workspace': kind === 'mem' ? kind : root } });
    const place = sessionPlace(world.state);
    await world.exec('echo a > a');
    const blobs = place.blobs.directory;
    fs.renameSync(blobs, `${blobs}.aside`);
    fs.writeFileSync(blobs, 'not a directory');
    expect(await world.exec('echo b > b; echo said')).toMatchObject({
      exitCode: 0,
      stdout: 'said\n',
    });
    fs.rmSync(blobs);
    fs.renameSync(`${blobs}.aside`, blobs);
    const lost = world.session.entries().at(-1);
    expect(lost).toMatchObject({ type: 'bash_end', stdout: 'said\n' });
    expect(lost?.['workspace']).toBeUndefined();
    expect(lost?.['workspaceLost']).toMatch(/^the host answered E/);
    await world.exec('echo c > c');
    const last = world.session.entries().at(-1);
    const kept = new Manifest(place.blobs, String(last?.['workspace']));
    expect([...kept.walk()].map(([path]) => path)).toEqual(['/a', '/b', '/c']);
    const session = readSession(place, world.session.id);
    expect(() => forkSession(place, session, lost?.id ?? '')).toThrow(
      expect.objectContaining({
        code: 'EIO',
        reason: expect.stringMatching(/name an earlier entry$/),
      }),
    );
  },
);

test('what cannot be read is named as missing, and all else is kept', () => {
  const { blobs } = sessionPlace(temporaryDirectory());
  const directory = { type: 'directory', mode: 0o755, size: 0, mtime: 0, signature: null } as const;
  const file = { ...directory, type: 'file', size: 1 } as const;
  const refuse = (path: string): never => {
    throw new FsError('EACCES', { path, op: 'open' });
  };
  const files: WorkspaceFiles = {
    stat: (path) =>
      path === '/d/unknown' ? refuse(path) : /^\/$|^\/d/.test(path) ? directory : file,
    list: (path) =>
      path === '/'
        ? ['closed', 'd', 'dark', 'f', 'gone']
        : path === '/dark'
          ? refuse(path)
          : ['g', 'unknown'].filter(() => path === '/d'),
    chunks: () => null,
    read: (path) =>
      path === '/closed' ? refuse(path) : path === '/gone' ? null : Buffer.from('x'),
    readlink: () => null,
  };
  // `/d/g` is a directory, and empty.
  const snapshot = new Manifest(blobs, atOnce(new WorkspaceSnapshots(files, blobs).takeAll()));
  expect([...snapshot.walk()].map(([path]) => path)).toEqual([
    '/closed',
    '/d',
    '/d/g',
    '/dark',
    '/f',
  ]);
  expect(snapshot.missing()).toEqual(['/closed', '/d/', '/dark/']);
});

test('a snapshot has no state directory in it, and nothing of an unfinished write', () => {
  const root = temporaryDirectory();
  const { blobs } = sessionPlace(temporaryDirectory());
  for (const name of ['.dirigent', 'project/.dirigent'])
    fs.mkdirSync(join(root, name), { recursive: true });
  fs.writeFileSync(join(root, 'project/.dirigent/changes.sqlite'), 'x');
  fs.writeFileSync(join(root, '.dirigent-0123456789ab.tmp'), 'x');
  fs.writeFileSync(join(root, '.dirigent-notes'), 'x');
  const files = diskFiles(root);
  const snapshot = new Manifest(blobs, atOnce(new WorkspaceSnapshots(files, blobs).takeAll()));
  files.release?.();
  expect([...snapshot.walk()].map(([path]) => path)).toEqual(['/.dirigent-notes', '/project']);
});
