/** The files of a world for a client that names them by paths with links, and opens them by flags. */
import { constants } from 'node:fs';
import { FsError, isFsError } from '../../errors.ts';
import { childOf, nameOf, parentOf, resolvePath } from '../../paths.ts';
import type { WorldFs, WorldMount } from '../../world/world.ts';
import { FileSystem } from '../files/file-system.ts';
import type { OpenLimits } from '../files/limits.ts';
import type { KernelStat } from '../files/stat.ts';
import { wholePoints } from '../files/whole-points.ts';
import { LocalFiles } from '../files/world-files.ts';
import { isLink, OWNER } from './sftp-listing.ts';
import { type Attributes, OPEN } from './sftp-packets.ts';

/** Handles, and bytes that the open files have at once. */
export const LIMITS = { handles: 1024, bytes: 512 * 1024 * 1024 };

/** As many links as Linux follows: path_resolution(7). */
const MOST_LINKS = 40;

/** Every client's answers are asked for: they are few, and what another one does is seen at once. */
const FRESHNESS = { local: 0, service: 0 };

const NEW_FILE = 0o644;

export class SftpFiles {
  readonly files: FileSystem;
  readonly #fs: WorldFs;
  /** Opens are done one after the other: two that make one file find one another. */
  #opening: Promise<unknown> = Promise.resolve();

  constructor(
    fs: WorldFs,
    mounts: readonly Pick<WorldMount, 'point' | 'service'>[],
    limits: OpenLimits = LIMITS,
  ) {
    this.#fs = fs;
    this.files = new FileSystem({
      files: new LocalFiles(fs),
      inMemory: [],
      elsewhere: [],
      services: wholePoints(mounts),
      seenAt: null,
      socket: null,
      freshness: FRESHNESS,
      owner: { uid: OWNER, gid: OWNER },
      limits,
      keptBytes: 0,
      movesOverMounts: true,
      // What is not committed by a close is not committed.
      onTrouble: () => undefined,
    });
  }

  /**
   * The path without links on its way; the last name need not be there.
   * @param follow is the last name followed, too?
   * @throws FsError ELOOP
   */
  async real(path: string, follow: boolean): Promise<string> {
    let next = path;
    for (let links = 0; links <= MOST_LINKS; links++) {
      if (next === '/') return next;
      const above = await this.#fs.realpath(parentOf(next));
      const whole = childOf(above, nameOf(next));
      const stat = follow ? await this.#there(whole) : null;
      if (stat === null || !isLink(stat)) return whole;
      next = resolvePath(above, await this.files.names.readlink(whole));
    }
    throw new FsError('ELOOP', { path, op: 'open' });
  }

  /** Attributes with the true size: clients read no further than they were told. */
  async stat(path: string, follow: boolean): Promise<KernelStat> {
    return this.files.exactStat(await this.real(path, follow));
  }

  /**
   * @param sent the flags of the request
   * @param mode permission bits of a file that is made
   * @returns the handle
   * @throws FsError as open(2)
   */
  open(path: string, sent: number, mode = NEW_FILE): Promise<number> {
    const opened = this.#opening.then(() => this.#open(path, sent, mode));
    this.#opening = opened.catch(() => undefined);
    return opened;
  }

  async #open(path: string, sent: number, mode: number): Promise<number> {
    const has = (flag: number): boolean => (sent & flag) !== 0;
    const alone = has(OPEN.CREAT) && has(OPEN.EXCL);
    const whole = await this.real(path, !alone);
    const { handles } = this.files;
    if ((await this.#there(whole)) === null) {
      if (!has(OPEN.CREAT)) throw new FsError('ENOENT', { path, op: 'open' });
      return (await handles.create(whole, mode, flagsOf(has), null)).fd;
    }
    if (alone) throw new FsError('EEXIST', { path, op: 'open' });
    return (await handles.open(whole, flagsOf(has), null)).fd;
  }

  /** Gives a file other attributes. @param path without links */
  async set(path: string, given: Attributes): Promise<void> {
    refuseOwner(given, path);
    const { size, mode, atime, mtime } = given;
    if (size !== undefined) await this.files.handles.truncate(path, size);
    if (mode !== undefined) await this.files.chmod(path, mode & 0o7777);
    if (mtime !== undefined && atime !== undefined)
      await this.files.utimes(path, timeOf(atime), timeOf(mtime));
  }

  /** The same of an open file. */
  async setOpen(handle: number, { size, ...given }: Attributes): Promise<void> {
    const { handles } = this.files;
    if (size !== undefined) await handles.resize(handle, size);
    const rest = Object.values(given).some((value) => value !== undefined);
    if (!rest) return;
    const path = handles.nameOf(handle);
    if (path === null) return;
    // What is set holds for what was written, too: a commit later would give it a new time.
    await handles.sync(handle);
    return this.set(path, given);
  }

  async #there(path: string): Promise<KernelStat | null> {
    try {
      return await this.files.stat(path);
    } catch (error) {
      if (isFsError(error, 'ENOENT')) return null;
      throw error;
    }
  }
}

/** The flags of open(2). */
function flagsOf(has: (flag: number) => boolean): number {
  const writes = has(OPEN.WRITE) || has(OPEN.APPEND);
  const access = !writes
    ? constants.O_RDONLY
    : has(OPEN.READ)
      ? constants.O_RDWR
      : constants.O_WRONLY;
  return (
    access | (has(OPEN.APPEND) ? constants.O_APPEND : 0) | (has(OPEN.TRUNC) ? constants.O_TRUNC : 0)
  );
}

const timeOf = (seconds: number) => ({ seconds, nanoseconds: 0 });

function refuseOwner({ uid, gid }: Attributes, path: string): void {
  // Who says of a file that it is whose it is says nothing new.
  if ((uid ?? OWNER) === OWNER && (gid ?? OWNER) === OWNER) return;
  throw new FsError('EPERM', {
    path,
    op: 'chown',
    rule: 'files have no owners here',
    reason: 'who may do what with a file is said by the policy; it has no owner to change',
  });
}
