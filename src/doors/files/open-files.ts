/**
 * Open files, as programs have them, over a file system that reads and writes
 * whole files: handles, flags and offsets. What was written is committed at
 * `sync` and at the close of a handle that wrote; all handles of one file, by
 * whatever name, see the same content.
 */
import { FsError } from '../../errors.ts';
import { parentOf, resolvePath } from '../../paths.ts';
import { Budget, identityAt, type OpenableFs, OpenFile } from './open-file.ts';

export type { OpenableFs } from './open-file.ts';

/** The flags of open(2). */
export interface OpenFlags {
  read: boolean;
  write: boolean;
  /** Each write goes to the end, wherever it was meant to. */
  append: boolean;
  create: boolean;
  /** With `create`: nothing may be there. */
  exclusive: boolean;
  truncate: boolean;
  /** Permission bits of a file that is made; absent, what its mount gives. */
  mode?: number;
}

export interface OpenLimits {
  /** Handles that are open at once. */
  handles: number;
  /** Bytes that the open files have at once. */
  bytes: number;
}

const OPEN_LIMITS: OpenLimits = { handles: 1024, bytes: 512 * 1024 * 1024 };

interface Handle {
  file: OpenFile;
  flags: OpenFlags;
  wrote: boolean;
}

type Stat = Awaited<ReturnType<OpenableFs['stat']>>;

export class OpenFiles {
  readonly #fs: OpenableFs;
  readonly #limits: OpenLimits;
  readonly #budget: Budget;
  readonly #handles = new Map<number, Handle>();
  readonly #files = new Set<OpenFile>();
  #next = 1;
  /** Opens are done one after the other: two of one file find one another. */
  #opening: Promise<unknown> = Promise.resolve();

  constructor(fs: OpenableFs, limits: OpenLimits = OPEN_LIMITS) {
    this.#fs = fs;
    this.#limits = limits;
    this.#budget = new Budget(limits.bytes);
  }

  /** Handles that are open. */
  get size(): number {
    return this.#handles.size;
  }

  /**
   * Opens a file; a directory cannot be.
   * @returns the handle
   * @throws FsError as open(2), EAGAIN where too many are open
   */
  open(path: string, flags: OpenFlags): Promise<number> {
    const next = this.#opening.then(() => this.#open(resolvePath('/', path), flags));
    this.#opening = next.catch(() => undefined);
    return next;
  }

  /** @returns no more bytes than asked for; none at the end of the file */
  async read(handle: number, offset: number, length: number): Promise<Uint8Array> {
    const { file, flags } = this.#of(handle, 'read');
    if (!flags.read) throw notOpenFor('reading', file.path, 'read');
    return file.read(offset, length);
  }

  async write(handle: number, offset: number, data: Uint8Array): Promise<void> {
    const open = this.#of(handle, 'write');
    const { file, flags } = open;
    if (!flags.write) throw notOpenFor('writing', file.path, 'write');
    open.wrote = true;
    return file.write(flags.append ? 'end' : offset, data);
  }

  async truncate(handle: number, size: number): Promise<void> {
    const open = this.#of(handle, 'ftruncate');
    if (!open.flags.write) throw notOpenFor('writing', open.file.path, 'ftruncate');
    open.wrote = true;
    return open.file.truncate(size);
  }

  /** Commits what was written. @throws FsError as the mount, or the policy, refuses it */
  async sync(handle: number): Promise<void> {
    return this.#of(handle, 'fsync').file.commit();
  }

  /** Closes a handle; one that wrote commits. @throws FsError; the handle is closed all the same */
  async close(handle: number): Promise<void> {
    const { file, wrote } = this.#of(handle, 'close');
    this.#handles.delete(handle);
    try {
      if (wrote) await file.commit();
    } finally {
      file.handles -= 1;
      if (file.handles === 0) {
        this.#files.delete(file);
        file.release();
      }
    }
  }

  /** Closes all, and commits nothing: whoever wrote went away without saying that it was done. */
  abandon(): void {
    for (const file of this.#files) file.release();
    this.#handles.clear();
    this.#files.clear();
  }

  /** The path of an open file by now; null where it has none any more. */
  pathOf(handle: number): string | null {
    const { file } = this.#of(handle, 'fstat');
    return file.gone ? null : file.path;
  }

  async fstat(handle: number): Promise<Stat> {
    const { file } = this.#of(handle, 'fstat');
    if (file.gone || file.isNew) return unnamed(file);
    return sized(await this.#fs.stat(file.path), file);
  }

  /** Is it open, and not made yet? */
  isNew(path: string): boolean {
    return this.#newAt(resolvePath('/', path)) !== undefined;
  }

  /** Does somebody have it open, by this name? */
  isOpen(path: string): boolean {
    const whole = resolvePath('/', path);
    return [...this.#files].some((file) => file.path === whole && !file.gone);
  }

  /** Attributes, with the size that an open file has for those who have it open. */
  async stat(path: string, follow: boolean): Promise<Stat> {
    const made = this.#newAt(resolvePath('/', path));
    if (made !== undefined) return unnamed(made);
    const stat = follow ? await this.#fs.stat(path) : await this.#fs.lstat(path);
    const open = [...this.#files].find(({ identity }) => identity === identityOf(stat, path));
    return open === undefined ? stat : sized(stat, open);
  }

  /**
   * A name is about to go: those who have the file open keep its content.
   * @returns true where the file is still to be made, and there is nothing else to remove
   */
  async unlinked(path: string): Promise<boolean> {
    const whole = resolvePath('/', path);
    const made = this.#newAt(whole);
    if (made !== undefined) {
      made.gone = true;
      return true;
    }
    for (const file of this.#files) if (file.path === whole && !file.gone) await file.load();
    return false;
  }

  /** A name has gone. */
  forget(path: string): void {
    const whole = resolvePath('/', path);
    for (const file of this.#files) if (file.path === whole) file.gone = true;
  }

  /** What was moved is open under its new name. */
  renamed(from: string, to: string): void {
    const [before, after] = [resolvePath('/', from), resolvePath('/', to)];
    for (const file of this.#files) {
      if (file.path === after) file.gone = true;
      else if (file.path === before) file.path = after;
      else if (file.path.startsWith(`${before}/`))
        file.path = after + file.path.slice(before.length);
    }
  }

  async #open(path: string, flags: OpenFlags): Promise<number> {
    if (this.#handles.size >= this.#limits.handles)
      throw new FsError('EAGAIN', {
        path,
        op: 'open',
        reason: `${this.#limits.handles} files are open at once, and no more can be; close some`,
      });
    const file = flags.write ? await this.#openToWrite(path, flags) : await this.#openToRead(path);
    file.handles += 1;
    this.#files.add(file);
    const handle = this.#next++;
    this.#handles.set(handle, { file, flags, wrote: file.dirty && flags.write });
    return handle;
  }

  async #openToRead(path: string): Promise<OpenFile> {
    const made = this.#newAt(path);
    if (made !== undefined) return made;
    const stat = await this.#fs.stat(path);
    if (stat.isDirectory) throw new FsError('EISDIR', { path, op: 'open' });
    const file = await this.#known(path, identityOf(stat, path));
    // Who may not read it is told now, and what is read is of one moment.
    await file.load();
    return file;
  }

  async #openToWrite(path: string, flags: OpenFlags): Promise<OpenFile> {
    const made = this.#newAt(path);
    if (made !== undefined) {
      if (flags.create && flags.exclusive) throw new FsError('EEXIST', { path, op: 'open' });
      if (flags.truncate) await made.empty();
      return made;
    }
    const identity = await identityAt(this.#fs, path);
    if (identity === null && !flags.create) throw new FsError('ENOENT', { path, op: 'open' });
    if (identity !== null && flags.create && flags.exclusive)
      throw new FsError('EEXIST', { path, op: 'open' });
    const terms = await this.#fs.checkWrite(path, flags.append ? 'append' : 'write');
    const real = identity === null ? await this.#realPlace(path) : await this.#fs.realpath(path);
    const file = await this.#known(real, identity);
    const empties = identity === null || flags.truncate;
    if (!empties) {
      if (flags.read) await file.load();
    } else if (terms.whole) {
      await file.empty();
    } else {
      await this.#fs.writeFile(real, new Uint8Array());
      if (identity === null) await this.#setMode(real, flags.mode);
      file.made((await identityAt(this.#fs, real)) ?? real);
    }
    return file;
  }

  async #setMode(path: string, mode: number | undefined): Promise<void> {
    if (mode === undefined || mode === ((await this.#fs.stat(path)).mode & 0o777)) return;
    await this.#fs.chmod(path, mode);
  }

  /** Where a file is made: below its directory as it really is. */
  async #realPlace(path: string): Promise<string> {
    const parent = await this.#fs.realpath(parentOf(path));
    return resolvePath(parent, path.slice(path.lastIndexOf('/') + 1));
  }

  /** The file as it is open already, or else anew. */
  async #known(path: string, identity: string | null): Promise<OpenFile> {
    const open = [...this.#files].find(
      (file) => !file.gone && identity !== null && file.identity === identity,
    );
    return open ?? new OpenFile(this.#fs, this.#budget, path, identity);
  }

  #newAt(path: string): OpenFile | undefined {
    return [...this.#files].find((file) => file.isNew && !file.gone && file.path === path);
  }

  #of(handle: number, op: string): Handle {
    const open = this.#handles.get(handle);
    if (open !== undefined) return open;
    throw new FsError('EINVAL', {
      path: '',
      op,
      reason: 'the handle is not open; open the file again',
    });
  }
}

const identityOf = (stat: Stat, path: string): string =>
  (stat as { identity?: string }).identity ?? path;

const sized = (stat: Stat, { dirty, size }: OpenFile): Stat =>
  dirty && size !== null && stat.isFile ? { ...stat, size } : stat;

/** A file that has no name yet, or none any more. */
const unnamed = ({ size }: OpenFile): Stat => ({
  isFile: true,
  isDirectory: false,
  isSymbolicLink: false,
  mode: 0o644,
  size: size ?? 0,
  mtime: new Date(),
});

const notOpenFor = (what: string, path: string, op: string): FsError =>
  new FsError('EINVAL', { path, op, reason: `the file was not opened for ${what}` });
