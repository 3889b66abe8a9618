/**
 * memfs's nodes and links, which a memory mount is made of. Loading memfs takes
 * some 150 files: that waits until something is put into a tree, since most
 * worlds have memory mounts and many never write to one.
 */
import { createRequire } from 'node:module';
import type { Volume } from 'memfs';

type Superblock = Volume['_core'];
/** A name in a directory. */
export type Link = Superblock['root'];
/** What a name stands for. */
export type Node = ReturnType<Link['getNode']>;

/** The number that memfs gives the root of a volume. */
export const ROOT_INO = 1;

/** Loads memfs, if nobody has. It is CommonJS, and trees are synchronous. */
export function loadMemfs(): typeof import('memfs') {
  return createRequire(import.meta.url)('memfs') as typeof import('memfs');
}

/** The nodes of a tree, and its root while there are none. */
export class MemoryNodes {
  #blocks: Superblock | null = null;
  #perm = 0o755;
  #mtime = new Date();

  /** Has nothing been put into the root? Then only its mode and time can be asked for. */
  get bare(): boolean {
    return this.#blocks === null;
  }

  get root(): Link {
    return this.#made.root;
  }

  get perm(): number {
    return this.#blocks === null ? this.#perm : this.root.getNode().perm;
  }

  set perm(perm: number) {
    if (this.#blocks === null) this.#perm = perm;
    else this.root.getNode().perm = perm;
  }

  get mtime(): Date {
    return this.#blocks === null ? this.#mtime : this.root.getNode().mtime;
  }

  set mtime(mtime: Date) {
    if (this.#blocks === null) this.#mtime = mtime;
    else this.root.getNode().mtime = mtime;
  }

  /** @param kind the type and mode of it, as `st_mode` has them */
  create(kind: number): Node {
    return this.#made.createNode(kind);
  }

  delete(node: Node): void {
    this.#made.deleteNode(node);
  }

  get #made(): Superblock {
    if (this.#blocks === null) {
      const { Volume } = loadMemfs();
      this.#blocks = new Volume()._core;
      this.perm = this.#perm;
      this.mtime = this.#mtime;
    }
    return this.#blocks;
  }
}
