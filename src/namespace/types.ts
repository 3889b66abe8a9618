/** What the namespace offers to the shell and its commands, beyond just-bash's file system. */
import type { IFileSystem } from 'just-bash';
import type { FsError } from '../errors.ts';

/** A row of a listing, with its type: what walkers need so as not to stat each entry. */
export type DirentEntry = Awaited<
  ReturnType<NonNullable<IFileSystem['readdirWithFileTypes']>>
>[number];

/** A regular file met by {@link NamespaceFs.walk}. */
export interface NamespaceFile {
  /** Absolute path in the namespace. */
  path: string;
  /** Its bytes, not to be changed; null when they must be read with `readFileBuffer`. */
  bytes(): Uint8Array | null;
}

/**
 * The root file system. Everything that a front end, the shell or a command
 * does to a file goes through it, and through its one gate.
 */
export interface NamespaceFs extends IFileSystem {
  readdirWithFileTypes(path: string): Promise<DirentEntry[]>;
  /** Lets the mounts under a directory fetch in bulk. Failing is left to the reads that follow. */
  prefetch(path: string): Promise<void>;
  /**
   * All regular files under a directory, over mounts, links not followed,
   * depth first, names in code-unit order, without awaiting. null where some
   * mount cannot promise a complete answer at once: then walk with `readdir`.
   */
  walk(path: string): Iterable<NamespaceFile> | null;
  /** May this path be searched by meaning? */
  searchable(path: string): boolean;
  /** Errors since the command began, oldest first; commands that mask errors are mended with them. */
  errorsSince(mark: number): readonly FsError[];
  /** The mark that {@link errorsSince} takes. */
  errorMark(): number;
}
