/**
 * Every mutator in every mode, on a file named directly, through a link to it,
 * and through a link to its directory: what a mode refuses is EACCES with the
 * rule and a sentence, and nothing has changed.
 */
import { describe, expect, it } from 'vitest';
import { MemoryMount } from '../../src/memory-tree/mount.ts';
import type { Mode } from '../../src/mount/contract/contract.ts';
import type { Namespace } from '../../src/namespace/namespace.ts';
import { diskMount, failure, namespaceOver, treeOf } from './support.ts';

/** What is done to the file at `path`; `free` is a name beside it where nothing is. */
interface Mutation {
  act(fs: Namespace, path: string, free: string): Promise<unknown>;
  /** Allowed in a mount of mode `append`. */
  appends?: true;
  /** Acts on the link itself, which is outside the mount and may be changed. */
  onLink?: true;
}

const WHEN = new Date(0);

const MUTATIONS: Record<string, Mutation> = {
  'writeFile over': { act: (fs, path) => fs.writeFile(path, 'changed') },
  'writeFile empty over': { act: (fs, path) => fs.writeFile(path, '') },
  'writeFile new': { act: (fs, _, free) => fs.writeFile(free, 'new'), appends: true },
  'appendFile to': { act: (fs, path) => fs.appendFile(path, 'more'), appends: true },
  'appendFile new': { act: (fs, _, free) => fs.appendFile(free, 'new'), appends: true },
  mkdir: { act: (fs, _, free) => fs.mkdir(free), appends: true },
  'mkdir -p': { act: (fs, _, free) => fs.mkdir(`${free}/a/b`, { recursive: true }), appends: true },
  rm: { act: (fs, path) => fs.rm(path), onLink: true },
  'rm -f': { act: (fs, path) => fs.rm(path, { force: true }), onLink: true },
  'cp over': { act: (fs, path) => fs.cp('/free/f', path) },
  'cp new': { act: (fs, _, free) => fs.cp('/free/f', free), appends: true },
  'cp -r new': { act: (fs, _, free) => fs.cp('/free/d', free, { recursive: true }), appends: true },
  'mv over': { act: (fs, path) => fs.mv('/free/f', path), onLink: true },
  'mv new': { act: (fs, _, free) => fs.mv('/free/f', free), appends: true },
  'mv tree new': { act: (fs, _, free) => fs.mv('/free/d', free), appends: true },
  'mv away': { act: (fs, path) => fs.mv(path, '/free/moved'), onLink: true },
  'mv within': { act: (fs, path, free) => fs.mv(path, free) },
  chmod: { act: (fs, path) => fs.chmod(path, 0o777) },
  utimes: { act: (fs, path) => fs.utimes(path, WHEN, WHEN) },
  symlink: { act: (fs, _, free) => fs.symlink('/free/f', free) },
  'link new': { act: (fs, _, free) => fs.link('/free/f', free) },
  'link within': { act: (fs, path, free) => fs.link(path, free) },
};

const WAYS = {
  direct: { path: '/m/d/f', free: '/m/d/free' },
  'through a link to the file': { path: '/free/to-file', free: '/m/d/free' },
  'through a link to its directory': {
    path: '/free/to-directory/f',
    free: '/free/to-directory/free',
  },
  'through a chain of links over mounts': { path: '/free/far/d/f', free: '/free/far/d/free' },
};

const MOUNTS = {
  memory: () => ({ mount: new MemoryMount(), close: () => undefined }),
  disk: () => {
    const { mount, directory } = diskMount();
    return { mount, close: () => directory.remove() };
  },
};

const rows = Object.keys(MOUNTS).flatMap((kind) =>
  (['ro', 'append', 'rw'] as const).flatMap((mode) =>
    Object.keys(WAYS).flatMap((way) =>
      Object.keys(MUTATIONS).map((what) => ({ kind, mode, way, what })),
    ),
  ),
);

describe('mutators by mode', () => {
  it.for(rows)('$kind $mode: $what $way', async ({ kind, mode, way, what }) => {
    const { mount, close } = MOUNTS[kind as keyof typeof MOUNTS]();
    const { path, free } = WAYS[way as keyof typeof WAYS];
    const mutation = MUTATIONS[what] as Mutation;
    try {
      await mount.mkdir('/d');
      await mount.write('/d/f', Buffer.from('content'));
      await mount.utimes('/d/f', new Date(1_000_000));
      await mount.symlink('d', '/link');
      const fs = namespaceOver([
        ['/', new MemoryMount()],
        ['/m', mount, { mode, advice: 'ask the deployer' }],
      ]);
      await prepare(fs);
      const onLink = mutation.onLink === true && path === WAYS['through a link to the file'].path;
      if (refuses(mode, mutation, what, way) && !onLink)
        await refusal(fs, mode, mutation, path, free);
      else if (!onLink && !expected(what, way)) await mutation.act(fs, path, free);
      await fs.flush();
      if (mode !== 'rw') expect(await fs.readFile('/m/d/f')).toMatch(/^content/);
    } finally {
      close();
    }
  });
});

function refuses(mode: Mode, mutation: Mutation, what: string, way: string): boolean {
  if (expected(what, way)) return false;
  return mode === 'ro' || (mode === 'append' && mutation.appends !== true);
}

/** What has another answer, whatever the mode: a second name over mounts, or for a link elsewhere. */
function expected(what: string, way: string): boolean {
  return what.startsWith('link') && (what === 'link new' || way === 'through a link to the file');
}

async function prepare(fs: Namespace): Promise<void> {
  await fs.mkdir('/free/d/sub', { recursive: true });
  await fs.writeFile('/free/f', 'free');
  await fs.writeFile('/free/d/sub/g', 'free');
  await fs.symlink('../m/d/f', '/free/to-file');
  await fs.symlink('/m/link', '/free/to-directory');
  await fs.symlink('further', '/free/far');
  await fs.symlink('/m/link/..', '/free/further');
}

async function refusal(
  fs: Namespace,
  mode: Mode,
  mutation: Mutation,
  path: string,
  free: string,
): Promise<void> {
  const before = await treeOf(fs, '/');
  const time = (await fs.stat('/m/d/f')).mtime;
  const mark = fs.errorMark();
  const error = await failure(mutation.act(fs, path, free));
  expect(error.code).toBe('EACCES');
  expect(error.rule).toBe(`/m is mounted ${mode}`);
  expect(error.reason).toMatch(/^\/m is mounted (ro|append): .+; ask the deployer$/);
  expect(fs.errorsSince(mark)).toEqual([error]);
  await fs.flush();
  expect(await treeOf(fs, '/')).toEqual(before);
  expect((await fs.stat('/m/d/f')).mtime).toEqual(time);
  expect(fs.takeChanges().filter((each) => each.startsWith('/m'))).toEqual([]);
}
