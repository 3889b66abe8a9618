/** Handles of open files: what open(2) gave, and what is done by them. */
import { constants } from 'node:fs';
import { FsError, sentenceOf } from '../../errors.ts';
import type { Inspection } from '../../namespace/inspect.ts';
import { Limits, type OpenLimits } from './limits.ts';
import type { OpenFile } from './open-file.ts';
import { Opening, type OpeningOptions } from './opening.ts';
import type { KernelStat } from './stat.ts';
import type { Times } from './times.ts';

const ACCESS = constants.O_RDONLY | constants.O_WRONLY | constants.O_RDWR;

/** May what is opened so be written? */
const writes = (flags: number): boolean => (flags & ACCESS) !== constants.O_RDONLY;

/** Tells of the process that opens something, while it waits; null where that cannot be told. */
export type Asker = () => number | null;

/** One opening of a file. */
export interface Handle {
  readonly file: OpenFile;
  readonly flags: number;
  /** The process that opened it; null where that does not matter. */
  readonly opener: number | null;
}

export interface HandlesOptions extends OpeningOptions {
  times: Times;
  /** What may be open at once. */
  limits: OpenLimits;
  onTrouble(message: string): void;
}

/** What open(2) told of a file. */
export interface Opened {
  fd: number;
  /** The kernel's pages are those of this content. */
  keepCache: boolean;
}

export class Handles {
  readonly #options: HandlesOptions;
  readonly #opening: Opening;
  readonly #limits: Limits;
  readonly #handles = new Map<number, Handle>();
  /** Of which content the kernel has pages, by path. */
  readonly #cached = new Map<string, string>();
  #last = 0;

  constructor(options: HandlesOptions) {
    this.#options = options;
    this.#opening = new Opening(options);
    this.#limits = new Limits(options.limits);
  }

  /** @param asker null where it does not matter who opens it */
  async open(path: string, flags: number, asker: Asker | null): Promise<Opened> {
    const { open } = this.#options;
    this.#limits.admit(path, this.#handles.size);
    const file = await this.#opening.find(path);
    try {
      if (writes(flags) && file.keeper === 'world' && !file.isNew)
        file.isWhole = (await this.#opening.terms(path, flags)).whole;
      if ((flags & constants.O_TRUNC) !== 0 && writes(flags)) {
        file.empty();
        this.#changed(file);
      } else if ((flags & ACCESS) !== constants.O_WRONLY) await this.#load(file);
    } catch (error) {
      open.release(file);
      throw error;
    }
    return this.#opened({ file, flags, opener: openerOf(file, flags, asker) }, path);
  }

  /** open(2) with O_CREAT of what is not there. */
  async create(path: string, mode: number, flags: number, asker: Asker | null): Promise<Opened> {
    const { open, scratch } = this.#options;
    this.#limits.admit(path, this.#handles.size);
    const own = open.at(path) ?? scratch.get(path);
    if (own !== undefined) {
      if ((flags & constants.O_EXCL) !== 0) throw new FsError('EEXIST', { path, op: 'open' });
      return this.open(path, flags, asker);
    }
    const file = await this.#opening.make(path, mode);
    // Somebody else has made it since the kernel looked.
    if (file === null && (flags & constants.O_EXCL) !== 0)
      throw new FsError('EEXIST', { path, op: 'open' });
    if (file === null) return this.open(path, flags, asker);
    return this.#opened({ file, flags, opener: openerOf(file, flags, asker) }, path);
  }

  async read(fd: number, target: Buffer, length: number, position: number): Promise<number> {
    const { file, flags } = this.#get(fd);
    if ((flags & ACCESS) === constants.O_WRONLY) throw notOpenFor('reading', file, 'read');
    await this.#load(file);
    return file.read(target, length, position);
  }

  async write(fd: number, data: Buffer, position: number): Promise<number> {
    const { file, flags } = this.#get(fd);
    if (!writes(flags)) throw notOpenFor('writing', file, 'write');
    await this.#load(file);
    // Another handle may have written since the kernel looked how long the file is.
    const at = (flags & constants.O_APPEND) !== 0 ? file.size : position;
    this.#claim(file, at + data.length);
    file.write(data, at);
    this.#changed(file);
    return data.length;
  }

  async resize(fd: number, size: number): Promise<void> {
    const { file, flags } = this.#get(fd);
    if (!writes(flags)) throw notOpenFor('writing', file, 'ftruncate');
    await this.#load(file);
    this.#claim(file, size);
    file.resize(size);
    this.#changed(file);
  }

  /** truncate(2): it commits at once, since nobody will close anything. */
  async truncate(path: string, size: number): Promise<void> {
    const { open } = this.#options;
    const { fd } = await this.open(path, constants.O_RDWR, null);
    try {
      const { file } = this.#get(fd);
      const isShared = file.handles > 1;
      await this.resize(fd, size);
      // Emptied by a path before it is written by a handle: one write, which is to come.
      if (!isShared || file.size > 0) await open.commit(file);
    } finally {
      await this.release(fd);
    }
  }

  async stat(fd: number, byPath: (path: string) => Promise<KernelStat>): Promise<KernelStat> {
    const { times } = this.#options;
    const { file } = this.#get(fd);
    const [path] = file.names;
    if (path === undefined) return times.statOf('', { ...this.inspection(file), links: 0 });
    if (file.isNew || file.isDirty) return times.statOf(path, this.inspection(file));
    return byPath(path);
  }

  /** A name of an open file; null for one that was removed. */
  nameOf(fd: number): string | null {
    const [path] = this.#get(fd).file.names;
    return path ?? null;
  }

  /** May a handle have made or written what the world has not got yet? */
  hasUntold(fd: number): boolean {
    const { file, flags } = this.#get(fd);
    return file.isDirty && !file.isRemoved && (file.isUntold || writes(flags));
  }

  fileOf(fd: number): OpenFile {
    return this.#get(fd).file;
  }

  /** What is known of an open file without the world. */
  inspection(file: OpenFile): Inspection {
    return {
      type: 'file',
      mode: file.mode,
      size: file.isLoaded ? file.size : (file.base?.size ?? 0),
      estimated: false,
      mtime: file.changedAt ?? file.base?.mtime ?? Date.now(),
      identity: file.identity,
      links: Math.max(1, file.links),
    };
  }

  /**
   * close(2) of one of the descriptors that a handle has. A record is committed by whoever opened it:
   * a program that got it from a shell closes its own copy while the next one goes on writing.
   * @param closer null where it does not matter who closes it
   */
  async flush(fd: number, closer: Asker | null): Promise<void> {
    if (!this.hasUntold(fd)) return;
    const { file, opener } = this.#get(fd);
    if (file.isWhole) {
      // A shell opens the file, and closes the first of two descriptors before anything is written.
      if (file.isOnlyEmptied) return;
      const closes = opener === null ? null : (closer?.() ?? null);
      if (closes !== null && closes !== opener) return;
    }
    await this.#commit(file);
  }

  /** fsync(2) */
  async sync(fd: number): Promise<void> {
    const { file } = this.#get(fd);
    if (file.isWhole && file.isOnlyEmptied) return;
    await this.#commit(file);
    await this.#options.open.told();
  }

  /** The last descriptor is closed. What was not committed is now, and nobody can be told of a failure by an errno. */
  async release(fd: number): Promise<void> {
    const { file } = this.#get(fd);
    this.#handles.delete(fd);
    if (file.handles === 1) await this.#commitOrTell(file);
    this.#options.open.release(file);
  }

  /** close(2) of the only descriptor: it commits what its handle may have written. @throws FsError; it is closed all the same */
  async close(fd: number): Promise<void> {
    const { file, flags } = this.#get(fd);
    this.#handles.delete(fd);
    try {
      if (writes(flags) && file.isDirty) await this.#commit(file);
    } finally {
      this.#options.open.release(file);
    }
  }

  /** Closes all, and commits nothing: whoever wrote went away without saying that it was done. */
  abandon(): void {
    for (const { file } of this.#handles.values()) this.#options.open.release(file);
    this.#handles.clear();
  }

  /** Handles that are open. */
  get size(): number {
    return this.#handles.size;
  }

  /** Commits all that is open: the door is about to close. */
  async commitAll(): Promise<void> {
    for (const file of [...this.#options.open.all()]) await this.#commitOrTell(file);
  }

  async #commitOrTell(file: OpenFile): Promise<void> {
    // One that was to be made has no name any more once it was refused.
    const [path = ''] = file.names;
    try {
      if (file.isDirty) await this.#commit(file);
    } catch (error) {
      this.#options.onTrouble(`${path} was not written: ${sentenceOf(error)}`);
    }
  }

  async #commit(file: OpenFile): Promise<void> {
    const names = [...file.names];
    await this.#options.open.commit(file);
    for (const name of names) this.#options.times.changed(name);
  }

  async #load(file: OpenFile): Promise<void> {
    if (file.isLoaded) return;
    this.#claim(file, file.base?.size ?? 0);
    await this.#options.open.load(file);
  }

  #claim(file: OpenFile, bytes: number): void {
    this.#limits.claim(file, bytes, this.#handles.values());
  }

  #changed(file: OpenFile): void {
    for (const name of file.names) this.#options.times.changed(name);
  }

  #opened(handle: Handle, path: string): Opened {
    this.#last += 1;
    this.#handles.set(this.#last, handle);
    const { file } = handle;
    const { base, identity } = file;
    const content =
      file.isDirty || base === null
        ? ''
        : `${identity} ${base.mtime} ${base.size} ${base.version} ${this.#options.times.versionOf(path)}`;
    const keepCache = content !== '' && this.#cached.get(path) === content;
    this.#cached.set(path, content);
    if (this.#cached.size > 100_000) this.#cached.delete(this.#cached.keys().next().value ?? '');
    return { fd: this.#last, keepCache };
  }

  #get(fd: number): Handle {
    const handle = this.#handles.get(fd);
    if (handle !== undefined) return handle;
    throw new FsError('EINVAL', {
      path: '',
      op: 'read',
      reason: 'the handle is not open; open the file again',
    });
  }
}

/** Who opens what is written as a whole. Of others it does not matter, and to look costs as much as to open. */
const openerOf = (file: OpenFile, flags: number, asker: Asker | null): number | null =>
  file.isWhole && writes(flags) ? (asker?.() ?? null) : null;

/** A kernel looks by itself. */
function notOpenFor(what: string, { names }: OpenFile, op: string): FsError {
  const [path = ''] = names;
  return new FsError('EINVAL', { path, op, reason: `the file was not opened for ${what}` });
}
