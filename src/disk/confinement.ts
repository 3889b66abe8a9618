/**
 * How an operation is held to the root of a disk mount while others move the
 * directories on its way: not a path is acted on but a directory that is open.
 *
 * On Linux the directory is opened, its name is asked of the kernel
 * (`/proc/self/fd/N`), and the operation goes to `/proc/self/fd/N/NAME`: what
 * anybody puts in the directory's old place meanwhile is another one. Where
 * there is no such directory of descriptors the name is resolved before and
 * after the operation. That keeps what was read from being handed out; a write
 * that meets a link put there between the two is reported, but it has been made.
 */
import fs from 'node:fs';
import { FsError } from '../errors.ts';
import { hostPath, isInside, outside } from './host.ts';

const { O_DIRECTORY, O_NOFOLLOW } = fs.constants;

/** Linux's O_PATH, which node:fs does not name: a place in the tree, not opened for reading. */
const O_PATH = 0o10000000;

/** A directory that is gone through is asked for its name again after so many ms, at the latest. */
const CHECKED_MS = 10;

interface OpenDirectory {
  /** Its path on the host. */
  directory: string;
  descriptor: number;
  /** Where it is reached: `/proc/PID/fd/N`. */
  at: string;
}

/** Runs calls on host paths that cannot lead out of a root. */
export class Confinement {
  readonly #root: string;
  /** Where open directories are named, null where they are not. */
  readonly #descriptors: string | null;
  /** What one operation asks of a directory the next one often asks too: it stays open until another one is. */
  #last: OpenDirectory | null = null;
  /**
   * When a walk found the last directory where its name says; 0 once the job in which that was has
   * ended. A walk takes file after file of a directory, and nothing else of ours comes between:
   * the system's own tools hold a directory open just so while they read what is in it.
   */
  #checkedAt = 0;
  /** Is a call under way in the last directory? One within it opens its own. */
  #inUse = false;

  /**
   * @param root a real path of the host
   * @param descriptors where open directories are named, null for nowhere. Asked of the host unless given.
   */
  constructor(root: string, descriptors: string | null = descriptorsOfHost()) {
    this.#root = root;
    this.#descriptors = descriptors;
  }

  /**
   * Runs a call on an entry, whose directory is the one that its name says.
   * @param call told where the entry is reached, and what its path on the host is; it must not follow
   *   a link in the last component
   */
  entry<T>(path: string, op: string, call: (at: string, host: string) => T): T {
    const host = this.#hostPath(path, op);
    const cut = path.lastIndexOf('/');
    const name = path === '/' ? '.' : path.slice(cut + 1);
    const directory = path === '/' ? host : hostPath(this.#root, path.slice(0, cut) || '/');
    return this.#within(directory, directory, path, op, (open) =>
      call(open === directory ? host : `${open}/${name}`, host),
    );
  }

  /**
   * Reads an entry of a directory that is gone through, name after name. The directory is asked for
   * its name once, and then not again before the job ends, or {@link CHECKED_MS} have passed.
   * @param directory its path on the host
   */
  named<T>(directory: string, name: string, path: string, op: string, call: (at: string) => T): T {
    const last = this.#last;
    const checked = last?.directory === directory && Date.now() - this.#checkedAt < CHECKED_MS;
    if (checked && !this.#inUse) return call(`${last.at}/${name}`);
    return this.#within(directory, directory, path, op, (open) => {
      this.#checkedAt = Date.now();
      queueMicrotask(() => {
        this.#checkedAt = 0;
      });
      return call(hostPath(open, `/${name}`));
    });
  }

  /** Closes the directory that is kept open. */
  release(): void {
    if (this.#last !== null) fs.closeSync(this.#last.descriptor);
    this.#last = null;
  }

  /** Runs a call on a directory itself, which may list it and act on what it holds. */
  directory<T>(path: string, op: string, call: (at: string, host: string) => T): T {
    const host = this.#hostPath(path, op);
    const above = path === '/' ? host : host.slice(0, host.lastIndexOf('/')) || '/';
    return this.#within(host, above, path, op, (open) => {
      // Listing follows a link in the last component, which no flag forbids.
      if (open === host && fs.lstatSync(host).isSymbolicLink())
        throw new FsError('ENOTDIR', { path, op });
      return call(open === host ? host : `${open}/.`, host);
    });
  }

  /**
   * Runs a call on one file, whatever it is, that nothing can be put in the place of.
   * @param call told a path that leads to the very file, and what it is
   */
  pinned<T>(path: string, op: string, call: (at: string, stat: fs.Stats) => T): T {
    return this.entry(path, op, (at) => {
      if (this.#descriptors === null) return call(at, fs.lstatSync(at));
      const file = fs.openSync(at, O_PATH | O_NOFOLLOW);
      try {
        return call(`${this.#descriptors}/${file}`, fs.fstatSync(file));
      } finally {
        fs.closeSync(file);
      }
    });
  }

  #hostPath(path: string, op: string): string {
    if (path.includes('\0')) throw new FsError('EINVAL', { path, op });
    return hostPath(this.#root, path);
  }

  /** @param way the directory whose name tells why the other one cannot be opened */
  #within<T>(
    directory: string,
    way: string,
    path: string,
    op: string,
    call: (open: string) => T,
  ): T {
    if (this.#descriptors === null) {
      this.#check(way, path, op);
      const answer = call(directory);
      this.#check(directory, path, op);
      return answer;
    }
    if (this.#inUse) {
      const own = this.#open(directory, way, path, op);
      try {
        return call(own.at);
      } finally {
        fs.closeSync(own.descriptor);
      }
    }
    const { at } = this.#kept(directory) ?? this.#keep(this.#open(directory, way, path, op));
    this.#inUse = true;
    try {
      return call(at);
    } finally {
      this.#inUse = false;
    }
  }

  /** The directory of the last operation, if it is this one and still where it was. */
  #kept(directory: string): OpenDirectory | null {
    const last = this.#last;
    if (last === null || last.directory !== directory) return null;
    if (fs.readlinkSync(last.at) === directory) return last;
    this.release();
    return null;
  }

  #keep(open: OpenDirectory): OpenDirectory {
    this.release();
    this.#last = open;
    this.#checkedAt = 0;
    return open;
  }

  #open(directory: string, way: string, path: string, op: string): OpenDirectory {
    let descriptor: number;
    try {
      descriptor = fs.openSync(directory, O_PATH | O_DIRECTORY | O_NOFOLLOW);
    } catch (error) {
      this.#check(way, path, op);
      throw error;
    }
    const at = `${this.#descriptors}/${descriptor}`;
    const real = fs.readlinkSync(at);
    if (real === directory) return { directory, descriptor, at };
    fs.closeSync(descriptor);
    throw this.#elsewhere(real, path, op);
  }

  /** Fails unless the directory is, on the host, what its name says: no link on the way, hence inside the root. */
  #check(directory: string, path: string, op: string): void {
    const real = fs.realpathSync.native(directory);
    if (real !== directory) throw this.#elsewhere(real, path, op);
  }

  #elsewhere(real: string, path: string, op: string): FsError {
    return isInside(this.#root, real) ? new FsError('ENOTDIR', { path, op }) : outside(path, op);
  }
}

/** `/proc/PID/fd`: `self`, a link, would have to be followed at each use. */
function descriptorsOfHost(): string | null {
  const own = '/proc/self/fd';
  return process.platform === 'linux' && fs.existsSync(own) ? fs.realpathSync.native(own) : null;
}
