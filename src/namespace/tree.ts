/**
 * Whole trees: removing, copying and moving them, over mounts. What the gate
 * refuses anywhere in a tree is refused before anything is removed or moved.
 */
import { FsError, isFsError } from '../errors.ts';
import type { Dirent, FileType, MountStat } from '../mount/contract/contract.ts';
import { isWithin } from '../paths.ts';
import type { Operation } from '../policy/gate.ts';
import { changed } from './consider.ts';
import { creationOf, type Edits, pinned } from './edits.ts';
import type { Guard } from './guard.ts';
import type { Lookup } from './lookup.ts';
import { sha256 } from './states.ts';
import { readlink } from './survey.ts';
import type { MountTable, Place } from './table.ts';
import type { Intent, Permission, Wish } from './wish.ts';

/** The mode that a mount gives to what it makes. */
const NEW_FILE = 0o644;
const NEW_DIRECTORY = 0o755;

/** One entry of a tree. */
interface Entry {
  place: Place;
  type: FileType;
}

/** What trees are changed with. */
export interface TreeTools {
  table: MountTable;
  guard: Guard;
  lookup: Lookup;
  edits: Edits;
  /**
   * The content of a file, what is held back included.
   * @param allowed the gate was asked already
   */
  read(place: Place, allowed?: boolean): Promise<Uint8Array>;
}

/** Removes, copies and moves trees of a namespace. */
export class Trees {
  readonly #tools: TreeTools;

  constructor(tools: TreeTools) {
    this.#tools = tools;
  }

  /** Removes a directory and all below it; nothing at all, if one of it may not be removed. */
  async remove(place: Place): Promise<void> {
    const { table, guard, edits } = this.#tools;
    if (table.isPinned(place.path)) throw pinned(place, 'rmdir');
    const entries = await this.#entries(place);
    const whole = this.goesWhole(place);
    await guard.allowAll(this.#removals(entries, whole));
    if (whole) {
      return edits.removeTree(
        place,
        entries.map((entry) => entry.place),
      );
    }
    for (const entry of entries) await edits.remove(entry.place, entry.type);
  }

  /** Does the mount remove this directory as one change? */
  goesWhole({ at, inside, path }: Place): boolean {
    const { table } = this.#tools;
    return at.mount.removesTree?.(inside) === true && table.below(path).length === 0;
  }

  /** Would a person be asked about removing a directory with all below it? Not where some of it is denied. */
  async asksToRemove(place: Place): Promise<boolean> {
    const { guard } = this.#tools;
    if (guard.keeper === null) return false;
    try {
      if (guard.check('rmdir', place)) return true;
      const entries = await this.#entries(place);
      return entries.some((entry) => guard.check(removalOf(entry.type), entry.place));
    } catch (error) {
      if (isFsError(error)) return false;
      throw error;
    }
  }

  /** Copies an entry; a directory is merged into one that is there, a link stays a link. */
  async copy(from: Place, stat: MountStat, target: string): Promise<void> {
    const { lookup } = this.#tools;
    const to = await lookup.resolve(target, stat.type !== 'symlink', 'copyfile');
    if (stat.type === 'directory') return this.#copyDirectory(from, stat, to);
    if (stat.type === 'symlink') return this.#copyLink(from, to);
    await this.#copyFile(from, stat, to);
  }

  /** rename(2), and over mounts a copy that takes the place of the original. */
  async move(from: Place, stat: MountStat, to: Place): Promise<void> {
    const { table, guard, edits } = this.#tools;
    if (table.isPinned(from.path)) throw pinned(from, 'rename');
    if (table.isPinned(to.path)) throw pinned(to, 'rename');
    const same = from.at === to.at;
    guard.check('rename', from);
    guard.check(creationOf(stat.type), to);
    if (same) guard.possible(from, 'rename', 'rename');
    else edits.refuseOpen(from);
    const entries =
      stat.type === 'directory' ? await this.#entries(from) : [{ place: from, type: stat.type }];
    const wishes = await this.#wishesOfMove(entries, from, to);
    if (!same) wishes.push(...this.#removals(entries));
    const permission = await guard.allowAll(wishes);
    if (same && permission?.replaced !== true) {
      await edits.rename(from, to);
      return this.#tellMoved(entries, from, to, permission);
    }
    // The file itself cannot get another name where a hook has put other data in its place.
    if (same) for (const { op, place } of this.#removals(entries)) await guard.allow(op, place);
    await this.#makeWay(stat, to);
    await this.#transfer(from, stat, to, permission);
    for (const entry of entries) await edits.remove(entry.place, entry.type);
  }

  /** What the gate is asked before a move. What is denied is refused at once. */
  async #wishesOfMove(entries: readonly Entry[], from: Place, to: Place): Promise<Wish[]> {
    const { guard, lookup } = this.#tools;
    const wishes: Wish[] = [];
    const wish = (op: Operation, place: Place, intent?: Intent): void => {
      guard.check(op, place);
      // rename(2) follows no link at either end.
      wishes.push({ op, place, onEntry: true, ...(intent === undefined ? {} : { intent }) });
    };
    wish('rename', from, { to });
    // Under another name it could be read.
    for (const { place, type } of entries)
      if (guard.keeper?.watchesReads === true && type !== 'directory') wish('read', place);
    if (await lookup.isThere(to)) wish('write', to);
    // A rule for a path below would be walked around by renaming a directory above it. What is
    // higher comes first, as it is made.
    for (const { place, type } of entries.toReversed()) {
      if (place.path !== from.path) wish('rename', place);
      const target = type === 'symlink' ? { target: await readlink(guard, place) } : {};
      wish(creationOf(type), this.#counterpart(place, from, to), { from: place, ...target });
    }
    return wishes;
  }

  /** The hooks hear of each file that has come to another path by a renaming. */
  async #tellMoved(
    entries: readonly Entry[],
    from: Place,
    to: Place,
    permission: Permission | undefined,
  ): Promise<void> {
    for (const { place, type } of entries) {
      const target = this.#counterpart(place, from, to);
      const data = permission?.data.get(target.path);
      if (data !== undefined) await this.#tools.guard.tell(creationOf(type), target, data);
    }
  }

  /** A place and all below it, what is deeper first. */
  async #entries(root: Place): Promise<Entry[]> {
    const { table, lookup } = this.#tools;
    const entries: Entry[] = [];
    const visit = async (place: Place, type: FileType): Promise<void> => {
      if (type === 'directory') {
        for (const row of await lookup.readdir(place))
          await visit(table.child(place, row.name), row.type);
      }
      entries.push({ place, type });
    };
    await visit(root, 'directory');
    return entries;
  }

  /** What the gate is asked before entries are removed. @throws FsError EPERM where the mount cannot */
  #removals(entries: readonly Entry[], whole: boolean = false): Wish[] {
    const { guard } = this.#tools;
    return entries.map(({ place, type }) => {
      const op = removalOf(type);
      // The gate's refusal comes first: it says more.
      guard.check(op, place);
      if (!whole) guard.possible(place, op, op);
      return { op, place };
    });
  }

  #counterpart(place: Place, from: Place, to: Place): Place {
    return this.#tools.table.place(
      to.path + place.path.slice(from.path.length),
      to.named + place.path.slice(from.path.length),
    );
  }

  async #copyDirectory(from: Place, stat: MountStat, to: Place): Promise<void> {
    const { table, guard, lookup, edits } = this.#tools;
    if (isWithin(from.path, to.path))
      throw new FsError('EINVAL', { path: from.named, op: 'copyfile' });
    const there = table.isPinned(to.path) ? null : await lookup.lstatOrNull(to);
    const fresh = there === null && !table.isPinned(to.path);
    if (fresh) await edits.mkdir(to, unusual(stat, NEW_DIRECTORY));
    else if (there !== null && there.type !== 'directory')
      throw new FsError('ENOTDIR', { path: to.named, op: 'copyfile' });
    guard.noteListing(from);
    for (const row of await lookup.readdir(from)) {
      const child = table.child(from, row.name);
      await this.copy(child, await this.#statOf(child, row), table.child(to, row.name).path);
    }
    if (fresh && stat.mode !== NEW_DIRECTORY) await this.#setMode(to, stat.mode);
  }

  async #statOf(place: Place, row: Dirent): Promise<MountStat> {
    const stat = await this.#tools.lookup.lstat(place);
    return stat.type === row.type ? stat : { ...stat, type: row.type };
  }

  /** GNU's cp replaces what a copied link finds in its place, and so does this. */
  async #copyLink(from: Place, to: Place): Promise<void> {
    const { guard, lookup, edits } = this.#tools;
    const target = await readlink(guard, from);
    const there = await lookup.lstatOrNull(to);
    if (there?.type === 'directory')
      throw new FsError('EISDIR', { path: to.named, op: 'copyfile' });
    if (there !== null) await edits.unlink(to);
    await edits.symlink(target, to);
  }

  async #copyFile(from: Place, stat: MountStat, to: Place): Promise<void> {
    const { edits, read } = this.#tools;
    const fresh = await edits.write(to, await read(from), unusual(stat, NEW_FILE));
    if (fresh && stat.mode !== NEW_FILE) await this.#setMode(to, stat.mode);
  }

  /** The mode of what was just made is part of making it, where the mount keeps modes at all. */
  async #setMode(place: Place, mode: number): Promise<void> {
    if (place.at.mount.chmod === undefined) return;
    await this.#tools.edits.settle(place);
    await this.#tools.edits.setMode(place, mode & 0o777);
  }

  /** What rename(2) demands of what is in the way; a link or a file with other names is removed. */
  async #makeWay(stat: MountStat, to: Place): Promise<void> {
    const { lookup, edits } = this.#tools;
    const there = await lookup.lstatOrNull(to);
    if (there === null) return;
    const fail = (code: 'EISDIR' | 'ENOTDIR' | 'ENOTEMPTY'): never => {
      throw new FsError(code, { path: to.named, op: 'rename' });
    };
    if (there.type === 'directory') {
      if (stat.type !== 'directory') fail('EISDIR');
      if ((await lookup.readdir(to)).length > 0) fail('ENOTEMPTY');
    } else if (stat.type === 'directory') fail('ENOTDIR');
    else if (stat.type === 'symlink' || there.type === 'symlink' || to.at.mount.link !== undefined)
      await edits.remove(to, there.type);
  }

  /** Copies an entry as it is: a link as a link, with mode and time where the mount keeps them. */
  async #transfer(
    from: Place,
    stat: MountStat,
    to: Place,
    permission: Permission | undefined,
  ): Promise<void> {
    const { table, guard, lookup, edits } = this.#tools;
    if (stat.type === 'symlink')
      return edits.symlink(await readlink(guard, from), to, { allowed: true });
    if (stat.type === 'file')
      await edits.write(to, await this.#approved(from, to, permission), { allowed: true });
    else {
      if (!(await lookup.isThere(to))) await edits.mkdir(to, { allowed: true });
      guard.noteListing(from);
      for (const row of await lookup.readdir(from)) {
        const child = table.child(from, row.name);
        const target = table.child(to, row.name);
        await this.#transfer(child, await this.#statOf(child, row), target, permission);
      }
    }
    if (stat.mode !== (stat.type === 'file' ? NEW_FILE : NEW_DIRECTORY))
      await this.#setMode(to, stat.mode);
    if (to.at.mount.utimes !== undefined) await edits.setTime(to, stat.mtime);
  }

  /** The content that a moved file is to have: what the hooks left of it, and what was approved. */
  async #approved(from: Place, to: Place, permission: Permission | undefined): Promise<Uint8Array> {
    const { guard, read } = this.#tools;
    // Whoever put it where it goes, it is the text of this file.
    guard.keeper?.noteRead(from.at.point, from.path);
    const seen = permission?.approved?.get(from.path);
    if (seen !== undefined) {
      const now = await guard.ask(from, 'read', (mount, inside) => mount.read(inside));
      // Of a large tree the last file is reached long after it was looked at.
      if (sha256(now) !== seen) throw changed({ op: 'rename', place: from }, from.path);
    }
    return permission?.data.get(to.path) ?? (await read(from, true));
  }
}

const removalOf = (type: FileType): 'rmdir' | 'unlink' =>
  type === 'directory' ? 'rmdir' : 'unlink';

/** The mode of what is made, where a mount gives it another one at first. */
function unusual({ mode }: MountStat, usual: number): { mode?: number } {
  return mode === usual ? {} : { mode: mode & 0o777 };
}
