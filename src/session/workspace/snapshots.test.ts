/** Snapshots of files: what is looked at, read, kept, compared, shown and given back. */
import fs from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { temporaryDirectory } from '../../../test/world/harness.ts';
import { FsError } from '../../errors.ts';
import { atOnce } from '../../slices.ts';
import { BlobStore } from '../blobs.ts';
import type { FileChange } from '../entry.ts';
import { sha256 } from '../line.ts';
import { changedPatch, diffSnapshots } from './diff.ts';
import {
  CHUNK_BYTES,
  diskFiles,
  type FileStat,
  memoryFiles,
  type WorkspaceFiles,
} from './files.ts';
import { Manifest } from './manifest.ts';
import { restoreDirectory } from './restore.ts';
import { StatCache, WorkspaceSnapshots } from './snapshots.ts';

interface Told extends Partial<FileStat> {
  content?: string | Buffer;
  target?: string;
  /** Whoever looks at it, or into it, is refused. */
  refused?: boolean;
  /** It is gone by the time that it is read. */
  gone?: boolean;
}

/** A tree by its paths, and what was read of it. */
function treeOf(told: Readonly<Record<string, Told>>) {
  const read: string[] = [];
  const nodes: Record<string, Told> = { '/': {}, ...told };
  const refuse = (path: string): void => {
    if (nodes[path]?.refused) throw new FsError('EACCES', { path, op: 'open' });
  };
  const isDirectory = (path: string): boolean =>
    path === '/' || Object.keys(nodes).some((each) => each.startsWith(`${path}/`));
  const files: WorkspaceFiles = {
    stat: (path) => {
      const node = nodes[path];
      if (node === undefined && !isDirectory(path)) return null;
      const type =
        node?.type ??
        (node?.target !== undefined
          ? 'symlink'
          : node?.content === undefined
            ? 'directory'
            : 'file');
      const size = node?.size ?? node?.content?.length ?? 0;
      if (type === 'file' && node?.refused && node.content === '') refuse(path);
      return {
        type,
        mode: node?.mode ?? 0o644,
        size,
        mtime: node?.mtime ?? 1_000,
        signature: node?.signature ?? null,
      };
    },
    list: (path) => {
      if (nodes[path]?.gone) return null;
      refuse(path);
      const prefix = path === '/' ? '/' : `${path}/`;
      const below = Object.keys(nodes).filter((each) => each !== '/' && each.startsWith(prefix));
      return [...new Set(below.map((each) => each.slice(prefix.length).split('/')[0] ?? ''))];
    },
    read: (path) => {
      read.push(path);
      refuse(path);
      const { content, gone } = nodes[path] ?? {};
      return gone || content === undefined ? null : Buffer.from(content);
    },
    chunks: (path) => {
      read.push(path);
      refuse(path);
      const { content, gone } = nodes[path] ?? {};
      return gone || content === undefined ? null : [Buffer.from(content)];
    },
    readlink: (path) => nodes[path]?.target ?? null,
  };
  return { files, nodes, read };
}

const blobStore = (): BlobStore => new BlobStore(join(temporaryDirectory(), 'blobs'));

/** What is in a snapshot: files by their content. */
function contents(blobs: BlobStore, hash: string): Record<string, string> {
  const shown: Record<string, string> = {};
  for (const [path, node] of new Manifest(blobs, hash).walk())
    shown[path] =
      node.type === 'file'
        ? node.hash === null
          ? `not kept, ${node.size} bytes`
          : blobs.get(node.hash).toString()
        : node.type === 'symlink'
          ? `→ ${node.target}`
          : 'directory';
  return shown;
}

describe('a snapshot of all', () => {
  const all = (told: Readonly<Record<string, Told>>): Record<string, string> => {
    const blobs = blobStore();
    const hash = atOnce(new WorkspaceSnapshots(treeOf(told).files, blobs).takeAll());
    return contents(blobs, hash);
  };

  test('has files, links and directories; nothing else, and nothing that went meanwhile', () => {
    expect(
      all({
        '/a': { content: 'text' },
        '/d/e/b': { content: 'deep' },
        '/empty': {},
        '/link': { target: 'a' },
        '/lost': { type: 'symlink' },
        '/pipe': { type: 'other' },
        '/gone': { content: 'x', gone: true },
        '/left': { gone: true },
      }),
    ).toEqual({
      '/a': 'text',
      '/d': 'directory',
      '/d/e': 'directory',
      '/d/e/b': 'deep',
      '/empty': 'directory',
      '/link': '→ a',
    });
  });

  test('lists what may not be read, and what is too long', () => {
    const most = 64 * 1024 * 1024;
    expect(
      all({
        '/a': { content: 'text' },
        '/secret': { content: 'x', refused: true },
        '/vault': { refused: true },
        '/large': { content: 'x', size: most + 1 },
      }),
    ).toEqual({
      '/a': 'text',
      '/secret': 'not kept, 1 bytes',
      '/vault': 'directory',
      '/large': `not kept, ${most + 1} bytes`,
    });
  });

  test('reads long files in pieces', () => {
    const long = 'x'.repeat(CHUNK_BYTES + 1);
    expect(
      all({ '/a': { content: long }, '/b': { content: 'x', size: CHUNK_BYTES + 5, gone: true } }),
    ).toEqual({
      '/a': long,
    });
  });

  test('says that a directory was not seen whole', () => {
    const blobs = blobStore();
    const { files } = treeOf({
      '/d/a': { content: '', refused: true },
      '/d/b': { content: 'b' },
      '/e/c': { content: 'c' },
    });
    const manifest = new Manifest(blobs, atOnce(new WorkspaceSnapshots(files, blobs).takeAll()));
    expect(contents(blobs, manifest.root.hash ?? '')).toMatchObject({ '/d/b': 'b', '/e/c': 'c' });
    const [d, e] = ['/d', '/e'].map((path) => manifest.get(path));
    expect([d, e]).toMatchObject([{ partial: true }, { type: 'directory' }]);
    expect(e).not.toMatchObject({ partial: true });
  });

  test('does not read again what looks as it did, in this process or the next', () => {
    const blobs = blobStore();
    const kept = join(temporaryDirectory(), 'stats.json');
    const tree = treeOf({
      '/a': { content: 'one', signature: 's1' },
      '/b': { content: 'two', signature: null },
    });
    const take = (): string[] => {
      tree.read.length = 0;
      const snapshots = new WorkspaceSnapshots(tree.files, blobs, new StatCache(kept));
      atOnce(snapshots.takeAll());
      snapshots.save();
      return [...tree.read];
    };
    expect([take(), take()]).toEqual([['/a', '/b'], ['/b']]);
    tree.nodes['/a'] = { content: 'new', signature: 's2' };
    expect([take(), take()]).toEqual([['/a', '/b'], ['/b']]);
    // What is lost is read again.
    fs.rmSync(blobs.file(sha256('new')));
    expect(take()).toEqual(['/a', '/b']);
    fs.writeFileSync(kept, 'no JSON');
    expect(take()).toEqual(['/a', '/b']);
    // What is gone is known no more.
    tree.nodes['/a'] = { gone: true, content: 'x', signature: 's9' };
    tree.nodes['/c'] = { content: 'three', signature: 's3' };
    take();
    expect(JSON.parse(fs.readFileSync(kept, 'utf8')).map(([path]: [string]) => path)).toEqual([
      '/c',
    ]);
  });

  test('takes the word of files that know their content', () => {
    const blobs = blobStore();
    const hash = blobs.put(Buffer.from('known'), false);
    const tree = treeOf({ '/a': { content: 'known' } });
    const files = { ...tree.files, storedHash: () => hash };
    expect(contents(blobs, atOnce(new WorkspaceSnapshots(files, blobs).takeAll()))).toEqual({
      '/a': 'known',
    });
    expect(tree.read).toEqual([]);
    atOnce(new WorkspaceSnapshots({ ...tree.files, storedHash: () => undefined }, blobs).takeAll());
    expect(tree.read).toEqual(['/a']);
  });
});

describe('what has changed', () => {
  const hash = (text: string): string => sha256(text);

  function following(told: Readonly<Record<string, Told>>) {
    const blobs = blobStore();
    const tree = treeOf(told);
    const snapshots = new WorkspaceSnapshots(tree.files, blobs);
    const first = atOnce(snapshots.takeAll());
    const take = (...paths: string[]): FileChange[] => atOnce(snapshots.take(paths));
    return { blobs, tree, first, take, sealed: () => contents(blobs, atOnce(snapshots.seal())) };
  }

  test('is told of the paths that are looked at, and of all below them', () => {
    const { tree, take, sealed } = following({
      '/a': { content: 'a' },
      '/d/b': { content: 'b' },
      '/d/c': { content: 'c' },
      '/e': { content: 'e' },
    });
    tree.nodes['/a'] = { content: 'new' };
    tree.nodes['/d/b'] = { content: 'newer' };
    tree.nodes['/d/n/x'] = { content: 'x' };
    delete tree.nodes['/d/c'];
    tree.nodes['/e'] = { content: 'not looked at' };
    expect(take('/a', '/d', '/')).toEqual([
      { path: '/a', before: hash('a'), after: hash('new') },
      { path: '/d/b', before: hash('b'), after: hash('newer') },
      { path: '/d/c', before: hash('c'), after: null },
      { path: '/d/n/x', before: null, after: hash('x') },
    ]);
    expect(take('/a', '/d')).toEqual([]);
    expect(sealed()).toEqual({
      '/a': 'new',
      '/d': 'directory',
      '/d/b': 'newer',
      '/d/n': 'directory',
      '/d/n/x': 'x',
      '/e': 'e',
    });
  });

  test('may be what a path is', () => {
    const { tree, take, sealed } = following({
      '/f': { content: 'f' },
      '/d/x': { content: 'x' },
      '/l': { target: 't' },
    });
    delete tree.nodes['/f'];
    tree.nodes['/f/y'] = { content: 'y' };
    delete tree.nodes['/d/x'];
    tree.nodes['/d'] = { content: 'd' };
    tree.nodes['/l'] = { target: 'u' };
    expect(take('/f', '/d', '/l', '/none')).toEqual([
      { path: '/f', before: hash('f'), after: null },
      { path: '/f/y', before: null, after: hash('y') },
      { path: '/d', before: null, after: hash('d') },
      { path: '/d/x', before: hash('x'), after: null },
    ]);
    expect(sealed()).toEqual({ '/f': 'directory', '/f/y': 'y', '/d': 'd', '/l': '→ u' });
  });

  test('is not told of what may not be looked at', () => {
    const { tree, take, sealed } = following({ '/a': { content: 'a' }, '/b': { content: 'b' } });
    tree.nodes['/a'] = { content: '', refused: true };
    tree.nodes['/b'] = { content: 'c' };
    expect(take('/a', '/b').map(({ path }) => path)).toEqual(['/b']);
    expect(sealed()).toEqual({ '/a': 'a', '/b': 'c' });
  });

  test('is compared with where it began', () => {
    const { blobs, tree, first } = following({ '/a': { content: 'a' }, '/b': { content: 'b' } });
    tree.nodes['/a'] = { content: 'c' };
    const later = new WorkspaceSnapshots(tree.files, blobs, new StatCache(null), first);
    expect(atOnce(later.take(['/a', '/b'])).map(({ path }) => path)).toEqual(['/a']);
    expect(contents(blobs, atOnce(later.seal()))).toEqual({ '/a': 'c', '/b': 'b' });
  });

  test('is shown as a patch, a file after the other', () => {
    const { blobs, tree, first } = following({
      '/a': { content: 'one\ntwo\n' },
      '/bin': { content: Buffer.from([0, 1]) },
      '/bin-mode': { content: Buffer.from([0, 9]) },
      '/huge': { content: 'x', size: 2 ** 26 + 1 },
      '/d/x': { content: 'x\n' },
      '/l': { target: 't' },
      '/mode': { content: 'm\n' },
      '/old': { content: 'old\n' },
      '/same': { content: 's' },
    });
    const { nodes } = tree;
    nodes['/a'] = { content: 'one\n2\n', mode: 0o755 };
    nodes['/bin'] = { content: Buffer.from([0, 2]) };
    delete nodes['/d/x'];
    nodes['/l'] = { target: 'u' };
    nodes['/mode'] = { content: 'm\n', mode: 0o600 };
    delete nodes['/old'];
    nodes['/new'] = { content: 'new\n' };
    nodes['/sub'] = {};
    nodes['/huge'] = { content: 'x', size: 2 ** 27 };
    nodes['/bin-mode'] = { content: Buffer.from([0, 9]), mode: 0o600 };
    const then = atOnce(new WorkspaceSnapshots(tree.files, blobs).takeAll());
    expect(diffSnapshots(blobs, first, first)).toBe('');
    const patch = diffSnapshots(blobs, first, then);
    expect(patch).toContain(
      'mode of workspace/a: 644 → 755\n--- a/workspace/a\n+++ b/workspace/a\n@@ -1,2 +1,2 @@\n one\n-two\n+2\n',
    );
    expect(patch).toContain('file workspace/bin changed\n');
    expect(patch).toContain('file workspace/huge changed\n');
    expect(patch).toContain('mode of workspace/bin-mode: 644 → 600\n');
    expect(patch).not.toContain('file workspace/bin-mode');
    expect(patch).toContain('directory workspace/d removed\n');
    expect(patch).toContain('--- a/workspace/d/x\n+++ /dev/null\n@@ -1,1 +0,0 @@\n-x\n');
    expect(patch).toContain('-link to t\n+link to u\n');
    expect(patch).toMatch(/mode of workspace\/mode: 644 → 600\n(?!--- a\/workspace\/mode)/);
    expect(patch).toContain('--- /dev/null\n+++ b/workspace/new\n@@ -0,0 +1,1 @@\n+new\n');
    expect(patch).toContain('--- a/workspace/old\n+++ /dev/null\n');
    expect(patch).toContain('directory workspace/sub added\n');
    expect(patch).not.toContain('same');
  });

  test('of one file is shown by what the log says of it', () => {
    const blobs = blobStore();
    const put = (content: string | Buffer): string => blobs.put(Buffer.from(content), false);
    const [one, two, binary] = [put('one\n'), put('two\n'), put(Buffer.from([0xff]))];
    const patch = (
      before: string | null | undefined,
      after: string | null | undefined,
    ): string | null =>
      changedPatch(blobs, {
        path: '/x',
        ...(before === undefined ? {} : { before }),
        ...(after === undefined ? {} : { after }),
      });
    expect(patch(one, two)).toBe('--- a/x\n+++ b/x\n@@ -1,1 +1,1 @@\n-one\n+two\n');
    expect(patch(null, one)).toBe('--- /dev/null\n+++ b/x\n@@ -0,0 +1,1 @@\n+one\n');
    expect(patch(one, null)).toBe('--- a/x\n+++ /dev/null\n@@ -1,1 +0,0 @@\n-one\n');
    expect([
      patch(one, binary),
      patch(binary, null),
      patch(undefined, one),
      patch(one, undefined),
    ]).toEqual([null, null, null, null]);
    expect(() => patch(sha256('lost'), one)).toThrow('EIO');
  });
});

describe('of a directory of the host', () => {
  const at = (root: string): Record<string, string> => {
    const blobs = blobStore();
    return contents(blobs, atOnce(new WorkspaceSnapshots(diskFiles(root), blobs).takeAll()));
  };

  /** A directory with some of everything. */
  function directory(): string {
    const root = join(temporaryDirectory(), 'root');
    fs.mkdirSync(join(root, 'd', 'e'), { recursive: true });
    fs.writeFileSync(join(root, 'a'), 'text', { mode: 0o600 });
    fs.writeFileSync(join(root, 'd', 'b'), 'deep');
    fs.symlinkSync('../a', join(root, 'd', 'l'));
    return root;
  }

  test('files are what they are', () => {
    const root = directory();
    expect(at(root)).toEqual({
      '/a': 'text',
      '/d': 'directory',
      '/d/b': 'deep',
      '/d/e': 'directory',
      '/d/l': '→ ../a',
    });
    const files = diskFiles(root, [join(root, 'd')]);
    fs.utimesSync(join(root, 'a'), 1, 1);
    expect(files.stat('/a')).toMatchObject({ type: 'file', mode: 0o600, size: 4, mtime: 1_000 });
    expect([files.stat('/d'), files.stat('/none')]).toEqual([null, null]);
    const all = diskFiles(root);
    expect(['/d', '/d/l'].map((path) => all.stat(path)?.type)).toEqual(['directory', 'symlink']);
    expect([
      all.readlink('/d/l'),
      all.list('/none'),
      all.read('/none'),
      all.chunks('/none'),
    ]).toEqual(['../a', null, null, null]);
    expect(Buffer.concat([...(all.chunks('/a') ?? [])]).toString()).toBe('text');
    for (const each of [files, all]) each.release?.();
  });

  test('a file that changed just now may change again: nothing tells that it is the same', () => {
    const root = directory();
    const files = diskFiles(root);
    fs.writeFileSync(join(root, 'a'), 'new');
    expect(files.stat('/a')?.signature).toBeNull();
    files.release?.();
  });

  test('it becomes what a snapshot was, and nothing else of it is touched', () => {
    const root = directory();
    const blobs = blobStore();
    const take = (): string => atOnce(new WorkspaceSnapshots(diskFiles(root), blobs).takeAll());
    fs.utimesSync(join(root, 'a'), 5, 5);
    fs.chmodSync(join(root, 'd', 'e'), 0o700);
    const before = take();
    const untouched = fs.statSync(join(root, 'd', 'b')).ino;
    fs.writeFileSync(join(root, 'a'), 'other');
    fs.chmodSync(join(root, 'a'), 0o644);
    fs.rmdirSync(join(root, 'd', 'e'));
    fs.writeFileSync(join(root, 'd', 'e'), 'a file now');
    fs.rmSync(join(root, 'd', 'l'));
    fs.symlinkSync('elsewhere', join(root, 'd', 'l'));
    fs.mkdirSync(join(root, 'n', 'm'), { recursive: true });
    fs.writeFileSync(join(root, 'n', 'm', 'x'), 'x');
    const after = take();
    expect(restoreDirectory(root, blobs, after, before).sort()).toEqual([
      '/a',
      '/d/e',
      '/d/l',
      '/n',
      '/n/m',
      '/n/m/x',
    ]);
    expect(at(root)).toEqual({
      '/a': 'text',
      '/d': 'directory',
      '/d/b': 'deep',
      '/d/e': 'directory',
      '/d/l': '→ ../a',
    });
    const { mtimeMs, mode } = fs.statSync(join(root, 'a'));
    expect([mtimeMs, mode & 0o777, fs.statSync(join(root, 'd', 'e')).mode & 0o777]).toEqual([
      5_000, 0o600, 0o700,
    ]);
    expect(fs.statSync(join(root, 'd', 'b')).ino).toBe(untouched);
    restoreDirectory(root, blobs, before, after);
    expect(at(root)).toMatchObject({
      '/a': 'other',
      '/d/e': 'a file now',
      '/d/l': '→ elsewhere',
      '/n/m/x': 'x',
    });
    expect(restoreDirectory(root, blobs, after, after)).toEqual([]);
  });

  test('nothing is changed where some content is lost', () => {
    const root = directory();
    const blobs = blobStore();
    const take = (): string => atOnce(new WorkspaceSnapshots(diskFiles(root), blobs).takeAll());
    const before = take();
    fs.writeFileSync(join(root, 'a'), 'other');
    fs.writeFileSync(join(root, 'd', 'b'), 'other, too');
    const after = take();
    fs.rmSync(blobs.file(sha256('deep')));
    expect(() => restoreDirectory(root, blobs, after, before)).toThrow('EIO');
    expect(at(root)).toMatchObject({ '/a': 'other', '/d/b': 'other, too' });
  });
});

test('a tree in memory is read as one of the host is', () => {
  const tree = {
    lstat: (path: string) => {
      if (path === '/none') throw new FsError('ENOENT', { path, op: 'stat' });
      if (path === '/a/x') throw new FsError('ENOTDIR', { path, op: 'stat' });
      if (path === '/secret') throw new FsError('EACCES', { path, op: 'stat' });
      return { type: 'file' as const, mode: 0o644, size: 3, mtime: new Date(7) };
    },
    readdir: () => [{ name: 'a' }],
    read: () => Buffer.alloc(CHUNK_BYTES + 1, 'x'),
    readlink: () => 't',
    storedHash: () => 'h',
  };
  const files = memoryFiles(tree as unknown as Parameters<typeof memoryFiles>[0]);
  expect(files.stat('/a')).toEqual({
    type: 'file',
    mode: 0o644,
    size: 3,
    mtime: 7,
    signature: null,
  });
  expect([files.stat('/none'), files.stat('/a/x')]).toEqual([null, null]);
  expect(() => files.stat('/secret')).toThrow(FsError);
  expect([files.list('/'), files.readlink('/l'), files.storedHash?.('/a')]).toEqual([
    ['a'],
    't',
    'h',
  ]);
  expect([...(files.chunks('/a') ?? [])].map(({ length }) => length)).toEqual([CHUNK_BYTES, 1]);
  expect(files.read('/a')).toHaveLength(CHUNK_BYTES + 1);
});
