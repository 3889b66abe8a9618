/**
 * A mount whose files are a directory of the host. Nothing outside that
 * directory can be reached through it, whatever links inside it say: the
 * namespace resolves links by itself, and every operation makes sure that the
 * directory it acts in is still below the root on the host.
 *
 * node:fs is called synchronously: a world's worker runs one command at a time,
 * and a synchronous call is five to twenty times cheaper than an asynchronous one.
 */
import { randomBytes } from 'node:crypto';
import fs from 'node:fs';
import { dirname, isAbsolute, join, relative, sep } from 'node:path';
import { ConfigError, type Errno, FsError, STRERROR } from '../../src/errors.ts';
import type { Dirent, FileType, Mount, MountStat, WalkedFile } from '../../src/mount/contract.ts';

/** What a disk mount is made with. */
export interface DiskMountOptions {
  /** The directory on the host. It must exist. */
  root: string;
  searchable?: boolean;
  /** Directories of the host that must not be seen through this mount, such as a state directory. */
  hidden?: readonly string[];
}

const { O_APPEND, O_CREAT, O_EXCL, O_NOFOLLOW, O_NONBLOCK, O_RDONLY, O_WRONLY } = fs.constants;

/** Files of a host directory. */
export class DiskMount implements Mount {
  readonly kind = 'disk';
  readonly local = true;
  readonly searchable: boolean;
  readonly #root: string;
  readonly #hidden: readonly string[];

  /** @throws ConfigError when the directory is missing or no directory. */
  constructor(options: DiskMountOptions) {
    this.#root = existingDirectory(options.root);
    this.#hidden = (options.hidden ?? []).flatMap((path) =>
      fs.existsSync(path) ? [fs.realpathSync.native(path)] : [path],
    );
    this.searchable = options.searchable ?? false;
  }

  async lstat(path: string): Promise<MountStat> {
    const stat = this.#act(path, 'lstat', (host) => fs.lstatSync(host));
    return {
      type: typeOf(stat),
      mode: stat.mode & 0o7777,
      size: stat.size,
      mtime: stat.mtime,
      ino: `${stat.dev}:${stat.ino}`,
    };
  }

  async readdir(path: string): Promise<Dirent[]> {
    return this.#act(path, 'scandir', (host) => this.#list(host));
  }

  async read(path: string): Promise<Uint8Array> {
    return this.#act(path, 'open', (host) => readWhole(host, path));
  }

  /** A link that names a host path inside this mount is given as a relative one, which means the same here. */
  async readlink(path: string): Promise<string> {
    return this.#act(path, 'readlink', (host) => {
      const target = fs.readlinkSync(host);
      if (!isAbsolute(target) || !isInside(this.#root, target)) return target;
      return relative(dirname(host), target) || '.';
    });
  }

  async write(path: string, data: Uint8Array): Promise<void> {
    this.#act(path, 'open', (host) => replaceWhole(host, path, data));
  }

  async append(path: string, data: Uint8Array): Promise<void> {
    this.#act(path, 'open', (host) => {
      const file = fs.openSync(
        host,
        O_WRONLY | O_APPEND | O_CREAT | O_NOFOLLOW | O_NONBLOCK,
        0o644,
      );
      try {
        if (!fs.fstatSync(file).isFile())
          throw new FsError('EINVAL', { path, op: 'open', reason: NOT_REGULAR });
        writeAll(file, data);
      } finally {
        fs.closeSync(file);
      }
    });
  }

  async mkdir(path: string): Promise<void> {
    this.#act(path, 'mkdir', (host) => fs.mkdirSync(host));
  }

  async unlink(path: string): Promise<void> {
    this.#act(path, 'unlink', (host) => {
      // unlink(2) of a directory is EPERM on some systems and EISDIR on Linux.
      if (fs.lstatSync(host).isDirectory()) throw new FsError('EISDIR', { path, op: 'unlink' });
      fs.unlinkSync(host);
    });
  }

  async rmdir(path: string): Promise<void> {
    if (path === '/') throw new FsError('EBUSY', { path, op: 'rmdir' });
    this.#act(path, 'rmdir', (host) => fs.rmdirSync(host));
  }

  async rename(from: string, to: string): Promise<void> {
    this.#act(from, 'rename', (source) =>
      this.#act(to, 'rename', (target) => fs.renameSync(source, target)),
    );
  }

  async symlink(target: string, path: string): Promise<void> {
    this.#act(path, 'symlink', (host) => fs.symlinkSync(target, host));
  }

  async link(existing: string, path: string): Promise<void> {
    this.#act(existing, 'link', (source) =>
      this.#act(path, 'link', (target) => fs.linkSync(source, target)),
    );
  }

  async chmod(path: string, mode: number): Promise<void> {
    this.#act(path, 'chmod', (host) => {
      // A set-user-ID bit would mean something on the host that the agent must not decide.
      fs.chmodSync(host, mode & 0o777);
    });
  }

  async utimes(path: string, mtime: Date): Promise<void> {
    this.#act(path, 'utimes', (host) => fs.lutimesSync(host, mtime, mtime));
  }

  *walk(path: string): Generator<WalkedFile> {
    for (const entry of this.#act(path, 'scandir', (host) => this.#list(host))) {
      const child = path === '/' ? `/${entry.name}` : `${path}/${entry.name}`;
      if (entry.type === 'directory') yield* this.walk(child);
      else if (entry.type === 'file') {
        yield {
          path: child,
          bytes: () => this.#act(child, 'open', (host) => readWhole(host, child)),
        };
      }
    }
  }

  #list(host: string): Dirent[] {
    const rows: Dirent[] = [];
    for (const entry of fs.readdirSync(host, { withFileTypes: true })) {
      if (!this.#isHidden(join(host, entry.name)))
        rows.push({ name: entry.name, type: typeOf(entry) });
    }
    return rows.sort((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0));
  }

  #isHidden(host: string): boolean {
    return this.#hidden.some((hidden) => isInside(hidden, host));
  }

  /** Runs one call on the host path that `path` stands for, its directory checked to be inside the root. */
  #act<T>(path: string, op: string, call: (host: string) => T): T {
    if (path.includes('\0')) throw new FsError('EINVAL', { path, op });
    const host = path === '/' ? this.#root : join(this.#root, path);
    try {
      if (path !== '/') {
        const parent = fs.realpathSync.native(dirname(host));
        if (!isInside(this.#root, parent)) throw outside(path, op);
        if (this.#isHidden(join(parent, host.slice(host.lastIndexOf(sep) + 1))))
          throw new FsError('ENOENT', { path, op });
      }
      return call(host);
    } catch (error) {
      throw asFsError(error, path, op);
    }
  }
}

const NOT_REGULAR = 'it is a device, a pipe or a socket of the host, which a mount does not open';

function outside(path: string, op: string): FsError {
  return new FsError('EACCES', {
    path,
    op,
    rule: 'a disk mount ends at its root',
    reason: 'the host path leads outside the mounted directory; nothing there can be reached',
  });
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

function isInside(root: string, path: string): boolean {
  return path === root || path.startsWith(root.endsWith(sep) ? root : root + sep);
}

function typeOf(entry: { isDirectory(): boolean; isSymbolicLink(): boolean }): FileType {
  return entry.isDirectory() ? 'directory' : entry.isSymbolicLink() ? 'symlink' : 'file';
}

function readWhole(host: string, path: string): Uint8Array {
  // O_NONBLOCK: opening a FIFO of the host must not wait for its writer.
  const file = fs.openSync(host, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  try {
    const stat = fs.fstatSync(file);
    if (stat.isDirectory()) throw new FsError('EISDIR', { path, op: 'read' });
    if (!stat.isFile()) throw new FsError('EINVAL', { path, op: 'open', reason: NOT_REGULAR });
    return fs.readFileSync(file);
  } finally {
    fs.closeSync(file);
  }
}

/** Writes beside the file and renames over it: a reader, or a crash, sees the old text or the new one. */
function replaceWhole(host: string, path: string, data: Uint8Array): void {
  const old = fs.lstatSync(host, { throwIfNoEntry: false });
  if (old?.isDirectory()) throw new FsError('EISDIR', { path, op: 'open' });
  if (old !== undefined && !old.isFile())
    throw new FsError('EINVAL', { path, op: 'open', reason: NOT_REGULAR });
  if (old !== undefined && old.nlink > 1) return overwrite(host, data);
  const temporary = `${dirname(host)}${sep}.dirigent-${randomBytes(6).toString('hex')}.tmp`;
  const file = fs.openSync(
    temporary,
    O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW,
    old === undefined ? 0o644 : old.mode & 0o777,
  );
  try {
    try {
      if (old !== undefined) fs.fchmodSync(file, old.mode & 0o777);
      writeAll(file, data);
    } finally {
      fs.closeSync(file);
    }
    fs.renameSync(temporary, host);
  } catch (error) {
    fs.rmSync(temporary, { force: true });
    throw error;
  }
}

/** A file with several names keeps them all: here the text is replaced in place. */
function overwrite(host: string, data: Uint8Array): void {
  const file = fs.openSync(host, O_WRONLY | O_NOFOLLOW | fs.constants.O_TRUNC);
  try {
    writeAll(file, data);
  } finally {
    fs.closeSync(file);
  }
}

function writeAll(file: number, data: Uint8Array): void {
  for (let done = 0; done < data.length; ) done += fs.writeSync(file, data, done);
}

function asFsError(error: unknown, path: string, op: string): FsError {
  if (error instanceof FsError) return error;
  const code = (error as NodeJS.ErrnoException).code;
  if (code !== undefined && code in STRERROR)
    return new FsError(code as Errno, { path, op, cause: error });
  return new FsError('EIO', {
    path,
    op,
    reason: `the host answered: ${(error as Error).message}`,
    cause: error,
  });
}
