/**
 * A snapshot of a tree of files, by content: a directory is a blob that lists
 * its entries with their hashes, so that what is equal is stored once, two
 * snapshots are compared by what differs, and a fork is one hash.
 */
import { FsError } from '../../errors.ts';
import type { Work } from '../../slices.ts';
import type { BlobStore } from '../blobs.ts';

/** A regular file. `hash` is null where its content was not kept: it was too long, or could not be read. */
export interface FileNode {
  type: 'file';
  mode: number;
  size: number;
  /** ms since the epoch */
  mtime: number;
  hash: string | null;
}

export interface LinkNode {
  type: 'symlink';
  target: string;
}

/** A directory, read from the store when it is looked into. */
export interface DirectoryNode {
  type: 'directory';
  mode: number;
  /** The hash of its listing; null while that has changed. */
  hash: string | null;
  entries: Map<string, Node> | null;
  /** Known of a directory that was stored: is something in it, or below it, not kept? */
  partial?: boolean;
  /** Something in it could not be looked at. */
  unread?: boolean;
}

export type Node = FileNode | LinkNode | DirectoryNode;

/** One row of a stored listing. */
type Row =
  | [name: string, type: 'f', mode: number, size: number, mtime: number, hash: string | null]
  | [name: string, type: 'l', target: string]
  /** `partial`: something below was not kept. */
  | [name: string, type: 'd', mode: number, hash: string, partial?: 'partial'];

/** A tree that can be changed and sealed. Paths begin with `/`, which is the root. */
export class Manifest {
  readonly root: DirectoryNode;
  readonly #blobs: BlobStore;

  /** @param hash of a sealed tree; without it the tree is empty */
  constructor(blobs: BlobStore, hash: string | null = null) {
    this.#blobs = blobs;
    this.root = { type: 'directory', mode: 0o755, hash, entries: hash === null ? new Map() : null };
  }

  /** The entries of a directory. Change them through {@link set}. */
  entries(directory: DirectoryNode): Map<string, Node> {
    directory.entries ??= this.#load(directory.hash ?? '');
    return directory.entries;
  }

  get(path: string): Node | undefined {
    let node: Node | undefined = this.root;
    for (const name of split(path)) {
      if (node?.type !== 'directory') return undefined;
      node = this.entries(node).get(name);
    }
    return node;
  }

  /** Puts a node at a path, or takes away what is there. Directories on the way are made. */
  set(path: string, node: Node | undefined): void {
    const names = split(path);
    const last = names.pop();
    if (last === undefined) return;
    let directory = this.root;
    for (const name of names) {
      const next: Node | undefined = this.entries(directory).get(name);
      if (next?.type !== 'directory' && node === undefined) return;
      directory.hash = null;
      if (next?.type === 'directory') directory = next;
      else {
        const made: DirectoryNode = {
          type: 'directory',
          mode: 0o755,
          hash: null,
          entries: new Map(),
        };
        this.entries(directory).set(name, made);
        directory = made;
      }
    }
    const entries = this.entries(directory);
    directory.hash = null;
    if (node === undefined) entries.delete(last);
    else entries.set(last, node);
  }

  /** What was not kept: files without their content, and directories in which something could not be looked at. */
  missing(): string[] {
    return [...this.#missing(this.root, '')];
  }

  /** Directories are read only where something is missing. */
  *#missing(directory: DirectoryNode, path: string): Generator<string> {
    const partial = sorted(this.entries(directory)).filter(([, node]) => isIncomplete(node));
    if (partial.length === 0 && directory.partial === true) yield `${path}/`;
    for (const [name, node] of partial) {
      if (node.type === 'directory') yield* this.#missing(node, `${path}/${name}`);
      else yield `${path}/${name}`;
    }
  }

  /** Stores what has changed; gives the hash of the whole. */
  seal(): Work<string> {
    return this.#seal(this.root);
  }

  /** All nodes below a directory, each directory before what is in it, by name. */
  *walk(from: DirectoryNode = this.root, prefix = ''): Generator<[path: string, node: Node]> {
    for (const [name, node] of sorted(this.entries(from))) {
      yield [`${prefix}/${name}`, node];
      if (node.type === 'directory') yield* this.walk(node, `${prefix}/${name}`);
    }
  }

  *#seal(directory: DirectoryNode): Work<string> {
    if (directory.hash !== null) return directory.hash;
    const entries = sorted(this.entries(directory));
    // Those inside first: their hashes are part of this one.
    for (const [, node] of entries) if (node.type === 'directory') yield* this.#seal(node);
    yield;
    const rows = entries.map(([name, node]): Row => {
      if (node.type === 'symlink') return [name, 'l', node.target];
      if (node.type === 'directory') {
        const hash = node.hash ?? '';
        return node.partial === true
          ? [name, 'd', node.mode, hash, 'partial']
          : [name, 'd', node.mode, hash];
      }
      return [name, 'f', node.mode, node.size, node.mtime, node.hash];
    });
    directory.partial = directory.unread === true || rows.some(isPartial);
    directory.hash = this.#blobs.put(Buffer.from(JSON.stringify(rows)), false);
    return directory.hash;
  }

  #load(hash: string): Map<string, Node> {
    const rows = JSON.parse(this.#blobs.get(hash).toString('utf8')) as Row[];
    return new Map(rows.map((row) => [row[0], nodeOf(row)]));
  }
}

function nodeOf(row: Row): Node {
  switch (row[1]) {
    case 'f':
      return { type: 'file', mode: row[2], size: row[3], mtime: row[4], hash: row[5] };
    case 'l':
      return { type: 'symlink', target: row[2] };
    case 'd':
      return {
        type: 'directory',
        mode: row[2],
        hash: row[3],
        entries: null,
        partial: row[4] === 'partial',
      };
  }
}

const isIncomplete = (node: Node): boolean =>
  (node.type === 'file' && node.hash === null) ||
  (node.type === 'directory' && node.partial === true);

const isPartial = (row: Row): boolean =>
  (row[1] === 'f' && row[5] === null) || (row[1] === 'd' && row[4] === 'partial');

const split = (path: string): string[] => path.split('/').filter((name) => name !== '');

const sorted = (entries: ReadonlyMap<string, Node>): [string, Node][] =>
  [...entries].sort(([a], [b]) => (a < b ? -1 : 1));

/** A path that differs between two trees; a side that has nothing there is undefined. */
export interface Difference {
  path: string;
  before: Node | undefined;
  after: Node | undefined;
}

/** What differs from one sealed tree to another, by path; equal directories are not looked into. */
export function* differences(before: Manifest, after: Manifest): Generator<Difference> {
  yield* differencesIn(before, before.root, after, after.root, '');
}

function* differencesIn(
  a: Manifest,
  before: DirectoryNode | undefined,
  b: Manifest,
  after: DirectoryNode | undefined,
  prefix: string,
): Generator<Difference> {
  if (before?.hash !== null && before?.hash === after?.hash) return;
  const old = before === undefined ? new Map<string, Node>() : a.entries(before);
  const fresh = after === undefined ? new Map<string, Node>() : b.entries(after);
  for (const name of [...new Set([...old.keys(), ...fresh.keys()])].sort()) {
    const path = `${prefix}/${name}`;
    const was = old.get(name);
    const is = fresh.get(name);
    if (!same(was, is)) yield { path, before: was, after: is };
    const wasDirectory = was?.type === 'directory' ? was : undefined;
    const isDirectory = is?.type === 'directory' ? is : undefined;
    if (wasDirectory !== undefined || isDirectory !== undefined) {
      yield* differencesIn(a, wasDirectory, b, isDirectory, path);
    }
  }
}

/** Are two nodes the same by themselves, whatever is in the directory? A time alone is no difference. */
function same(a: Node | undefined, b: Node | undefined): boolean {
  if (a === undefined || b === undefined) return a === b;
  if (a.type === 'symlink' && b.type === 'symlink') return a.target === b.target;
  if (a.type === 'directory' && b.type === 'directory') return a.mode === b.mode;
  if (a.type !== 'file' || b.type !== 'file' || a.mode !== b.mode || a.size !== b.size)
    return false;
  // Where the content was not kept, the time is all that tells.
  return a.hash === null || b.hash === null
    ? a.hash === b.hash && a.mtime === b.mtime
    : a.hash === b.hash;
}

/** @throws FsError ENOTSUP where the content of a file was not kept */
export function requireKept(path: string, node: FileNode): string {
  if (node.hash !== null) return node.hash;
  throw new FsError('ENOTSUP', {
    path,
    op: 'read',
    rule: 'what a snapshot keeps',
    reason: `${path} (${node.size} bytes) was too long to be kept in the snapshot, or could not be read`,
  });
}
