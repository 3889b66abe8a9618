/** A tree in memory answers as a directory of this machine does, change for change. */
import fs from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type FsError, isFsError } from '../errors.ts';
import type { MemoryOp } from './op.ts';
import { ENTRY_BYTES, MemoryTree } from './tree.ts';

const names = fc.constantFrom('a', 'b', 'c');
const paths = fc.array(names, { minLength: 1, maxLength: 3 }).map((parts) => `/${parts.join('/')}`);
const data = fc.constantFrom('', 'x', 'more').map((text) => Buffer.from(text));
const at = fc.integer({ min: 1, max: 1e6 }).map((second) => second * 1000);
const changes: fc.Arbitrary<MemoryOp> = fc.oneof(
  fc.record({ op: fc.constant('write' as const), path: paths, data, at }),
  fc.record({ op: fc.constant('append' as const), path: paths, data, at }),
  fc.record({ op: fc.constant('mkdir' as const), path: paths, at }),
  fc.record({ op: fc.constant('mkdir' as const), path: paths, at }),
  fc.record({ op: fc.constant('unlink' as const), path: paths, at }),
  fc.record({ op: fc.constant('rmdir' as const), path: paths, at }),
  fc.record({ op: fc.constant('rename' as const), path: paths, to: paths, at }),
  fc.record({ op: fc.constant('rename' as const), path: paths, to: paths, at }),
  fc.record({ op: fc.constant('link' as const), existing: paths, path: paths, at }),
  fc.record({
    op: fc.constant('chmod' as const),
    path: paths,
    mode: fc.constantFrom(0o700, 0o755),
  }),
);

/** The same change in a directory of the machine. */
function carryOut(root: string, change: MemoryOp): void {
  const path = join(root, change.path);
  switch (change.op) {
    case 'write':
      return fs.writeFileSync(path, change.data);
    case 'append':
      return fs.appendFileSync(path, change.data);
    case 'mkdir':
      return fs.mkdirSync(path);
    case 'unlink':
      return fs.unlinkSync(path);
    case 'rmdir':
      return fs.rmdirSync(path);
    case 'rename':
      return fs.renameSync(path, join(root, change.to));
    case 'link':
      return fs.linkSync(join(root, change.existing), path);
    case 'chmod':
      return fs.chmodSync(path, change.mode);
    default:
      throw new Error(change.op);
  }
}

const codeOf = (work: () => void): string => {
  try {
    work();
    return 'done';
  } catch (error) {
    return (error as FsError).code;
  }
};

/** What is below a directory: type, mode, names and content of each. */
function inTree(tree: MemoryTree, path = '/'): unknown[] {
  return tree.readdir(path).flatMap(({ name, type }) => {
    const inner = `${path === '/' ? '' : path}/${name}`;
    const { mode, links, size } = tree.lstat(inner);
    if (type === 'directory') return [[inner, type, mode], ...inTree(tree, inner)];
    return [[inner, type, mode, links, size, Buffer.from(tree.read(inner)).toString()]];
  });
}

function onDisk(root: string, path = '/'): unknown[] {
  return fs
    .readdirSync(join(root, path))
    .sort()
    .flatMap((name) => {
      const inner = `${path === '/' ? '' : path}/${name}`;
      const stat = fs.lstatSync(join(root, inner));
      const mode = stat.mode & 0o7777;
      if (stat.isDirectory()) return [[inner, 'directory', mode], ...onDisk(root, inner)];
      return [
        [inner, 'file', mode, stat.nlink, stat.size, fs.readFileSync(join(root, inner), 'utf8')],
      ];
    });
}

/** Linux says EPERM of a directory that is unlinked; a name says what it is, as POSIX allows. */
const alike = (code: string): string =>
  code === 'EPERM' || code === 'EISDIR' ? 'directory' : code;

test('any changes come to the same files, and the same errors', () => {
  const umask = process.umask(0o022);
  const root = fs.mkdtempSync(join(tmpdir(), 'posix-'));
  let count = 0;
  try {
    fc.assert(
      fc.property(fc.array(changes, { minLength: 5, maxLength: 25 }), (all) => {
        const own = join(root, String(count++));
        fs.mkdirSync(own);
        const tree = new MemoryTree();
        for (const change of all) {
          const [made, real] = [
            codeOf(() => tree.apply(change)),
            codeOf(() => carryOut(own, change)),
          ];
          expect(alike(made), JSON.stringify(change)).toBe(alike(real));
        }
        expect(inTree(tree)).toEqual(onDisk(own));
        // An equal tree is made of what it dumps, and takes as much.
        const second = new MemoryTree();
        for (const change of tree.dump()) second.apply(change);
        expect(inTree(second)).toEqual(inTree(tree));
        expect(second.usedBytes).toBe(tree.usedBytes);
      }),
      { numRuns: 150 },
    );
  } finally {
    process.umask(umask);
    fs.rmSync(root, { recursive: true });
  }
});

/** A tree of files, with a link and a second name. */
function grown(): MemoryTree {
  const tree = new MemoryTree();
  const write = (path: string, text: string) =>
    tree.apply({ op: 'write', path, data: Buffer.from(text), at: 1000 });
  tree.apply({ op: 'mkdir', path: '/d', at: 1000 });
  tree.apply({ op: 'mkdir', path: '/d/e', at: 2000 });
  write('/d/e/f', 'one');
  write('/d/z', 'two');
  write('/a', 'three');
  tree.apply({ op: 'symlink', path: '/d/l', target: 'z', at: 3000 });
  tree.apply({ op: 'link', existing: '/a', path: '/d/b', at: 4000 });
  return tree;
}

test('the root, links and what is no such thing are told apart by their errors', () => {
  const tree = grown();
  const op = (change: MemoryOp) => codeOf(() => tree.apply(change));
  const data = Buffer.from('x');
  expect(op({ op: 'write', path: '/', data, at: 1 })).toBe('EISDIR');
  expect(op({ op: 'append', path: '/', data, at: 1 })).toBe('EISDIR');
  expect(op({ op: 'mkdir', path: '/', at: 1 })).toBe('EEXIST');
  expect(op({ op: 'rmdir', path: '/', at: 1 })).toBe('EBUSY');
  expect(op({ op: 'rename', path: '/', to: '/x', at: 1 })).toBe('EBUSY');
  expect(op({ op: 'rename', path: '/a', to: '/', at: 1 })).toBe('EBUSY');
  expect(op({ op: 'rename', path: '/d', to: '/d/e/x', at: 1 })).toBe('EINVAL');
  expect(op({ op: 'rename', path: '/d/e', to: '/d', at: 1 })).toBe('ENOTEMPTY');
  expect(op({ op: 'rename', path: '/a', to: '/d/b', at: 1 })).toBe('done');
  expect(op({ op: 'symlink', path: '/a', target: 'x', at: 1 })).toBe('EEXIST');
  expect(op({ op: 'chmod', path: '/none', mode: 0 })).toBe('ENOENT');
  expect(op({ op: 'utimes', path: '/a/x', at: 0 })).toBe('ENOTDIR');
  const long = 'x'.repeat(256);
  for (const path of [`/${long}`, `/${'é'.repeat(128)}`, `/d/${long}`, `/d/${long}/x`])
    expect(op({ op: 'mkdir', path, at: 1 }), path.slice(0, 5)).toBe('ENAMETOOLONG');
  expect(op({ op: 'mkdir', path: `/${'x'.repeat(255)}`, at: 1 })).toBe('done');
  expect(codeOf(() => new MemoryTree().lstat(`/${long}`))).toBe('ENAMETOOLONG');
  expect(codeOf(() => new MemoryTree().lstat(`/${'x'.repeat(255)}`))).toBe('ENOENT');
  expect(codeOf(() => tree.read('/d'))).toBe('EISDIR');
  expect(codeOf(() => tree.readdir('/a'))).toBe('ENOTDIR');
  expect(codeOf(() => tree.readlink('/a'))).toBe('EINVAL');
  expect([tree.readlink('/d/l'), tree.lstat('/d/l').size]).toEqual(['z', 1]);
  expect(isFsError(new Error('x'))).toBe(false);
});

test('a change gives its time to what it makes and to the directory that it is in', () => {
  const tree = grown();
  const time = (path: string) => tree.lstat(path).mtime.getTime();
  expect(['/d', '/d/e', '/d/e/f', '/d/l', '/a'].map(time)).toEqual([4000, 1000, 1000, 3000, 1000]);
  tree.apply({ op: 'rename', path: '/d/z', to: '/d/e/z', at: 7000 });
  expect(['/d', '/d/e', '/d/e/z'].map(time)).toEqual([7000, 7000, 1000]);
  tree.apply({ op: 'unlink', path: '/d/e/z', at: 8000 });
  tree.apply({ op: 'append', path: '/a', data: Buffer.from('!'), at: 9000 });
  expect(['/d/e', '/a', '/d/b'].map(time)).toEqual([8000, 9000, 9000]);
  tree.apply({ op: 'chmod', path: '/', mode: 0o41700 });
  tree.apply({ op: 'utimes', path: '/', at: 5 });
  expect([tree.lstat('/').mode, time('/')]).toEqual([0o1700, 5]);
});

test('a file whose content is kept elsewhere is as large, is read from there, and is its own once written', () => {
  const stored = new Map([['h', Buffer.from('kept')]]);
  const tree = new MemoryTree((hash) => stored.get(hash) ?? Buffer.from('?'));
  const make = (path: string) =>
    tree.apply({ op: 'stored', path, hash: 'h', size: 4, at: 1000, mode: 0o600 });
  make('/a');
  make('/b');
  make('/c');
  expect(tree.lstat('/a')).toMatchObject({ size: 4, mode: 0o600, mtime: new Date(1000) });
  expect(tree.usedBytes).toBe(3 * (ENTRY_BYTES + 4));
  expect([Buffer.from(tree.read('/a')).toString(), tree.storedHash('/a')]).toEqual(['kept', 'h']);
  tree.apply({ op: 'append', path: '/a', data: Buffer.from(' on'), at: 2000 });
  tree.apply({ op: 'write', path: '/b', data: Buffer.from('new'), at: 2000 });
  tree.apply({ op: 'unlink', path: '/c', at: 2000 });
  expect(Buffer.from(tree.read('/a')).toString()).toBe('kept on');
  expect([tree.storedHash('/a'), tree.storedHash('/b'), tree.lstat('/a').size]).toEqual([
    undefined,
    undefined,
    7,
  ]);
  expect(tree.usedBytes).toBe(2 * ENTRY_BYTES + 7 + 3);
  expect(codeOf(() => make('/a'))).toBe('EEXIST');
  expect(() =>
    new MemoryTree().apply({ op: 'stored', path: '/s', hash: 'h', size: 1, at: 1, mode: 0 }),
  ).not.toThrow();
  const lone = new MemoryTree();
  lone.apply({ op: 'stored', path: '/s', hash: 'h', size: 1, at: 1, mode: 0o600 });
  expect(() => lone.read('/s')).toThrow('no store to load h from');
  expect([...tree.dump()].map(({ op }) => op)).toEqual(['chmod', 'write', 'write', 'utimes']);
});

test('a walk meets the files below a directory in order, and tells a content from an earlier one', () => {
  const tree = grown();
  const walk = (path: string) => [...(tree.walk(path) ?? [])];
  expect(walk('/').map(({ path }) => path)).toEqual(['/a', '/d/b', '/d/e/f', '/d/z']);
  expect(walk('/d/e').map(({ path }) => path)).toEqual(['/d/e/f']);
  expect([tree.walk('/a'), tree.walk('/a/x'), tree.walk('/d/l')]).toEqual([null, null, null]);
  expect(codeOf(() => tree.walk('/none'))).toBe('ENOENT');
  expect([...(new MemoryTree().walk('/') ?? ['x'])]).toEqual([]);
  const text = (path: string) =>
    Object.fromEntries(
      walk(path).map((file) => [file.path, Buffer.from(file.bytes() ?? []).toString()]),
    );
  expect(text('/d')).toEqual({ '/d/b': 'three', '/d/e/f': 'one', '/d/z': 'two' });
  const identities = () =>
    Object.fromEntries(walk('/').map((file) => [file.path, JSON.stringify(file.identity())]));
  const before = identities();
  expect(before['/a']).toBe(before['/d/b']);
  expect(identities()).toEqual(before);
  tree.apply({ op: 'append', path: '/d/b', data: Buffer.from('!'), at: 1 });
  const after = identities();
  expect(Object.keys(after).filter((path) => after[path] !== before[path])).toEqual(['/a', '/d/b']);
  tree.apply({ op: 'rename', path: '/d/z', to: '/y', at: 1 });
  tree.apply({ op: 'unlink', path: '/a', at: 1 });
  expect(identities()).toEqual({
    '/d/b': after['/d/b'],
    '/d/e/f': after['/d/e/f'],
    '/y': after['/d/z'],
  });
  expect(identities()['/y']).not.toBe(JSON.stringify(grown().walk('/d/z')));
});
