/** Snapshots of a directory hold nothing from outside, and commands end, whatever is swapped for links meanwhile. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import { isFsError } from '../../src/errors.ts';
import { sessionPlace } from '../../src/session/place.ts';
import {
  diskFiles,
  Manifest,
  restoreDirectory,
  StatCache,
  WorkspaceSnapshots,
} from '../../src/session/workspace/index.ts';
import { atOnce } from '../../src/slices.ts';
import { temporaryDirectory, testWorld } from '../world/harness.ts';

const SECRET = 'a secret of the host';

interface Raced {
  /** `x` in it is a directory with the file `f`, and a link to the outside, in turn. */
  root: string;
  outside: string;
  state: string;
}

async function raced(): Promise<Raced> {
  const directory = temporaryDirectory();
  const root = join(directory, 'root');
  const outside = join(directory, 'outside');
  for (const each of [join(root, 'x/deep'), join(outside, 'deep')])
    fs.mkdirSync(each, { recursive: true });
  fs.writeFileSync(join(root, 'x/f'), 'inside');
  fs.writeFileSync(join(root, 'x/deep/g'), 'inside, too');
  for (const name of ['f', 'secret-name', 'deep/g']) fs.writeFileSync(join(outside, name), SECRET);
  const swapper = fileURLToPath(new URL('./endless-links.ts', import.meta.url));
  const child = spawn(
    process.execPath,
    [swapper, join(root, 'x'), join(directory, 'aside'), outside],
    {
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  );
  onTestFinished(async () => {
    // It must not have stopped by itself.
    expect(child.exitCode).toBeNull();
    const ended = once(child, 'exit');
    child.kill('SIGKILL');
    await ended;
  });
  await once(child.stdout, 'data');
  return { root, outside, state: join(directory, 'state') };
}

/** Blobs with something of the outside in them: its content, or its names. */
function leaked(state: string): string[] {
  return fs
    .readdirSync(join(state, 'blobs'), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => fs.readFileSync(join(entry.parentPath, entry.name), 'utf8'))
    .filter((text) => text.includes(SECRET) || text.includes('secret-name'));
}

test('a snapshot has nothing of what a link leads to that was put in the place of a directory', async () => {
  const { root, state } = await raced();
  const { blobs } = sessionPlace(state);
  const seen = { directory: 0, link: 0 };
  for (let round = 0; round < 1_000; round++) {
    // Without a cache every file is read.
    const snapshots = new WorkspaceSnapshots(diskFiles(root), blobs, new StatCache(null));
    const x = new Manifest(blobs, atOnce(snapshots.takeAll())).get('/x');
    if (x?.type === 'directory') seen.directory++;
    if (x?.type === 'symlink') seen.link++;
    atOnce(snapshots.take(['/x/f', '/x/deep']));
    snapshots.release();
  }
  expect(Math.min(seen.directory, seen.link)).toBeGreaterThan(0);
  expect(leaked(state)).toEqual([]);
});

test('giving a snapshot back changes nothing outside', async () => {
  const { root, outside, state } = await raced();
  const { blobs } = sessionPlace(state);
  const files = diskFiles(root);
  const target = (round: number): string => {
    const manifest = new Manifest(blobs);
    for (const path of ['/x/f', `/x/made${round}/h`, `/x/k${round}`]) {
      const hash = blobs.put(Buffer.from('restored'), false);
      manifest.set(path, { type: 'file', mode: 0o600, size: 8, mtime: 0, hash });
    }
    return atOnce(manifest.seal());
  };
  let restored = 0;
  for (let round = 0; round < 300; round++) {
    const from = atOnce(new WorkspaceSnapshots(files, blobs).takeAll());
    try {
      restoreDirectory(root, blobs, from, target(round % 2));
      restored++;
    } catch (error) {
      // Whatever somebody else changes meanwhile is told, as a failure of that path.
      if (!isFsError(error)) throw error;
    }
  }
  files.release?.();
  expect(restored).toBeGreaterThan(0);
  expect(fs.readdirSync(outside).sort()).toEqual(['deep', 'f', 'secret-name']);
  expect(fs.readdirSync(join(outside, 'deep'))).toEqual(['g']);
  expect(fs.readFileSync(join(outside, 'f'), 'utf8')).toBe(SECRET);
  expect(fs.statSync(join(outside, 'f')).mode & 0o777).not.toBe(0o600);
});

test('each command of a session has its end in the log', async () => {
  const { root, state } = await raced();
  const worlds = [1, 2].map(() => testWorld({ mounts: { '/workspace': root }, state }));
  await Promise.all(
    worlds.map(async (world) => {
      for (let round = 0; round < 25; round++)
        await world.exec(`echo ${round} > x/f; mv x/deep x/d${round}; mv x/d${round} x/deep`);
    }),
  );
  for (const { session } of worlds) {
    const types = session.entries().map(({ type }) => type);
    expect(types.filter((type) => type === 'bash_start')).toHaveLength(25);
    expect(types.filter((type) => type === 'bash_end')).toHaveLength(25);
    expect(session.entries().filter((entry) => 'workspaceLost' in entry)).toEqual([]);
  }
  expect(leaked(state)).toEqual([]);
});
