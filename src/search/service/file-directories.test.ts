/** A large mount whose host tells of changes: only what it told of is looked at, and the rest in turn. */
import { beforeEach, describe, expect, it } from 'vitest';
import type { Mount } from '../../mount/contract/contract.ts';
import { FileDocuments } from './file-documents.ts';
import { type SearchedWorld, searchedWorld } from './testing.ts';

let world: SearchedWorld;
let watches: Map<string, (name: string | null) => void>;
let closed: string[];
/** How many watches the host gives. */
let given: number;
let walked: string[];
let files: FileDocuments;

beforeEach(() => {
  world = searchedWorld({ '/mnt/docs': true });
  watches = new Map();
  closed = [];
  given = Number.POSITIVE_INFINITY;
  walked = [];
  const attachment = world.table.at('/mnt/docs');
  if (attachment === undefined) throw new Error('nothing is attached at /mnt/docs');
  const { mount } = attachment;
  const walk = mount.walk?.bind(mount);
  Object.assign(mount, {
    walk: ((path, sieve) => {
      walked.push(path);
      return walk?.(path, sieve) ?? null;
    }) satisfies Mount['walk'],
    watch: ((directory, changed) => {
      if (given-- <= 0) return null;
      watches.set(directory, changed);
      return () => void closed.push(directory);
    }) satisfies Mount['watch'],
  });
  files = new FileDocuments({ ...world, attachment }, []);
});

const nameOf = (at: number): string => `${String(at).padStart(4, '0')}.md`;

/** Past the namespace, which is no part of this, and settled. */
async function fill(directory: string, count: number): Promise<void> {
  await world.fs.mkdir(directory, { recursive: true });
  const mount = world.table.at('/mnt/docs')?.mount;
  const { inside } = world.table.place(directory);
  for (let at = 0; at < count; at++)
    await mount?.write?.(`${inside}/${nameOf(at)}`, new Uint8Array([120]));
}

/** The paths that are handed out, and where was looked for that. */
async function look(scope = '/mnt/docs'): Promise<{ met: string[]; walked: string[] }> {
  walked = [];
  const { pending } = await files.pending([scope], true);
  return { met: pending.map(({ path }) => path), walked };
}

/** Until what is known is settled: all is watched, and nothing is new any more. */
async function settled(): Promise<void> {
  while ((await look()).met.length > 0);
  await look();
}

describe('a mount of fewer than two thousand files', () => {
  it('is looked at as a whole, and nothing is watched', async () => {
    await fill('/mnt/docs/a', 1_999);
    expect((await look()).met).toHaveLength(1_999);
    expect((await look()).walked.toSorted()).toEqual(['/', '/a']);
    expect(watches.size).toBe(0);
  });
});

describe('a larger one', () => {
  beforeEach(async () => {
    await fill('/mnt/docs/a', 1_990);
    for (const directory of ['b', 'c']) await fill(`/mnt/docs/${directory}`, 5);
    await settled();
  });

  it('has each directory watched', () => {
    expect([...watches.keys()].toSorted()).toEqual(['/', '/a', '/b', '/c']);
    files.close();
    expect(closed.toSorted()).toEqual(['/', '/a', '/b', '/c']);
  });

  it('is looked at where the host told of a change, and nothing else is new there', async () => {
    await world.fs.writeFile('/mnt/docs/b/0001.md', 'changed');
    await world.fs.writeFile('/mnt/docs/b/new.md', 'x');
    watches.get('/b')?.('0001.md');
    watches.get('/b')?.('new.md');
    const { met, walked } = await look();
    expect(met.toSorted()).toEqual(['/mnt/docs/b/0001.md', '/mnt/docs/b/new.md']);
    expect(walked[0]).toBe('/b');
    await world.fs.rm('/mnt/docs/b/new.md');
    watches.get('/b')?.('new.md');
    expect((await look()).met).toEqual(['/mnt/docs/b/new.md']);
  });

  it('has new directories looked into and watched, and those that went away forgotten', async () => {
    await fill('/mnt/docs/d/e', 2);
    watches.get('/')?.('d');
    expect((await look()).met.toSorted()).toEqual([
      '/mnt/docs/d/e/0000.md',
      '/mnt/docs/d/e/0001.md',
    ]);
    expect([...watches.keys()]).toEqual(expect.arrayContaining(['/d', '/d/e']));
    await world.fs.rm('/mnt/docs/d', { recursive: true });
    watches.get('/')?.('d');
    expect((await look()).met.toSorted()).toEqual([
      '/mnt/docs/d/e/0000.md',
      '/mnt/docs/d/e/0001.md',
    ]);
    expect(closed.toSorted()).toEqual(['/d', '/d/e']);
  });

  it('has what the host told nothing of found in turn: wherever it is, within a few questions', async () => {
    for (const at of [3, 1_500]) await world.fs.writeFile(`/mnt/docs/a/${nameOf(at)}`, 'changed');
    await world.fs.writeFile('/mnt/docs/c/0002.md', 'changed');
    const found: string[] = [];
    for (let turn = 0; turn < 8; turn++) found.push(...(await look()).met);
    expect(found.toSorted()).toEqual([
      '/mnt/docs/a/0003.md',
      '/mnt/docs/a/1500.md',
      '/mnt/docs/c/0002.md',
    ]);
  });

  it('is looked at below the path that was asked for alone', async () => {
    await world.fs.writeFile('/mnt/docs/b/0001.md', 'changed');
    await world.fs.writeFile('/mnt/docs/c/0001.md', 'changed');
    for (const directory of ['/b', '/c']) watches.get(directory)?.('0001.md');
    expect((await look('/mnt/docs/b')).met).toEqual(['/mnt/docs/b/0001.md']);
    expect((await look('/mnt/docs/c/0001.md')).met).toEqual(['/mnt/docs/c/0001.md']);
  });
});

it('directories for which the host gives no watch are looked at for every question', async () => {
  await fill('/mnt/docs/a', 2_000);
  await fill('/mnt/docs/b', 2);
  given = 2;
  await settled();
  const [unwatched] = ['/', '/a', '/b'].filter((path) => !watches.has(path));
  expect(watches.size).toBe(2);
  await world.fs.writeFile('/mnt/docs/b/0001.md', 'changed');
  watches.get('/b')?.('0001.md');
  const { met, walked } = await look();
  expect(met).toEqual(['/mnt/docs/b/0001.md']);
  expect(walked).toContain(unwatched);
});
