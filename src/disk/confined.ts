/**
 * A directory of the host that somebody else may write meanwhile, for the host's own reading and
 * writing. As a disk mount is ({@link Confinement}), each call is held to the directory: a link is
 * never followed, and what vanished or was exchanged is not there.
 */
import fs from 'node:fs';
import { basename, dirname } from 'node:path';
import { FsError } from '../errors.ts';
import { Confinement } from './confinement.ts';
import { openRegular, putWhole, readWhole } from './content.ts';
import { asFsError, hostPath, isInside, isOutside } from './host.ts';

/** Paths begin with `/`, which is the directory itself. Failures are FsErrors. */
export class ConfinedDirectory {
  /** Without links. */
  readonly root: string;
  readonly #confinement: Confinement;

  /** @throws the host's error where there is no such directory */
  constructor(root: string) {
    this.root = fs.realpathSync.native(root);
    this.#confinement = new Confinement(this.root);
  }

  /** Runs a call with a directory that is let go of afterwards. */
  static within<T>(root: string, call: (directory: ConfinedDirectory) => T): T {
    const directory = new ConfinedDirectory(root);
    try {
      return call(directory);
    } finally {
      directory.release();
    }
  }

  /**
   * Where a path leads that may have links on its way, as a path without them.
   * @returns null where there is nothing
   * @throws FsError EACCES where it leads out of the directory
   */
  resolve(path: string): string | null {
    return unlessGone(path, 'realpath', () => {
      const real = fs.realpathSync.native(hostPath(this.root, path));
      if (!isInside(this.root, real)) {
        throw new FsError('EACCES', {
          path,
          op: 'realpath',
          reason: 'it is a link that leads out of the directory',
        });
      }
      return real.slice(this.root === '/' ? 0 : this.root.length) || '/';
    });
  }

  /** null where there is nothing. */
  stat(path: string): fs.Stats | null {
    return this.#at(path, 'lstat', (at) => fs.lstatSync(at));
  }

  /** By name; null where there is no such directory. */
  list(path: string): fs.Dirent[] | null {
    return unlessGone(path, 'scandir', () =>
      this.#confinement
        .directory(path, 'scandir', (at) => fs.readdirSync(at, { withFileTypes: true }))
        .sort((a, b) => (a.name < b.name ? -1 : 1)),
    );
  }

  /**
   * null where there is no such file.
   * @param most bytes; what is longer is EFBIG
   */
  read(path: string, most?: number): Uint8Array | null {
    return this.#at(path, 'open', (at) => readWhole(at, path, most));
  }

  /** A descriptor of a regular file, for reading, which the caller closes; null where there is none. */
  open(path: string): number | null {
    return this.#at(path, 'open', (at) => openRegular(at, path)[0]);
  }

  readlink(path: string): string | null {
    return this.#at(path, 'readlink', (at) => fs.readlinkSync(at));
  }

  /** Puts a file in the place of whatever file or link is there, as a whole or not at all. */
  put(path: string, data: Uint8Array, rights: number): void {
    this.#entry(path, 'open', (at) => putWhole(at, data, () => undefined, rights));
  }

  /** Makes the directories on the way to a path. */
  makeDirectories(path: string): void {
    if (path === '/' || this.stat(path)?.isDirectory() === true) return;
    this.makeDirectories(dirname(path));
    this.#entry(path, 'mkdir', (at) => fs.mkdirSync(at, 0o755));
  }

  /** Removes a file, and the directories above it that this leaves empty. */
  remove(path: string): void {
    this.#entry(path, 'unlink', (at) => fs.unlinkSync(at));
    for (let up = dirname(path); up !== '/' && this.list(up)?.length === 0; up = dirname(up))
      this.#entry(up, 'rmdir', (at) => fs.rmdirSync(at));
  }

  release(): void {
    this.#confinement.release();
  }

  #at<T>(path: string, op: string, call: (at: string) => T): T | null {
    return unlessGone(path, op, () => {
      if (path === '/') return this.#confinement.entry(path, op, call);
      const directory = hostPath(this.root, dirname(path));
      return this.#confinement.named(directory, basename(path), path, op, call);
    });
  }

  #entry(path: string, op: string, call: (at: string) => void): void {
    try {
      this.#confinement.entry(path, op, call);
    } catch (error) {
      throw asFsError(error, path, op);
    }
  }
}

/** @returns null where what is asked for was taken away, or is something else by now */
function unlessGone<T>(path: string, op: string, call: () => T): T | null {
  try {
    return call();
  } catch (error) {
    if (isGone(error)) return null;
    throw asFsError(error, path, op);
  }
}

/** What lies behind a link that was put in the place of a directory is not there, either. */
function isGone(error: unknown): boolean {
  if (isOutside(error)) return true;
  const { code } = error as NodeJS.ErrnoException;
  return code !== undefined && GONE.has(code);
}

/** EINVAL, EISDIR, ENXIO: what was a file, or a link, is none any more. */
const GONE: ReadonlySet<string> = new Set([
  'ENOENT',
  'ENOTDIR',
  'EISDIR',
  'ELOOP',
  'EINVAL',
  'ENXIO',
]);
