/**
 * The contract of a mount: a file system that the namespace attaches at a
 * path. A mount knows nothing of other mounts, of permissions or of where it
 * is attached: its own root is `/`, and what may be changed is decided above.
 */

import type { Progress } from './activity.ts';
import type { Sieve } from './listing.ts';
import type { PlannedCall, ProgramInput, ProgramOutput } from './program.ts';
import type { WalkedFile } from './walked-file.ts';
import type { Heard, Told } from './webhook.ts';

/** What a directory entry is. */
export type FileType = 'file' | 'directory' | 'symlink';

/** Attributes of one entry, the entry itself and never what a link points to. */
export interface MountStat {
  type: FileType;
  /** Permission bits, e.g. 0o644. */
  mode: number;
  /** Bytes. A mount that does not know yet gives an estimate above 0. */
  size: number;
  /** When it was changed last; of a service, its own updated time. */
  mtime: Date;
  /** Distinguishes two entries of one mount; the same for two names of one file. */
  ino?: number | string;
  /** How many names a file has; 1 where it is not said. */
  links?: number;
  /** Another number once the content was written anew, of files whose times can be set back; where it is not said, size and time tell. */
  version?: number;
}

/** One row of a listing. */
export interface Dirent {
  name: string;
  type: FileType;
}

/** What a mount spent since it was made. */
export interface MountUsage {
  /** Requests sent to a service, 304s included. */
  requests: number;
  /** Bytes of bodies received and sent. */
  bytes: number;
  /** Of these, what was asked behind the reads, for which nobody waited. */
  behind?: { requests: number; bytes: number };
}

/** What a mount has room for. Bytes. */
export interface Capacity {
  total: number;
  used: number;
  /** What may still be written. */
  free: number;
}

/** Who a service takes us for, and what it still allows. */
export interface Probe {
  /** As the service calls the owner of the credential; null where it does not tell, or there is none. */
  account: string | null;
  /** Of the service's window of requests; null where it has none, or does not tell. */
  limit: { remaining: number; of: number /** ISO 8601, UTC. */; resetAt: string } | null;
}

/**
 * Paths are absolute in the mount, normalised, without `.`/`..`/trailing `/`.
 * Every method fails with an `FsError`; the namespace has resolved links in all
 * but the last component, and asks only for what is allowed. A mutator that is
 * absent is not possible here: the namespace answers EPERM.
 */
export interface Mount {
  /** What it is, for messages: `memory`, `disk`, `tracker` … */
  readonly kind: string;
  /** True when its text may be searched by meaning. */
  readonly searchable: boolean;
  /**
   * True when a write is a transaction with something outside: the namespace
   * then holds an empty write back until the data, or the command's end, comes.
   */
  readonly transactional?: boolean;
  /** The directory of the host that its files are in: two mounts of one show the same files. */
  readonly directory?: string;
  /** True when it keeps who changed it: it is then called on their behalf. */
  readonly authored?: boolean;
  /** True when a file may hold more or less than its size says: whoever needs to know has it read. */
  readonly sizedByRead?: boolean;
  /** True when no operation waits for anything outside the process: such a mount needs no time-out. */
  readonly local?: boolean;
  /** False when no component of a path is a symbolic link; resolving it then asks nothing more. */
  hasLinks?(path: string): boolean;
  /** True when nothing is at a path (ENOENT), known at once: it spares the making of an error. */
  lacks?(path: string): boolean;

  /**
   * False where nothing can ever be at a path: no row of a service's table stands for it. Asks
   * nobody. Absent, any name may be taken.
   */
  canHave?(path: string): boolean;

  /** Its room; absent, or null, where nobody can tell. */
  capacity?(): Capacity | null;

  /** Attributes of the entry itself. @throws FsError ENOENT, ENOTDIR */
  lstat(path: string): Promise<MountStat>;
  /** The entries of a directory, in any order, complete. @throws FsError ENOENT, ENOTDIR */
  readdir(path: string): Promise<Dirent[]>;
  /** The whole file. The caller must not change the bytes. */
  read(path: string): Promise<Uint8Array>;
  /** Where a link points, as it was made. @throws FsError EINVAL where it is no link */
  readlink?(path: string): Promise<string>;

  /**
   * Of a file that is a program: what a call with these words would do, or what is answered without
   * one, such as help or what is wrong with the words. null where the file is no program. The gate is
   * asked between this and the call.
   */
  plan?(path: string, input: ProgramInput): Promise<PlannedCall | ProgramOutput | null>;

  /** Creates or replaces. The parent must exist (ENOENT). */
  write?(path: string, data: Uint8Array): Promise<void>;
  /** Adds at the end, creating the file if it is missing. */
  append?(path: string, data: Uint8Array): Promise<void>;
  /** Makes one directory; the parent must exist (ENOENT), and nothing may be there (EEXIST). */
  mkdir?(path: string): Promise<void>;
  /** Removes a file or a link. */
  unlink?(path: string): Promise<void>;
  /** Removes an empty directory (ENOTEMPTY). */
  rmdir?(path: string): Promise<void>;
  /** Can {@link removeTree} remove this directory? Answered without asking a service. */
  removesTree?(path: string): boolean;
  /** Removes a directory with all that is below it, as one change. */
  removeTree?(path: string): Promise<void>;
  /** Moves within the mount, replacing a file as rename(2) does. */
  rename?(from: string, to: string): Promise<void>;
  /** Makes a link. The target is kept as it is given; nothing may be at the path (EEXIST). */
  symlink?(target: string, path: string): Promise<void>;
  /** Gives a file of this mount a second name; nothing may be at the path (EEXIST). */
  link?(existing: string, path: string): Promise<void>;
  /** Sets the permission bits, 0 to 0o7777. */
  chmod?(path: string, mode: number): Promise<void>;
  /** Sets the time of the last change. */
  utimes?(path: string, mtime: Date): Promise<void>;

  /**
   * Fetches what lies under a directory in bulk, so that reads that follow ask
   * nothing. Fails when something could not be asked, after everything else was.
   */
  prefetch?(path: string): Promise<void>;
  /**
   * The regular files under a directory, links not followed, in the order of
   * their names (UTF-16 code units), without awaiting: for mounts whose text is
   * at hand. null where the mount cannot promise to be complete, and where the
   * path is no directory or leads over a link: both must be known at the call.
   * A directory that is not there is ENOENT at the call.
   * @param sieve knows of files that they need not be given; whoever pays no heed to it gives them
   */
  walk?(path: string, sieve?: Sieve | null): Iterable<WalkedFile> | null;
  /**
   * From now on tells of every change of a name in a directory, and of what the file of that name
   * holds: once the event loop has polled, of all that was done before. Not of what is done through
   * another name of a file, or through a mapping. null where that cannot be had.
   * @param changed told the name in the directory; null where any may have changed
   * @returns ends it
   */
  watch?(directory: string, changed: (name: string | null) => void): (() => void) | null;
  /**
   * True where reading or listing a path now would cost a request of its own: a recursive
   * walk skips it and says so, unless it is named. What is at hand is not costly.
   */
  costly?(path: string): boolean;
  /**
   * Has this file no end? Then a read gives the beginning of it alone, and a command that takes
   * that for the whole fails. Most mounts have no such file.
   */
  endless?(path: string): boolean;
  /**
   * Does an operation that is given up after so many ms: what takes longer makes do with what there
   * is, or says before that how far it is, and goes on behind the answer. Without it an operation
   * takes as long as it takes.
   */
  within?<T>(ms: number, operation: () => Promise<T>): Promise<T>;
  /** What it spent so far; absent where it asks nobody. */
  usage?(): MountUsage;
  /** What is fetched at this moment. */
  progress?(): Progress[];
  /** How fresh and how complete the last prefetch of this very path left it; null when there was none. */
  coverage?(path: string): string | null;
  /** Asks the service as little as tells whether it can be reached, with this credential. Throws its failure. */
  probe?(): Promise<Probe>;
  /**
   * The service has said what happened: what is held of it is asked for again, by as many requests
   * as that takes, and what is not held is not. A failure to be asked fails nothing here: it is a
   * notice, and the next read meets it.
   */
  hear?(events: readonly Told[]): Promise<Heard[]>;
  /**
   * A text that is the same as long as every `lstat` and `readdir` would say the same as before, and
   * would ask nothing of a service; once it was another, it does not come back. null, or absent, where
   * that cannot be told. It asks nobody, and costs microseconds.
   */
  stamp?(): string | null;
  /** Lets go of what it holds. Nothing is asked of it afterwards. */
  close?(): Promise<void>;
}

/** What a mount point allows. `stage`: a write becomes a pending change. */
export const MODES = ['ro', 'rw', 'append', 'stage'] as const;
/** What may be done in a mount, or at a path of it. */
export type Mode = (typeof MODES)[number];
