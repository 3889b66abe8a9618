/**
 * A mount whose files are a directory of the host. Nothing outside that
 * directory can be reached through it, whatever links inside it say: the
 * namespace resolves links by itself, and every operation makes sure that the
 * directory it acts in is, on the host, the very one it was asked for
 * ({@link Confinement}).
 *
 * node:fs is called synchronously: a world's worker runs one command at a time,
 * and a synchronous call is five to twenty times cheaper than an asynchronous one.
 */
import fs from 'node:fs';
import { dirname, isAbsolute, relative, resolve } from 'node:path';
import { ConfigError, FsError, isFsError } from '../errors.ts';
import type { Capacity, Dirent, FileType, Mount, MountStat } from '../mount/contract/contract.ts';
import { type Sieve, walkListings } from '../mount/contract/listing.ts';
import type { WalkedFile } from '../mount/contract/walked-file.ts';
import { Confinement } from './confinement.ts';
import {
  appendWhole,
  isTemporary,
  readWhole,
  replaceWhole,
  requireRegular,
  requireReplaceable,
} from './content.ts';
import {
  asFsError,
  hostPath,
  isConfigName,
  isInState,
  isInside,
  isStateName,
  reserved,
  runsOutside,
} from './host.ts';
import { Identities } from './identities.ts';
import { DiskWalk } from './walked.ts';
import { watchDirectory } from './watch.ts';

/** What a disk mount is made with. */
export interface DiskMountOptions {
  /** The directory on the host. It must exist. */
  root: string;
  searchable?: boolean;
  /** Directories of the host that must not be seen through this mount; one called `.dirigent` never is. */
  hidden?: readonly string[];
  /** What is made in it is its owner's alone, as all in a state directory is. */
  isPrivate?: boolean;
  /** How long after a change nothing is concluded from a file's times, in ms; 2 s unless it is said. */
  unsettledMs?: number;
}

/** Does an operation look something up, or would it put something there? */
type Purpose = 'find' | 'put';

/** Files of a host directory. */
export class DiskMount implements Mount {
  readonly kind = 'disk';
  readonly local = true;
  readonly searchable: boolean;
  readonly #root: string;
  readonly #confinement: Confinement;
  readonly #identities: Identities;
  readonly #walk: DiskWalk;
  readonly #hidden: readonly string[];
  /** The rights that files and directories may have. */
  readonly #rights: number;

  /** @throws ConfigError when the directory is missing or no directory. */
  constructor(options: DiskMountOptions) {
    this.#root = existingDirectory(options.root);
    this.#confinement = new Confinement(this.#root);
    this.#identities = new Identities(this.#root, options.unsettledMs);
    this.#walk = new DiskWalk(
      { confinement: this.#confinement, identities: this.#identities },
      (path, kept) =>
        this.#inDirectory(path, (at, host) => kept(at, host, () => this.#entriesAt(at, host))),
    );
    this.#hidden = (options.hidden ?? []).flatMap(hostNames);
    this.#rights = options.isPrivate === true ? 0o700 : 0o777;
    this.searchable = options.searchable ?? false;
  }

  get directory(): string {
    return this.#root;
  }

  capacity(): Capacity {
    const { bsize, blocks, bfree, bavail } = fs.statfsSync(this.#root);
    return { total: blocks * bsize, used: (blocks - bfree) * bsize, free: bavail * bsize };
  }

  /** One call to the host instead of one a component: a path without links is its own real path. */
  hasLinks(path: string): boolean {
    const host = hostPath(this.#root, path);
    if (fs.existsSync(host)) {
      try {
        return fs.realpathSync.native(host) !== host;
      } catch {
        return true;
      }
    }
    // Missing, or something worse, which the operation itself will tell.
    if (path === '/' || !isAbsent(host)) return true;
    return this.hasLinks(path.slice(0, path.lastIndexOf('/')) || '/');
  }

  lacks(path: string): boolean {
    try {
      return this.#confinement.entry(
        path,
        'lstat',
        (at, host) => this.#isHidden(path, host) || isAbsent(at),
      );
    } catch {
      return false;
    }
  }

  async lstat(path: string): Promise<MountStat> {
    const stat = this.#act(path, 'lstat', 'find', (host) => {
      const found = fs.lstatSync(host, { throwIfNoEntry: false });
      if (found === undefined) throw new FsError('ENOENT', { path, op: 'lstat' });
      return found;
    });
    return {
      type: typeOf(stat),
      mode: stat.mode & 0o7777,
      size: stat.size,
      mtime: stat.mtime,
      // The number of a file that is gone is given to a new one at once.
      ino: `${stat.dev}:${stat.ino}:${stat.birthtimeMs}`,
      links: stat.nlink,
    };
  }

  async readdir(path: string): Promise<Dirent[]> {
    return this.#list(path);
  }

  async read(path: string): Promise<Uint8Array> {
    return this.#read(path);
  }

  /** A link that names a host path inside this mount is given as a relative one, which means the same here. */
  async readlink(path: string): Promise<string> {
    return this.#act(path, 'readlink', 'find', (at, host) => {
      const target = fs.readlinkSync(at);
      if (!isAbsolute(target) || !isInside(this.#root, target)) return target;
      return relative(dirname(host), target) || '.';
    });
  }

  async write(path: string, data: Uint8Array): Promise<void> {
    this.#act(path, 'open', 'put', (host) => replaceWhole(host, path, data, this.#rights & 0o644));
  }

  async append(path: string, data: Uint8Array): Promise<void> {
    this.#act(path, 'open', 'put', (host) => appendWhole(host, path, data, this.#rights & 0o644));
  }

  async mkdir(path: string): Promise<void> {
    this.#act(path, 'mkdir', 'put', (host) => fs.mkdirSync(host, this.#rights));
  }

  async unlink(path: string): Promise<void> {
    this.#act(path, 'unlink', 'find', (at) => {
      // unlink(2) of a directory is EPERM on some systems and EISDIR on Linux.
      if (fs.lstatSync(at).isDirectory()) throw new FsError('EISDIR', { path, op: 'unlink' });
      fs.unlinkSync(at);
    });
  }

  async rmdir(path: string): Promise<void> {
    if (path === '/') throw new FsError('EBUSY', { path, op: 'rmdir' });
    this.#act(path, 'rmdir', 'find', (at) => {
      try {
        fs.rmdirSync(at);
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'ENOTEMPTY') throw error;
        this.#sweep(path);
        fs.rmdirSync(at);
      }
    });
  }

  async rename(from: string, to: string): Promise<void> {
    this.#act(to, 'rename', 'put', (target) =>
      this.#act(from, 'rename', 'find', (source, host) => {
        if (this.#hidden.some((hidden) => isInside(host, hidden)))
          throw reserved(from, 'rename', 'EBUSY');
        fs.renameSync(source, target);
      }),
    );
  }

  async symlink(target: string, path: string): Promise<void> {
    this.#act(path, 'symlink', 'put', (at) => fs.symlinkSync(target, at));
  }

  async link(existing: string, path: string): Promise<void> {
    // By its second name it could be written.
    if (isConfigName(nameOf(existing))) throw runsOutside(existing, 'link');
    this.#act(existing, 'link', 'find', (source) =>
      this.#act(path, 'link', 'put', (target) => fs.linkSync(source, target)),
    );
  }

  async chmod(path: string, mode: number): Promise<void> {
    this.#act(path, 'chmod', 'find', () =>
      this.#confinement.pinned(path, 'chmod', (at, stat) => {
        // chmod(2) follows a link, and what that leads to was not looked at.
        if (stat.isSymbolicLink()) throw new FsError('ELOOP', { path, op: 'chmod' });
        // A set-user-ID bit would mean something on the host that the agent must not decide.
        fs.chmodSync(at, mode & this.#rights);
      }),
    );
  }

  async utimes(path: string, mtime: Date): Promise<void> {
    this.#act(path, 'utimes', 'find', (at) => fs.lutimesSync(at, mtime, mtime));
  }

  /**
   * For another program that opens a file by its name: it may be read or written there now, and
   * its name leads over no link.
   * @param purpose `put`: it is written, or made
   * @throws FsError as reading or writing it here would
   */
  requireFile(path: string, purpose: Purpose): void {
    this.#act(path, 'open', purpose, (at) => {
      if (purpose === 'put') requireReplaceable(at, path);
      else requireRegular(at, path);
    });
  }

  async close(): Promise<void> {
    this.#confinement.release();
  }

  walk(path: string, sieve: Sieve | null = null): Iterable<WalkedFile> | null {
    try {
      return walkListings(this.#walk, this.#walk.at(path), path, sieve);
    } catch (error) {
      if (isFsError(error, 'ENOENT')) throw error;
      return null;
    }
  }

  watch(directory: string, changed: (name: string | null) => void): (() => void) | null {
    return this.#identities.isFaithful
      ? watchDirectory(hostPath(this.#root, directory), changed)
      : null;
  }

  #read(path: string): Uint8Array {
    return this.#act(path, 'open', 'find', (host) => readWhole(host, path));
  }

  #list(path: string): Dirent[] {
    return this.#entries(path).map((entry) => ({ name: entry.name, type: typeOf(entry) }));
  }

  #entries(path: string): fs.Dirent[] {
    return this.#inDirectory(path, (at, host) => this.#entriesAt(at, host));
  }

  /** Runs a call on a directory that is listed; a link is none. */
  #inDirectory<T>(path: string, call: (at: string, host: string) => T): T {
    const op = 'scandir';
    try {
      return this.#confinement.directory(path, op, (at, host) => {
        if (this.#isHidden(path, host)) throw new FsError('ENOENT', { path, op });
        return call(at, host);
      });
    } catch (error) {
      throw asFsError(error, path, op);
    }
  }

  /** What a directory holds, in the order of the names. */
  #entriesAt(at: string, host: string): fs.Dirent[] {
    const hides = this.#hidden.some((hidden) => isInside(host, hidden));
    return fs
      .readdirSync(at, { withFileTypes: true })
      .filter(
        ({ name }) =>
          !isTemporary(name) &&
          !isStateName(name) &&
          !(hides && this.#isListed(hostPath(host, `/${name}`))),
      )
      .sort((a, b) => (a.name < b.name ? -1 : 1));
  }

  /** @param path in the mount @param host the same on the host */
  #isHidden(path: string, host: string): boolean {
    return isTemporary(nameOf(path)) || isInState(path) || this.#isListed(host);
  }

  /** Is it, or is it in, one of the directories that the mount was told to hide? */
  #isListed(host: string): boolean {
    return this.#hidden.some((hidden) => isInside(hidden, host));
  }

  /** Removes what killed writes have left, if there is nothing else in the way. */
  #sweep(path: string): void {
    this.#confinement.directory(path, 'rmdir', (at) => {
      const names = fs.readdirSync(at);
      if (!names.every(isTemporary)) throw new FsError('ENOTEMPTY', { path, op: 'rmdir' });
      for (const name of names) fs.rmSync(`${at}/${name}`, { force: true });
    });
  }

  /**
   * Runs one call on what `path` stands for.
   * @param call told where that is reached, and its path on the host
   */
  #act<T>(path: string, op: string, purpose: Purpose, call: (at: string, host: string) => T): T {
    try {
      return this.#confinement.entry(path, op, (at, host) => {
        if (this.#isHidden(path, host)) {
          if (purpose === 'put') throw reserved(path, op, 'EACCES');
          throw new FsError('ENOENT', { path, op });
        }
        if (purpose === 'put' && isConfigName(nameOf(path))) throw runsOutside(path, op);
        return call(at, host);
      });
    } catch (error) {
      throw asFsError(error, path, op);
    }
  }
}

const nameOf = (path: string): string => path.slice(path.lastIndexOf('/') + 1);

function typeOf(entry: { isDirectory(): boolean; isSymbolicLink(): boolean }): FileType {
  return entry.isDirectory() ? 'directory' : entry.isSymbolicLink() ? 'symlink' : 'file';
}

function isAbsent(host: string): boolean {
  try {
    return fs.lstatSync(host, { throwIfNoEntry: false }) === undefined;
  } catch {
    return false;
  }
}

function existingDirectory(root: string): string {
  let stat: fs.Stats;
  try {
    stat = fs.statSync(root);
  } catch (error) {
    throw new ConfigError(
      '',
      `cannot mount the directory ${root}: ${(error as Error).message}`,
      error,
    );
  }
  if (!stat.isDirectory()) throw new ConfigError('', `cannot mount ${root}: it is not a directory`);
  return fs.realpathSync.native(root);
}

/** What a directory of the host is called without links: by its own name, and by that of what it links to. */
function hostNames(path: string): string[] {
  const absent: string[] = [];
  let above = resolve(path);
  // It may be made later: then what is there of the way to it decides.
  while (!fs.existsSync(above) && dirname(above) !== above) {
    absent.unshift(above.slice(above.lastIndexOf('/')));
    above = dirname(above);
  }
  const real = fs.realpathSync.native(above) + absent.join('');
  const parent = fs.realpathSync.native(dirname(above));
  const own = absent.length > 0 ? real : hostPath(parent, above.slice(above.lastIndexOf('/')));
  return [...new Set([real, own])];
}
