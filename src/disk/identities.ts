/**
 * What tells a file's content on the host from any other it had or will have:
 * device, i-node, size, and the times of the last change of content and i-node.
 * The latter no program can set: every write, truncation and exchange of the
 * content sets it to the clock's. So equal identities are equal bytes, except
 * for a program that goes on storing through a shared mapping of the file: the
 * system notes the time once for what is stored within a write-back interval.
 */
import fs from 'node:fs';
import type { Identity } from '../mount/contract/walked-file.ts';

/**
 * A file changed so shortly before it was looked at may change again within the same time stamp:
 * file systems keep time in steps of up to some ms. The clock may be set meanwhile, by little.
 */
const UNSETTLED_MS = 2_000;

/** File systems that keep that time as POSIX has it, by the types of statfs(2). */
const FAITHFUL: ReadonlySet<number> = new Set([
  0xef53, // ext2, ext3, ext4
  0x58465342, // xfs
  0x9123683e, // btrfs
  0xf2f52010, // f2fs
  0x2fc12fc1, // zfs
  0x01021994, // tmpfs
  0x794c7630, // overlayfs
]);

/** Identities of the files of one file system. */
export class Identities {
  /** Null where its times prove nothing: then no file has an identity. */
  readonly #device: number | null;
  readonly #unsettledMs: number;

  /**
   * @param root a directory of the host; what is mounted below it from elsewhere has no identities
   * @param unsettledMs how long after its last change a file has none
   */
  constructor(root: string, unsettledMs: number = UNSETTLED_MS) {
    this.#unsettledMs = unsettledMs;
    const known = process.platform === 'linux' && FAITHFUL.has(fs.statfsSync(root).type);
    this.#device = known ? fs.statSync(root).dev : null;
  }

  /** Do the times of files prove anything here, and is every change of theirs told by this system? */
  get isFaithful(): boolean {
    return this.#device !== null;
  }

  /** Of a regular file, null while it is too young to have one. */
  of(stat: fs.Stats): Identity | null {
    const { dev, ino, size, mtimeMs, ctimeMs } = stat;
    if (dev !== this.#device || !stat.isFile()) return null;
    return this.#isSettled(ctimeMs) ? [ino, size, mtimeMs, ctimeMs] : null;
  }

  /** Of what names a directory has, as {@link of}. */
  ofDirectory(stat: fs.Stats): Identity | null {
    const { dev, ino, mtimeMs, ctimeMs } = stat;
    if (dev !== this.#device || !stat.isDirectory()) return null;
    return this.#isSettled(ctimeMs) ? [ino, mtimeMs, ctimeMs] : null;
  }

  /** Has a file still an identity that {@link of} gave it? */
  holds(stat: fs.Stats, [ino, size, mtimeMs, ctimeMs]: Identity): boolean {
    return (
      stat.ino === ino &&
      stat.ctimeMs === ctimeMs &&
      stat.mtimeMs === mtimeMs &&
      stat.size === size &&
      stat.dev === this.#device
    );
  }

  #isSettled(ctimeMs: number): boolean {
    return Date.now() - ctimeMs >= this.#unsettledMs;
  }
}
