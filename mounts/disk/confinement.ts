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
import { FsError } from '../../src/errors.ts';
import { hostPath, isInside, outside } from './host.ts';

const { O_DIRECTORY, O_NOFOLLOW } = fs.constants;

/** Linux's O_PATH, which node:fs does not name: a place in the tree, not opened for reading. */
const O_PATH = 0o10000000;

const DESCRIPTORS = '/proc/self/fd';

interface OpenDirectory {
  directory: string;
  descriptor: number;
}

/** Runs calls on host paths that cannot lead out of a root. */
export class Confinement {
  readonly #root: string;
  readonly #descriptors: boolean;
  /** What one operation asks of a directory the next one often asks too: it stays open until another one is. */
  #last: OpenDirectory | null = null;

  /**
   * @param root a real path of the host
   * @param descriptors can open directories be named? Asked of the host unless given.
   */
  constructor(root: string, descriptors: boolean = hasDescriptors()) {
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
      if (!this.#descriptors) return call(at, fs.lstatSync(at));
      const file = fs.openSync(at, O_PATH | O_NOFOLLOW);
      try {
        return call(`${DESCRIPTORS}/${file}`, fs.fstatSync(file));
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
    if (!this.#descriptors) {
      this.#check(way, path, op);
      const answer = call(directory);
      this.#check(directory, path, op);
      return answer;
    }
    const descriptor = this.#kept(directory) ?? this.#open(directory, way, path, op);
    try {
      return call(`${DESCRIPTORS}/${descriptor}`);
    } finally {
      this.#keep({ directory, descriptor });
    }
  }

  /** The directory of the last operation, if it is this one and still where it was. Whoever takes it keeps it again. */
  #kept(directory: string): number | null {
    if (this.#last?.directory !== directory) return null;
    const { descriptor } = this.#last;
    this.#last = null;
    if (fs.readlinkSync(`${DESCRIPTORS}/${descriptor}`) === directory) return descriptor;
    fs.closeSync(descriptor);
    return null;
  }

  #keep(open: OpenDirectory): void {
    this.release();
    this.#last = open;
  }

  #open(directory: string, way: string, path: string, op: string): number {
    let descriptor: number;
    try {
      descriptor = fs.openSync(directory, O_PATH | O_DIRECTORY | O_NOFOLLOW);
    } catch (error) {
      this.#check(way, path, op);
      throw error;
    }
    const real = fs.readlinkSync(`${DESCRIPTORS}/${descriptor}`);
    if (real === directory) return descriptor;
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

function hasDescriptors(): boolean {
  return process.platform === 'linux' && fs.existsSync(DESCRIPTORS);
}
