/**
 * A POSIX tree in memory on memfs's core: its i-nodes, links and buffers, with
 * the rules of rename(2), rmdir(2) and unlink(2) that memfs itself leaves out.
 * Every change is one {@link MemoryOp}, so that a second tree fed with the same
 * operations is equal: that is how files outlive the worker they were made in.
 */
import { type Errno, FsError, isFsError } from '../errors.ts';
import type { Dirent, MountStat } from '../mount/contract/contract.ts';
import { type Sieve, walkListings } from '../mount/contract/listing.ts';
import type { WalkedFile } from '../mount/contract/walked-file.ts';
import { MemoryListings } from './listing.ts';
import { type Link, MemoryNodes, type Node, ROOT_INO } from './memfs.ts';
import { contentOf, dumpFrom, isDot, isEmpty, typeOf } from './nodes.ts';
import type { MemoryOp } from './op.ts';

const DIRECTORY = 0o040000;
const REGULAR = 0o100000;

/** What a directory says its size is. */
const DIRECTORY_BYTES = 4096;

/** What each name counts besides content, so that empty files are not free. */
export const ENTRY_BYTES = 512;

const byName = (a: Dirent, b: Dirent): number => (a.name < b.name ? -1 : 1);

/** Gives content by its hash. */
export type LoadStored = (hash: string) => Uint8Array;

const noStore: LoadStored = (hash) => {
  throw new Error(`this tree has no store to load ${hash} from`);
};

/** The tree. All methods are synchronous and fail with an `FsError`. */
export class MemoryTree {
  readonly #nodes = new MemoryNodes();
  readonly #load: LoadStored;
  /** Files whose content is still elsewhere. */
  readonly #stored = new WeakMap<Node, { hash: string; size: number }>();
  /** How often files were written. */
  readonly #versions = new WeakMap<Node, number>();
  readonly #listings = new MemoryListings((node) => this.#contentOf(node));
  #links = 0;
  #used = 0;
  #limit = Number.POSITIVE_INFINITY;

  /** @param load gives the content of a `stored` file */
  constructor(load: LoadStored = noStore) {
    this.#load = load;
  }

  /** Bytes of all files and link targets, and {@link ENTRY_BYTES} for each name. A file with two names counts once. */
  get usedBytes(): number {
    return this.#used;
  }

  /** From now on a change that would make {@link usedBytes} grow above the limit is ENOSPC. */
  limitTo(bytes: number): void {
    this.#limit = bytes;
  }

  /** What {@link limitTo} allows. */
  get limitBytes(): number {
    return this.#limit;
  }

  /** Is any component of a path a symbolic link? */
  hasLinks(path: string): boolean {
    if (this.#links === 0 || path === '/') return false;
    let link: Link | undefined = this.#nodes.root;
    for (const name of path.slice(1).split('/')) {
      link = link.children.get(name);
      if (link === undefined) return false;
      if (link.getNode().isSymlink()) return true;
    }
    return false;
  }

  /** Carries out one change, or fails and changes nothing. */
  apply(change: MemoryOp): void {
    switch (change.op) {
      case 'write':
        return this.#write(change.path, change.data, change.at, change.mode);
      case 'append':
        return this.#append(change.path, change.data, change.at);
      case 'stored': {
        const { hash, size } = change;
        const { parent, name } = this.#vacant(change.path, 'open');
        this.#grow(ENTRY_BYTES + size, change.path, 'open');
        const node = this.#create(parent, name, REGULAR, change.mode);
        this.#stored.set(node, { hash, size });
        return this.#touch(change.at, node);
      }
      case 'mkdir': {
        const { parent, name } = this.#vacant(change.path, 'mkdir');
        this.#grow(ENTRY_BYTES, change.path, 'mkdir');
        const node = this.#create(parent, name, DIRECTORY, change.mode ?? 0o755);
        return this.#touch(change.at, node, parent.getNode());
      }
      case 'unlink':
        return this.#unlink(change.path, change.at);
      case 'rmdir':
        return this.#rmdir(change.path, change.at);
      case 'rename':
        return this.#rename(change.path, change.to, change.at);
      case 'symlink': {
        const { parent, name } = this.#vacant(change.path, 'symlink');
        this.#grow(ENTRY_BYTES + Buffer.byteLength(change.target), change.path, 'symlink');
        const node = this.#create(parent, name, REGULAR, 0o777);
        node.makeSymlink(change.target);
        node.perm = 0o777;
        this.#links += 1;
        return this.#touch(change.at, node, parent.getNode());
      }
      case 'link':
        return this.#link(change.existing, change.path, change.at);
      case 'chmod':
        this.#inode(change.path, 'chmod').perm = change.mode & 0o7777;
        return;
      case 'utimes':
        this.#inode(change.path, 'utimes').mtime = new Date(change.at);
        return;
    }
  }

  /** Is it certain that nothing is there? Below a file it is not: that is another error. */
  lacks(path: string): boolean {
    const names = path === '/' ? [] : path.slice(1).split('/');
    if (this.#nodes.bare) return names[0] !== undefined && names[0].length <= 63;
    let link: Link | undefined = this.#nodes.root;
    for (const name of names) {
      if (!link.getNode().isDirectory() || name.length > 63) return false;
      link = link.children.get(name);
      if (link === undefined) return true;
    }
    return false;
  }

  lstat(path: string): MountStat {
    if (path === '/' && this.#nodes.bare) {
      const { perm: mode, mtime } = this.#nodes;
      return { type: 'directory', mode, size: DIRECTORY_BYTES, mtime, ino: ROOT_INO, links: 1 };
    }
    const node = this.#at(path, 'lstat').getNode();
    const type = typeOf(node);
    return {
      type,
      mode: node.perm,
      size:
        type === 'symlink'
          ? Buffer.byteLength(node.symlink)
          : type === 'directory'
            ? DIRECTORY_BYTES
            : (this.#stored.get(node)?.size ?? node.getSize()),
      mtime: node.mtime,
      ino: node.ino,
      links: type === 'directory' ? 1 : node.nlink,
      ...(type === 'file' && { version: this.#versions.get(node) ?? 0 }),
    };
  }

  readdir(path: string): Dirent[] {
    if (path === '/' && this.#nodes.bare) return [];
    const link = this.#directory(path, 'scandir');
    const rows: Dirent[] = [];
    for (const [name, child] of link.children) {
      if (child !== undefined && !isDot(name)) rows.push({ name, type: typeOf(child.getNode()) });
    }
    return rows.sort(byName);
  }

  /** The bytes themselves, not a copy. */
  read(path: string): Uint8Array {
    const node = this.#at(path, 'open').getNode();
    if (node.isDirectory()) throw new FsError('EISDIR', { path, op: 'read' });
    return this.#contentOf(node);
  }

  /** The hash under which a file's content is kept; undefined for one that was written here. */
  storedHash(path: string): string | undefined {
    return this.#stored.get(this.#at(path, 'open').getNode())?.hash;
  }

  readlink(path: string): string {
    const node = this.#at(path, 'readlink').getNode();
    if (!node.isSymlink()) throw new FsError('EINVAL', { path, op: 'readlink' });
    return node.symlink;
  }

  /** Regular files below a directory, names in code-unit order, depth first; null for anything else. */
  walk(path: string, sieve: Sieve | null = null): Iterable<WalkedFile> | null {
    if (path === '/' && this.#nodes.bare) return [];
    let link: Link;
    try {
      link = this.#at(path, 'scandir');
    } catch (error) {
      if (isFsError(error, 'ENOTDIR')) return null;
      throw error;
    }
    if (!link.getNode().isDirectory()) return null;
    return walkListings(this.#listings, this.#listings.of(link), path, sieve);
  }

  /** The operations that make an equal tree out of an empty one. */
  *dump(): Generator<MemoryOp> {
    yield { op: 'chmod', path: '/', mode: this.#nodes.perm };
    const make = (path: string, node: Node): MemoryOp => {
      const { perm: mode, mtime } = node;
      const stored = this.#stored.get(node);
      const at = mtime.getTime();
      if (stored !== undefined) return { op: 'stored', path, ...stored, at, mode };
      return { op: 'write', path, data: contentOf(node), at, mode };
    };
    if (!this.#nodes.bare) yield* dumpFrom(this.#nodes.root, '', new Map(), make);
    yield { op: 'utimes', path: '/', at: this.#nodes.mtime.getTime() };
  }

  #contentOf(node: Node): Uint8Array {
    const stored = this.#stored.get(node);
    return stored === undefined ? contentOf(node) : this.#load(stored.hash);
  }

  /** What has the mode and time of a path. */
  #inode(path: string, op: string): Pick<Node, 'perm' | 'mtime'> {
    return path === '/' ? this.#nodes : this.#at(path, op).getNode();
  }

  #at(path: string, op: string): Link {
    const link = this.#find(path, op);
    if (link === undefined) throw new FsError('ENOENT', { path, op });
    return link;
  }

  #find(path: string, op: string): Link | undefined {
    if (path === '/') return this.#nodes.root;
    const names = path.slice(1).split('/');
    if (this.#nodes.bare && Buffer.byteLength(names[0] ?? '') <= 255) return undefined;
    let link = this.#nodes.root;
    for (const name of names) {
      if (!link.getNode().isDirectory()) throw new FsError('ENOTDIR', { path, op });
      if (Buffer.byteLength(name) > 255) throw new FsError('ENAMETOOLONG', { path, op });
      const child = link.children.get(name);
      if (child === undefined) return undefined;
      link = child;
    }
    return link;
  }

  #directory(path: string, op: string): Link {
    const link = this.#at(path, op);
    if (!link.getNode().isDirectory()) throw new FsError('ENOTDIR', { path, op });
    return link;
  }

  #parent(path: string, op: string): { parent: Link; name: string } {
    const cut = path.lastIndexOf('/');
    const name = path.slice(cut + 1);
    if (name === '') throw new FsError('EBUSY', { path, op });
    if (Buffer.byteLength(name) > 255) throw new FsError('ENAMETOOLONG', { path, op });
    const parent = this.#at(path.slice(0, cut) || '/', op);
    if (!parent.getNode().isDirectory()) throw new FsError('ENOTDIR', { path, op });
    return { parent, name };
  }

  #vacant(path: string, op: string): { parent: Link; name: string } {
    if (path === '/') throw new FsError('EEXIST', { path, op });
    const place = this.#parent(path, op);
    if (place.parent.children.has(place.name)) throw new FsError('EEXIST', { path, op });
    return place;
  }

  #create(parent: Link, name: string, kind: number, mode: number): Node {
    const node = this.#nodes.create(kind | mode);
    parent.createChild(name, node);
    this.#listings.renamed(parent);
    return node;
  }

  /** Counts what a change adds or frees, before it is made. */
  #grow(bytes: number, path: string, op: string): void {
    if (bytes > 0 && this.#used + bytes > this.#limit) {
      throw new FsError('ENOSPC', {
        path,
        op,
        rule: `maxBytes ${this.#limit} of a memory mount`,
        reason: `the files of this mount are kept in memory and may take ${this.#limit} bytes; ${this.#used} are taken and this needs ${bytes} more: remove files that are not needed, or have the deployer raise maxBytes of the mount`,
      });
    }
    this.#used += bytes;
  }

  #sizeOf(node: Node): number {
    const target = node.isSymlink() ? Buffer.byteLength(node.symlink) : 0;
    return target + (this.#stored.get(node)?.size ?? node.getSize());
  }

  #rewritten(node: Node): void {
    this.#listings.rewritten(node);
    this.#versions.set(node, (this.#versions.get(node) ?? 0) + 1);
  }

  #touch(at: number, ...nodes: Node[]): void {
    const time = new Date(at);
    for (const node of nodes) node.mtime = time;
  }

  /** @param growth the bytes that a file of a size will grow by */
  #file(
    path: string,
    op: string,
    growth: (size: number) => number,
    at: number,
    mode = 0o644,
  ): Node {
    const { parent, name } = this.#parent(path, op);
    const found = parent.children.get(name);
    if (found === undefined) {
      this.#grow(ENTRY_BYTES + growth(0), path, op);
      const node = this.#create(parent, name, REGULAR, mode);
      this.#touch(at, parent.getNode());
      return node;
    }
    const node = found.getNode();
    if (node.isDirectory()) throw new FsError('EISDIR', { path, op });
    this.#grow(growth(this.#stored.get(node)?.size ?? node.getSize()), path, op);
    return node;
  }

  #write(path: string, data: Uint8Array, at: number, mode?: number): void {
    if (path === '/') throw new FsError('EISDIR', { path, op: 'open' });
    const node = this.#file(path, 'open', (size) => data.length - size, at, mode);
    this.#stored.delete(node);
    node.setBuffer(Buffer.from(data.buffer, data.byteOffset, data.byteLength));
    this.#rewritten(node);
    this.#touch(at, node);
  }

  #append(path: string, data: Uint8Array, at: number): void {
    if (path === '/') throw new FsError('EISDIR', { path, op: 'open' });
    const node = this.#file(path, 'open', () => data.length, at);
    if (this.#stored.has(node)) {
      node.setBuffer(Buffer.from(this.#contentOf(node)));
      this.#stored.delete(node);
    }
    const bytes = Buffer.from(data.buffer, data.byteOffset, data.byteLength);
    node.write(bytes, 0, bytes.length, node.getSize());
    this.#rewritten(node);
    this.#touch(at, node);
  }

  #unlink(path: string, at: number): void {
    const link = this.#at(path, 'unlink');
    if (link.getNode().isDirectory()) throw new FsError('EISDIR', { path, op: 'unlink' });
    this.#drop(link, at);
  }

  #drop(link: Link, at: number): void {
    const node = link.getNode();
    const parent = link.parent as Link;
    parent.deleteChild(link);
    this.#listings.renamed(parent);
    this.#touch(at, parent.getNode());
    if (node.isSymlink()) this.#links -= 1;
    if (!node.isDirectory()) node.nlink -= 1;
    this.#used -= ENTRY_BYTES;
    if (!node.isDirectory() && node.nlink <= 0) this.#used -= this.#sizeOf(node);
    if (node.isDirectory() || node.nlink <= 0) this.#nodes.delete(node);
  }

  #rmdir(path: string, at: number): void {
    const link = this.#directory(path, 'rmdir');
    if (path === '/') throw new FsError('EBUSY', { path, op: 'rmdir' });
    if (!isEmpty(link)) throw new FsError('ENOTEMPTY', { path, op: 'rmdir' });
    this.#drop(link, at);
  }

  /** rename(2): https://man7.org/linux/man-pages/man2/rename.2.html */
  #rename(from: string, to: string, at: number): void {
    const fail = (code: Errno, path = to): never => {
      throw new FsError(code, { path, op: 'rename' });
    };
    if (from === '/' || to === '/') fail('EBUSY', from);
    // As Linux looks: where both are to be, before what is there.
    this.#parent(from, 'rename');
    const { parent, name } = this.#parent(to, 'rename');
    const link = this.#at(from, 'rename');
    if (to === from) return;
    const isDirectory = link.getNode().isDirectory();
    if (`${to}/`.startsWith(`${from}/`)) fail('EINVAL');
    // What is to be replaced holds what is to be moved.
    if (`${from}/`.startsWith(`${to}/`)) fail('ENOTEMPTY');
    const target = parent.children.get(name);
    if (target !== undefined) {
      const node = target.getNode();
      if (node === link.getNode()) return;
      if (node.isDirectory() && !isDirectory) fail('EISDIR');
      if (!node.isDirectory() && isDirectory) fail('ENOTDIR');
      if (node.isDirectory() && !isEmpty(target)) fail('ENOTEMPTY');
      this.#drop(target, at);
    }
    const old = link.parent as Link;
    old.deleteChild(link);
    link.name = name;
    parent.setChild(name, link);
    link.syncSteps();
    this.#listings.renamed(old);
    this.#listings.renamed(parent);
    this.#touch(at, old.getNode(), parent.getNode());
  }

  #link(existing: string, path: string, at: number): void {
    const node = this.#at(existing, 'link').getNode();
    const { parent, name } = this.#vacant(path, 'link');
    if (node.isDirectory()) throw new FsError('EPERM', { path: existing, op: 'link' });
    this.#grow(ENTRY_BYTES, path, 'link');
    node.nlink += 1;
    parent.createChild(name, node);
    this.#listings.renamed(parent);
    if (node.isSymlink()) this.#links += 1;
    this.#touch(at, parent.getNode());
  }
}
