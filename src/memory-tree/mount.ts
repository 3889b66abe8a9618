/** A mount whose files live in memory. */

import type { Capacity, Dirent, Mount, MountStat } from '../mount/contract/contract.ts';
import type { Sieve } from '../mount/contract/listing.ts';
import type { WalkedFile } from '../mount/contract/walked-file.ts';
import { DEFAULT_MAX_BYTES } from './limit.ts';
import type { MemoryOp } from './op.ts';
import { type LoadStored, MemoryTree } from './tree.ts';

/** What a memory mount is made with. */
export interface MemoryMountOptions {
  /** Told of every change after it was made, in order: feed it to a second {@link MemoryTree} to mirror this one. */
  onChange?: (change: MemoryOp) => void;
  /** Changes that make the tree to begin with, as {@link MemoryTree.dump} gives them. */
  initial?: Iterable<MemoryOp>;
  /** Gives the content of files that {@link initial} has as `stored`. */
  load?: LoadStored;
  /**
   * What its files may take, in bytes as {@link MemoryTree.usedBytes} counts them; 256 MiB by default.
   * More than that is ENOSPC. What {@link initial} brings is let in whatever it takes.
   */
  maxBytes?: number;
  /** May its text be searched by meaning? */
  searchable?: boolean;
}

/** Files in memory, with POSIX rules. */
export class MemoryMount implements Mount {
  readonly kind = 'memory';
  readonly local = true;
  readonly searchable: boolean;
  readonly #tree: MemoryTree;
  readonly #onChange: ((change: MemoryOp) => void) | undefined;

  constructor(options: MemoryMountOptions = {}) {
    this.searchable = options.searchable ?? false;
    this.#tree = new MemoryTree(options.load);
    for (const change of options.initial ?? []) this.#tree.apply(change);
    this.#tree.limitTo(options.maxBytes ?? DEFAULT_MAX_BYTES);
    this.#onChange = options.onChange;
  }

  hasLinks(path: string): boolean {
    return this.#tree.hasLinks(path);
  }

  lacks(path: string): boolean {
    return this.#tree.lacks(path);
  }

  capacity(): Capacity {
    const [total, used] = [this.#tree.limitBytes, this.#tree.usedBytes];
    return { total, used, free: Math.max(0, total - used) };
  }

  async lstat(path: string): Promise<MountStat> {
    return this.#tree.lstat(path);
  }

  async readdir(path: string): Promise<Dirent[]> {
    return this.#tree.readdir(path);
  }

  async read(path: string): Promise<Uint8Array> {
    return this.#tree.read(path);
  }

  async readlink(path: string): Promise<string> {
    return this.#tree.readlink(path);
  }

  walk(path: string, sieve: Sieve | null = null): Iterable<WalkedFile> | null {
    return this.#tree.walk(path, sieve);
  }

  async write(path: string, data: Uint8Array): Promise<void> {
    this.#change({ op: 'write', path, data, at: Date.now() });
  }

  async append(path: string, data: Uint8Array): Promise<void> {
    this.#change({ op: 'append', path, data, at: Date.now() });
  }

  async mkdir(path: string): Promise<void> {
    this.#change({ op: 'mkdir', path, at: Date.now() });
  }

  async unlink(path: string): Promise<void> {
    this.#change({ op: 'unlink', path, at: Date.now() });
  }

  async rmdir(path: string): Promise<void> {
    this.#change({ op: 'rmdir', path, at: Date.now() });
  }

  async rename(path: string, to: string): Promise<void> {
    this.#change({ op: 'rename', path, to, at: Date.now() });
  }

  async symlink(target: string, path: string): Promise<void> {
    this.#change({ op: 'symlink', path, target, at: Date.now() });
  }

  async link(existing: string, path: string): Promise<void> {
    this.#change({ op: 'link', existing, path, at: Date.now() });
  }

  async chmod(path: string, mode: number): Promise<void> {
    this.#change({ op: 'chmod', path, mode });
  }

  async utimes(path: string, mtime: Date): Promise<void> {
    this.#change({ op: 'utimes', path, at: mtime.getTime() });
  }

  #change(change: MemoryOp): void {
    this.#tree.apply(change);
    this.#onChange?.(change);
  }
}
