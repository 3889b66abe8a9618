/** The tree in memory: what is counted, what is linked, and that operations make it again. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { FsError } from '../errors.ts';
import type { MemoryOp } from './op.ts';
import { ENTRY_BYTES, MemoryTree } from './tree.ts';

const bytes = (text: string): Uint8Array => Buffer.from(text);

/** Who follows links does it before: these are asked for what a path leads to. */
const FOLLOWS = new Set<MemoryOp['op']>(['write', 'append', 'chmod', 'utimes']);

/** A tree of these operations; what fails changes nothing. */
function treeOf(operations: readonly MemoryOp[], tree = new MemoryTree(() => bytes('kept'))) {
  for (const operation of operations) {
    try {
      if (FOLLOWS.has(operation.op) && isLink(tree, operation.path)) continue;
      tree.apply(operation);
    } catch (error) {
      if (!(error instanceof FsError)) throw error;
    }
  }
  return tree;
}

const isLink = (tree: MemoryTree, path: string): boolean =>
  !tree.lacks(path) && tree.lstat(path).type === 'symlink';

/** All that can be seen of a tree, by path. */
function seen(tree: MemoryTree, path = '/'): unknown[] {
  const { ino: _, version: _count, ...stat } = tree.lstat(path);
  if (stat.type === 'symlink') return [path, stat, tree.readlink(path)];
  if (stat.type === 'file') return [path, stat, String(tree.read(path)), tree.storedHash(path)];
  const below = tree
    .readdir(path)
    .map(({ name, type }) => [name, type, seen(tree, `${path === '/' ? '' : path}/${name}`)]);
  return [path, stat, ...below];
}

const path = fc.constantFrom('/a', '/b', '/c', '/a/x', '/a/y', '/b/x', '/a/x/z', '/');
const at = fc.integer({ min: 1, max: 9 }).map((second) => second * 1_000);
const mode = fc.constantFrom(0o644, 0o600, 0o755, 0o4755);
const data = fc.string({ maxLength: 6 }).map(bytes);
const operation: fc.Arbitrary<MemoryOp> = fc.oneof(
  fc.record({ op: fc.constant('write' as const), path, data, at, mode }),
  fc.record({ op: fc.constant('append' as const), path, data, at }),
  fc.record({
    op: fc.constant('stored' as const),
    path,
    hash: fc.constant('h'),
    size: fc.constant(4),
    at,
    mode,
  }),
  fc.record({ op: fc.constant('mkdir' as const), path, at }),
  fc.record({ op: fc.constant('unlink' as const), path, at }),
  fc.record({ op: fc.constant('rmdir' as const), path, at }),
  fc.record({ op: fc.constant('rename' as const), path, to: path, at }),
  fc.record({
    op: fc.constant('symlink' as const),
    path,
    target: fc.constantFrom('a', 'none/é'),
    at,
  }),
  fc.record({ op: fc.constant('link' as const), existing: path, path, at }),
  fc.record({ op: fc.constant('chmod' as const), path, mode }),
  fc.record({ op: fc.constant('utimes' as const), path, at }),
);

test('a tree that is made of another one’s operations is equal to it, and takes as much', () => {
  fc.assert(
    fc.property(fc.array(operation, { maxLength: 40 }), (operations) => {
      const tree = treeOf(operations);
      const copy = new MemoryTree(() => bytes('kept'));
      for (const each of tree.dump()) copy.apply(each);
      expect(seen(copy)).toEqual(seen(tree));
      expect(copy.usedBytes).toBe(tree.usedBytes);
    }),
    { numRuns: 200 },
  );
});

test('what is taken is what the files hold and a share for each name; a second name costs its share alone', () => {
  fc.assert(
    fc.property(fc.array(operation, { maxLength: 40 }), (operations) => {
      const tree = treeOf(operations);
      const files = new Map<unknown, number>();
      let names = 0;
      const count = (place: string): void => {
        for (const { name, type } of tree.readdir(place)) {
          const below = `${place === '/' ? '' : place}/${name}`;
          names += 1;
          if (type === 'directory') count(below);
          else files.set(tree.lstat(below).ino, tree.lstat(below).size);
        }
      };
      count('/');
      const held = [...files.values()].reduce((sum, size) => sum + size, 0);
      expect(tree.usedBytes).toBe(held + names * ENTRY_BYTES);
    }),
    { numRuns: 200 },
  );
  expect(ENTRY_BYTES).toBe(512);
});

test('a change that would take more than the limit fails whole, and one that frees never does', () => {
  const tree = new MemoryTree();
  tree.limitTo(2 * ENTRY_BYTES + 10);
  expect(tree.limitBytes).toBe(2 * ENTRY_BYTES + 10);
  tree.apply({ op: 'write', path: '/a', data: bytes('12345'), at: 1 });
  tree.apply({ op: 'write', path: '/b', data: bytes('12345'), at: 1 });
  const before = seen(tree);
  const full = expect.objectContaining({
    code: 'ENOSPC',
    reason: expect.stringContaining('1034 are taken and this needs 1 more') as string,
  });
  expect(() => tree.apply({ op: 'append', path: '/a', data: bytes('6'), at: 2 })).toThrow(full);
  expect(() => tree.apply({ op: 'mkdir', path: '/c', at: 2 })).toThrow(FsError);
  expect(() => tree.apply({ op: 'symlink', path: '/c', target: 'a', at: 2 })).toThrow(FsError);
  expect(() => tree.apply({ op: 'link', existing: '/a', path: '/c', at: 2 })).toThrow(FsError);
  expect(seen(tree)).toEqual(before);
  tree.apply({ op: 'write', path: '/a', data: bytes('1'), at: 3 });
  tree.apply({ op: 'append', path: '/b', data: bytes('6789'), at: 3 });
  expect(tree.usedBytes).toBe(tree.limitBytes);
});

test('a path is known to lead over a link while there is one in it, however that was named, and no longer', () => {
  const tree = new MemoryTree();
  expect(tree.hasLinks('/a/l')).toBe(false);
  treeOf(
    [
      { op: 'mkdir', path: '/a', at: 1 },
      { op: 'symlink', path: '/a/l', target: 'x', at: 1 },
    ],
    tree,
  );
  const known = (): boolean[] =>
    ['/', '/a', '/a/l', '/a/l/x', '/a/m', '/none/x'].map((each) => tree.hasLinks(each));
  expect(known()).toEqual([false, false, true, true, false, false]);
  tree.apply({ op: 'link', existing: '/a/l', path: '/a/m', at: 1 });
  tree.apply({ op: 'unlink', path: '/a/l', at: 1 });
  expect(known()).toEqual([false, false, false, false, true, false]);
  tree.apply({ op: 'unlink', path: '/a/m', at: 1 });
  expect(known()).toEqual([false, false, false, false, false, false]);
});

test('that nothing is there is certain below directories alone, and of names that are no longer than any may be', () => {
  const short = 'n'.repeat(63);
  const long = 'n'.repeat(64);
  const asked = [
    '/',
    '/a',
    '/b',
    `/${short}`,
    `/${long}`,
    '/f/x',
    '/b/x',
    `/b/${long}`,
    `/a/${long}`,
  ];
  const tree = new MemoryTree();
  const lacks = (): boolean[] => asked.map((each) => tree.lacks(each));
  expect(lacks()).toEqual([false, true, true, true, false, true, true, true, true]);
  treeOf(
    [
      { op: 'mkdir', path: '/a', at: 1 },
      { op: 'write', path: '/f', data: bytes(''), at: 1 },
    ],
    tree,
  );
  expect(lacks()).toEqual([false, false, true, true, false, false, true, true, false]);
});

test('new entries have the modes of a process without a mask, names in code-unit order, and sizes as others see them', () => {
  const tree = treeOf([
    { op: 'stored', path: '/s', hash: 'h', size: 9, at: 8, mode: 0o640 },
    { op: 'write', path: '/f', data: bytes('é'), at: 5 },
    { op: 'mkdir', path: '/d', at: 6 },
    { op: 'symlink', path: '/B', target: 'é/x', at: 7 },
  ]);
  expect(tree.readdir('/').map(({ name }) => name)).toEqual(['B', 'd', 'f', 's']);
  const stats = ['/', '/d', '/f', '/B', '/s'].map((each) => {
    const { type, mode, size, links, mtime } = tree.lstat(each);
    return [type, mode.toString(8), size, links, mtime.getTime()];
  });
  expect(stats).toEqual([
    ['directory', '755', 4096, 1, 7],
    ['directory', '755', 4096, 1, 6],
    ['file', '644', 2, 1, 5],
    ['symlink', '777', 4, 1, 7],
    ['file', '640', 9, 1, 8],
  ]);
  tree.apply({ op: 'chmod', path: '/f', mode: 0o107777 });
  expect(tree.lstat('/f').mode).toBe(0o7777);
});

test('a content that is written anew is another version, also of the same size with its time set back', () => {
  const tree = treeOf([{ op: 'write', path: '/a', data: bytes('one'), at: 7 }]);
  const one = tree.lstat('/a');
  treeOf(
    [
      { op: 'write', path: '/a', data: bytes('two'), at: 8 },
      { op: 'utimes', path: '/a', at: 7 },
    ],
    tree,
  );
  const { version, ...two } = tree.lstat('/a');
  expect(two).toEqual({ ...two, ino: one.ino, mtime: one.mtime, size: one.size });
  expect(version).not.toBe(one.version);
  treeOf([{ op: 'chmod', path: '/a', mode: 0o600 }], tree);
  expect(tree.lstat('/a').version).toBe(version);
});
