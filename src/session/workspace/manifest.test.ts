/** Snapshots of a tree by content. */
import { expect, test } from 'vitest';
import { temporaryDirectory } from '../../../test/temporary-directory.ts';
import { BlobStore } from '../blobs.ts';
import { differences, type FileNode, Manifest, type Node, requireKept } from './manifest.ts';

function open(): BlobStore {
  const made = temporaryDirectory();
  return new BlobStore(made);
}

const file = (hash: string | null, more: Partial<FileNode> = {}): FileNode => ({
  type: 'file',
  mode: 0o644,
  size: 1,
  mtime: 1,
  hash,
  ...more,
});

const directory = (mode = 0o755): Node => ({
  type: 'directory',
  mode,
  hash: null,
  entries: new Map(),
});

function manifestOf(blobs: BlobStore, nodes: Record<string, Node>, from?: string): Manifest {
  const manifest = new Manifest(blobs, from);
  for (const [path, node] of Object.entries(nodes)) manifest.set(path, node);
  return manifest;
}

/** Stores it. */
function sealed(manifest: Manifest): string {
  for (const work = manifest.seal(); ; ) {
    const { done, value } = work.next();
    if (done === true) return value;
  }
}

const paths = (manifest: Manifest): string[] => [...manifest.walk()].map(([path]) => path);

/** What differs, a word a path. */
const changes = (before: Manifest, after: Manifest): string[] =>
  [...differences(before, after)].map(
    ({ path, before: was, after: is }) =>
      `${was === undefined ? '+' : is === undefined ? '-' : '~'}${path}`,
  );

const nodes = (): Record<string, Node> => ({
  '/b': file('b', { mode: 0o600, size: 7, mtime: 9 }),
  '/a/y/z': file('z'),
  '/a/x': { type: 'symlink', target: '../b' },
  '/a/e': directory(0o700),
});

test('a sealed tree comes back from its hash with all that was in it, each directory before what is in it', () => {
  const blobs = open();
  const hash = sealed(manifestOf(blobs, nodes()));
  const again = new Manifest(blobs, hash);
  expect(paths(again)).toEqual(['/a', '/a/e', '/a/x', '/a/y', '/a/y/z', '/b']);
  for (const path of ['/b', '/a/x', '/a/y/z']) expect(again.get(path)).toEqual(nodes()[path]);
  expect(again.get('/a/e')).toMatchObject({ type: 'directory', mode: 0o700 });
  expect(again.get('/a/y')).toMatchObject({ type: 'directory', mode: 0o755 });
  expect([again.get('/none'), again.get('/b/below'), again.get('/a/none/x')]).toEqual([
    undefined,
    undefined,
    undefined,
  ]);
  expect(again.get('/')).toBe(again.root);
});

test('equal trees have one hash, in whatever order they were made; a change and its reverse, too', () => {
  const blobs = open();
  const hash = sealed(manifestOf(blobs, nodes()));
  const reversed = Object.fromEntries(Object.entries(nodes()).reverse());
  expect(sealed(manifestOf(blobs, reversed))).toBe(hash);
  const changed = manifestOf(blobs, { '/a/y/new': file('n') }, hash);
  const other = sealed(changed);
  expect(other).not.toBe(hash);
  changed.set('/a/y/new', undefined);
  expect(sealed(changed)).toBe(hash);
  changed.set('/none/x', undefined);
  changed.set('/', file('x'));
  expect(sealed(changed)).toBe(hash);
});

test('a file in the way of a directory gives way to it', () => {
  const blobs = open();
  const manifest = manifestOf(blobs, { '/b': file('b'), '/b/c': file('c') });
  expect(paths(manifest)).toEqual(['/b', '/b/c']);
});

test('two trees differ by what was made, removed or changed, directories with all that is in them', () => {
  const blobs = open();
  const before = new Manifest(blobs, sealed(manifestOf(blobs, nodes())));
  const compare = (change: (manifest: Manifest) => void): string[] => {
    const after = new Manifest(blobs, before.root.hash);
    change(after);
    return changes(before, new Manifest(blobs, sealed(after)));
  };
  expect(compare(() => undefined)).toEqual([]);
  expect(compare((after) => after.set('/a/new/x', file('n')))).toEqual(['+/a/new', '+/a/new/x']);
  expect(compare((after) => after.set('/a', undefined))).toEqual([
    '-/a',
    '-/a/e',
    '-/a/x',
    '-/a/y',
    '-/a/y/z',
  ]);
  expect(compare((after) => after.set('/a', file('a')))).toEqual([
    '~/a',
    '-/a/e',
    '-/a/x',
    '-/a/y',
    '-/a/y/z',
  ]);
  expect(compare((after) => after.set('/a/x', { type: 'symlink', target: 'b' }))).toEqual([
    '~/a/x',
  ]);
  expect(compare((after) => after.set('/a/e', directory(0o755)))).toEqual(['~/a/e']);
  expect(compare((after) => after.set('/a/x', file('x')))).toEqual(['~/a/x']);
});

test('of two files a time alone is no difference, but where a content was not kept', () => {
  const blobs = open();
  const differ = (one: FileNode, other: FileNode): boolean => {
    const [a, b] = [one, other].map(
      (node) => new Manifest(blobs, sealed(manifestOf(blobs, { '/f': node }))),
    );
    return changes(a as Manifest, b as Manifest).length > 0;
  };
  expect(differ(file('a'), file('a', { mtime: 2 }))).toBe(false);
  expect(differ(file('a'), file('b'))).toBe(true);
  expect(differ(file('a'), file('a', { mode: 0o755 }))).toBe(true);
  expect(differ(file('a'), file('a', { size: 2 }))).toBe(true);
  expect(differ(file(null), file(null, { mtime: 2 }))).toBe(true);
  expect(differ(file(null), file('a'))).toBe(true);
  expect(differ(file(null), file(null))).toBe(false);
});

test('what was not kept is named: files without their content, and directories that could not be looked into', () => {
  const blobs = open();
  const unread = { ...directory(), unread: true } as Node;
  const manifest = manifestOf(blobs, {
    ...nodes(),
    '/long/deep/file': file(null),
    '/shut': unread,
    '/shut/seen': file('s'),
  });
  const hash = sealed(manifest);
  for (const each of [manifest, new Manifest(blobs, hash)])
    expect(each.missing()).toEqual(['/long/deep/file', '/shut/']);
  expect(manifestOf(blobs, nodes()).missing()).toEqual([]);
  expect(requireKept('/a', file('a'))).toBe('a');
  expect(() => requireKept('/long', file(null, { size: 12 }))).toThrow(
    expect.objectContaining({
      code: 'ENOTSUP',
      reason: expect.stringContaining('/long (12 bytes)') as string,
    }),
  );
});
