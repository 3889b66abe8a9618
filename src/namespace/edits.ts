/**
 * Edits: the changes of single entries, each allowed by the gate, made by the
 * mount, and noted. Whole trees are made of these in `tree.ts`.
 */
import { FsError, isFsError } from '../errors.ts';
import type { FileType } from '../mount/contract/contract.ts';
import { parentOf } from '../paths.ts';
import type { Operation } from '../policy/gate.ts';
import type { Guard } from './guard.ts';
import type { HeldWrites } from './held-writes.ts';
import type { Lookup } from './lookup.ts';
import type { MountTable, Place } from './table.ts';

/** The longest target of a link: PATH_MAX less its NUL. */
const LONGEST_TARGET = 4095;

/** What the gate is asked before an entry of this type is made. */
export function creationOf(type: FileType): Operation {
  return type === 'directory' ? 'mkdir' : type === 'symlink' ? 'symlink' : 'create';
}

/** How something is made. */
export interface WriteOptions {
  /** The gate was asked already, for the change that this is a part of. */
  allowed?: boolean;
  /** Permission bits that whoever is asked is told of; setting them is the caller's. */
  mode?: number | undefined;
}

/** What an open for writing finds. */
export interface WriteTerms {
  /** Is the file there? */
  there: boolean;
  /**
   * Nothing may be written before all of it is known: a write is a transaction with a service, a
   * person is asked about it, or a file may be made here and not changed any more.
   */
  whole: boolean;
}

/** Changes single entries of a namespace. */
export class Edits {
  readonly #table: MountTable;
  readonly #guard: Guard;
  readonly #lookup: Lookup;
  readonly #held: HeldWrites;

  constructor(table: MountTable, guard: Guard, lookup: Lookup, held: HeldWrites) {
    this.#table = table;
    this.#guard = guard;
    this.#lookup = lookup;
    this.#held = held;
  }

  /**
   * Replaces a file's content, or holds that back. True if the file is new.
   * @param mode what the file gets if it is new, by {@link setMode}
   */
  async write(
    place: Place,
    content: Uint8Array,
    { allowed = false, mode }: WriteOptions = {},
  ): Promise<boolean> {
    let data = content;
    this.#refusePinned(place, 'EISDIR', 'open');
    const there = this.#held.has(place.path) || (await this.#lookup.isThere(place));
    const fresh = !there || this.#held.isFresh(place.path);
    const op = fresh ? 'create' : 'write';
    if (data.length === 0 && !allowed && this.#holds(op, place)) {
      if (!this.#held.has(place.path)) await this.#checkOpen(place, there);
      this.#held.hold(place, fresh);
      return !there;
    }
    try {
      if (!allowed) data = await this.#allowed(op, place, data, fresh ? mode : undefined);
      await this.#make(place, 'open', () =>
        this.#guard.change(place, 'open', 'write', [place.inside, data]),
      );
      if (fresh) this.#guard.noteMade(place);
    } finally {
      // What was refused is not open any more: it must not be sent again, empty, at the end.
      this.#held.release(place.path);
    }
    if (data.length === 0 && fresh) this.#held.made(place.path);
    return !there;
  }

  /**
   * What open(2) refuses, before anything is written; nobody is asked.
   * @throws FsError EISDIR, ENOENT, ENOTDIR, EPERM, EACCES
   */
  async checkWrite(place: Place, op: 'write' | 'append'): Promise<WriteTerms> {
    this.#refusePinned(place, 'EISDIR', 'open');
    const there = await this.#lookup.isThere(place);
    const held = this.#holds(there ? op : 'create', place);
    await this.#checkOpen(place, there, op);
    return { there, whole: held || (!there && this.#refuses('write', place)) };
  }

  /** Makes an empty file where that can be done at once, and nothing is. @returns what was there, and how it is written */
  async make(place: Place, mode: number): Promise<WriteTerms> {
    const terms = await this.checkWrite(place, 'write');
    if (terms.there || terms.whole) return terms;
    await this.write(place, new Uint8Array(), { mode });
    if ((await this.#lookup.lstat(place)).mode !== mode) await this.chmod(place, mode);
    return terms;
  }

  /** Adds at the end of a file. */
  async append(place: Place, content: Uint8Array): Promise<void> {
    let data = content;
    this.#refusePinned(place, 'EISDIR', 'open');
    if (this.#held.has(place.path)) {
      if (data.length > 0) await this.write(place, data);
      return;
    }
    const there = await this.#lookup.isThere(place);
    if (data.length === 0 && this.#holds(there ? 'append' : 'create', place)) {
      if (!there) await this.write(place, data);
      return;
    }
    data = await this.#allowed(there ? 'append' : 'create', place, data);
    await this.#make(place, 'open', () =>
      this.#guard.change(place, 'open', 'append', [place.inside, data]),
    );
    if (!there) this.#guard.noteMade(place);
    if (data.length > 0) this.#held.release(place.path);
  }

  async mkdir(place: Place, { allowed = false, mode }: WriteOptions = {}): Promise<void> {
    await this.#vacant(place, 'mkdir');
    if (!allowed)
      await this.#guard.allow('mkdir', place, mode === undefined ? undefined : { mode });
    await this.#make(place, 'mkdir', () =>
      this.#guard.change(place, 'mkdir', 'mkdir', [place.inside]),
    );
  }

  /** Makes a directory, and those above it that are not there. */
  async mkdirs(path: string): Promise<void> {
    const place = await this.#lookup.resolve(path, true, 'mkdir');
    const found = this.#held.stat(place.path) ?? (await this.#lookup.lstatOrNull(place));
    if (found?.type === 'directory') return;
    if (found !== null) throw new FsError('EEXIST', { path, op: 'mkdir' });
    await this.mkdirs(parentOf(path));
    await this.mkdir(await this.#lookup.resolve(path, false, 'mkdir'));
  }

  async symlink(
    target: string,
    place: Place,
    { allowed = false }: Pick<WriteOptions, 'allowed'> = {},
  ): Promise<void> {
    checkTarget(target, place.named);
    await this.#vacant(place, 'symlink');
    if (!allowed) await this.#guard.allow('symlink', place, { target });
    await this.#make(place, 'symlink', () =>
      this.#guard.change(place, 'symlink', 'symlink', [target, place.inside]),
    );
  }

  /** Gives a file a second name. That is a way to write it, so both ends must be writable. */
  async link(from: Place, to: Place): Promise<void> {
    const { type } = await this.#lookup.lstat(from);
    await this.#vacant(to, 'link');
    // A second name is a second way to read it, too.
    const permission = await this.#guard.allowAll([
      { op: 'link', place: from },
      ...(this.#guard.keeper?.watchesReads === true ? [{ op: 'read' as const, place: from }] : []),
      { op: creationOf(type), place: to, intent: { from } },
    ]);
    if (from.at !== to.at) throw new FsError('EXDEV', { path: to.named, op: 'link' });
    if (permission?.replaced === true) throw oneContent(to);
    await this.settle(from);
    await this.#make(to, 'link', () =>
      this.#guard.change(to, 'link', 'link', [from.inside, to.inside], from),
    );
  }

  async chmod(place: Place, mode: number): Promise<void> {
    await this.#present(place);
    await this.#guard.allow('chmod', place, { mode });
    await this.settle(place);
    await this.setMode(place, mode);
  }

  async utimes(place: Place, mtime: Date): Promise<void> {
    if (Number.isNaN(mtime.getTime()))
      throw new FsError('EINVAL', { path: place.named, op: 'utimes' });
    await this.#present(place);
    await this.#guard.allow('utimes', place, { mtime });
    await this.settle(place);
    await this.setTime(place, mtime);
  }

  async unlink(place: Place): Promise<void> {
    this.#refusePinned(place, 'EBUSY', 'unlink');
    await this.#guard.allow('unlink', place);
    await this.remove(place, 'file');
  }

  async rmdir(place: Place): Promise<void> {
    this.#refusePinned(place, 'EBUSY', 'rmdir');
    await this.#guard.allow('rmdir', place);
    await this.remove(place, 'directory');
  }

  // --- what belongs to a change that was allowed as a whole

  /** Removes one entry. A file that is held and not there yet is forgotten. */
  async remove(place: Place, type: FileType): Promise<void> {
    if (type === 'directory') return this.#guard.change(place, 'rmdir', 'rmdir', [place.inside]);
    const held = this.#held.has(place.path);
    this.#held.release(place.path);
    if (held && (await this.#lookup.lstatOrNull(place)) === null) return;
    await this.#guard.change(place, 'unlink', 'unlink', [place.inside]);
  }

  /** Removes a directory as one change of its mount; what is held back for files in it is forgotten. */
  async removeTree(place: Place, below: readonly Place[]): Promise<void> {
    for (const { path } of below) this.#held.release(path);
    await this.#guard.change(place, 'rmdir', 'removeTree', [place.inside]);
  }

  async rename(from: Place, to: Place): Promise<void> {
    await this.settle(from);
    await this.#make(to, 'rename', () =>
      this.#guard.change(from, 'rename', 'rename', [from.inside, to.inside], to),
    );
    this.#held.release(to.path);
    this.#held.release(from.path);
  }

  async setMode(place: Place, mode: number): Promise<void> {
    await this.#make(place, 'chmod', () =>
      this.#guard.change(place, 'chmod', 'chmod', [place.inside, mode]),
    );
  }

  async setTime(place: Place, mtime: Date): Promise<void> {
    await this.#make(place, 'utimes', () =>
      this.#guard.change(place, 'utimes', 'utimes', [place.inside, mtime]),
    );
  }

  /** Sends what is held at a place or below it, before something is done to the file itself. */
  async settle(place: Place): Promise<void> {
    for (const held of this.#held.within(place.path))
      await this.empty(held, this.#held.isFresh(held.path));
  }

  /** @throws FsError EBUSY where a file at a place or below it is open, and its content not known yet */
  refuseOpen(place: Place): void {
    const [open] = this.#held.within(place.path);
    if (open === undefined) return;
    throw new FsError('EBUSY', {
      path: open.named,
      op: 'rename',
      rule: 'what is moved is known',
      reason: 'the file is open for writing; close it, and move it then',
    });
  }

  /** Writes a file that got no data; `fresh`: there was none. */
  async empty(place: Place, fresh: boolean): Promise<void> {
    const nothing = new Uint8Array();
    this.#held.release(place.path);
    const data = await this.#allowed(fresh ? 'create' : 'write', place, nothing);
    await this.#guard.change(place, 'open', 'write', [place.inside, data]);
    if (fresh) this.#guard.noteMade(place);
  }

  /** Asks the gate before something is written. Gives what is to be written then. */
  async #allowed(
    op: Operation,
    place: Place,
    data: Uint8Array,
    mode?: number,
  ): Promise<Uint8Array> {
    const intent = mode === undefined ? { data } : { data, mode };
    return (await this.#guard.allow(op, place, intent))?.data.get(place.path) ?? data;
  }

  /** An ancestor of a mount point may be in no mount: nothing can be made in it, and it says why. */
  async #make(place: Place, op: string, change: () => Promise<void>): Promise<void> {
    try {
      await change();
    } catch (error) {
      if (!isFsError(error, 'ENOENT') && !isFsError(error, 'ENOTDIR')) throw error;
      const parent = parentOf(place.path);
      const directory = this.#table.isAncestor(place.path) ? place.path : parent;
      if (!this.#table.isAncestor(directory) || place.inside === '/') throw error;
      throw new FsError('EPERM', {
        path: place.named,
        op,
        rule: 'mount points have directories above them',
        reason: `${directory} is there only because something is mounted below it; it cannot be changed`,
        cause: error,
      });
    }
  }

  /**
   * Is opening the file no change yet? To a service the empty file must not be
   * sent, and a person is asked when the content is known.
   */
  #holds(op: Operation, place: Place): boolean {
    const asks = this.#guard.check(op, place);
    return asks || place.at.mount.transactional === true;
  }

  /** Is it denied in any case? */
  #refuses(op: Operation, place: Place): boolean {
    try {
      this.#guard.check(op, place);
      return false;
    } catch (error) {
      if (isFsError(error, 'EACCES')) return true;
      throw error;
    }
  }

  /** What open(2) with O_CREAT refuses: a held write must not hide it until the data comes. */
  async #checkOpen(place: Place, there: boolean, op: 'write' | 'append' = 'write'): Promise<void> {
    this.#guard.possible(place, 'open', op);
    const checked = there ? place : this.#table.place(parentOf(place.path), place.named);
    const { type } = await this.#lookup.lstat(checked);
    if (there && type === 'directory')
      throw new FsError('EISDIR', { path: place.named, op: 'open' });
    if (!there && type !== 'directory')
      throw new FsError('ENOTDIR', { path: place.named, op: 'open' });
  }

  async #vacant(place: Place, op: string): Promise<void> {
    if (this.#held.has(place.path) || (await this.#lookup.isThere(place)))
      throw new FsError('EEXIST', { path: place.named, op });
  }

  async #present(place: Place): Promise<void> {
    if (!this.#held.has(place.path)) await this.#lookup.lstat(place);
  }

  #refusePinned(place: Place, code: 'EISDIR' | 'EBUSY', op: string): void {
    if (!this.#table.isPinned(place.path)) return;
    if (code === 'EBUSY') throw pinned(place, op);
    throw new FsError(code, { path: place.named, op });
  }
}

/** A mount point, or a directory that holds one, stays where it is. */
export function pinned(place: Place, op: string): FsError {
  return new FsError('EBUSY', {
    path: place.named,
    op,
    rule: 'mount points stay',
    reason: `${place.path} is a mount point, or holds one; only the deployment can remove it`,
  });
}

/** A hook put other data in the place of what a second name is given to. */
function oneContent(place: Place): FsError {
  return new FsError('EACCES', {
    path: place.named,
    op: 'link',
    rule: 'hook before',
    reason:
      'a hook puts other data in its place, and both names of a file have one content; copy it',
  });
}

function checkTarget(target: string, path: string): void {
  const op = 'symlink';
  if (target === '') throw new FsError('ENOENT', { path, op });
  if (target.includes('\0')) throw new FsError('EINVAL', { path, op });
  if (Buffer.byteLength(target) > LONGEST_TARGET) throw new FsError('ENAMETOOLONG', { path, op });
}
