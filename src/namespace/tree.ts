/**
 * Whole trees: removing, copying and moving them, over mounts. What the gate
 * refuses anywhere in a tree is refused before anything is removed or moved.
 */
import { FsError } from '../errors.ts';
import type { Dirent, FileType, MountStat } from '../mount/contract.ts';
import { isWithin } from '../paths.ts';
import type { Operation } from '../policy/gate.ts';
import { creationOf, type Edits, pinned } from './edits.ts';
import type { Guard, Wish } from './guard.ts';
import type { Lookup } from './lookup.ts';
import type { MountTable, Place } from './table.ts';

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
  /** The content of a file, what is held back included. */
  read(place: Place): Promise<Uint8Array>;
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
    const { table, guard, lookup, edits } = this.#tools;
    if (table.isPinned(from.path)) throw pinned(from, 'rename');
    if (table.isPinned(to.path)) throw pinned(to, 'rename');
    const same = from.at === to.at;
    const wishes: Wish[] = [];
    // What is denied is refused at once; a person is asked once, about all.
    const wish = (op: Operation, place: Place): void => {
      guard.check(op, place);
      wishes.push({ op, place });
    };
    wish('rename', from);
    if (await lookup.isThere(to)) wish('write', to);
    wish(creationOf(stat.type), to);
    if (same) guard.possible(from, 'rename', 'rename');
    const entries =
      stat.type === 'directory' ? await this.#entries(from) : [{ place: from, type: stat.type }];
    // A rule for a path below would be walked around by renaming a directory above it.
    for (const { place, type } of entries) {
      // Under another name it could be read.
      if (guard.keeper?.watchesReads === true && type !== 'directory') wish('read', place);
      if (place.path === from.path) continue;
      wish('rename', place);
      wish(creationOf(type), this.#counterpart(place, from, to));
    }
    if (!same) wishes.push(...this.#removals(entries));
    await guard.allowAll(wishes);
    if (same) return edits.rename(from, to);
    await this.#makeWay(stat, to);
    await this.#transfer(from, stat, to);
    for (const entry of entries) await edits.remove(entry.place, entry.type);
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
      const op = type === 'directory' ? 'rmdir' : 'unlink';
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
    const { table, lookup, edits } = this.#tools;
    if (isWithin(from.path, to.path))
      throw new FsError('EINVAL', { path: from.named, op: 'copyfile' });
    const there = table.isPinned(to.path) ? null : await lookup.lstatOrNull(to);
    const fresh = there === null && !table.isPinned(to.path);
    if (fresh) await edits.mkdir(to);
    else if (there !== null && there.type !== 'directory')
      throw new FsError('ENOTDIR', { path: to.named, op: 'copyfile' });
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
    const { lookup, edits } = this.#tools;
    const target = await this.#readlink(from);
    const there = await lookup.lstatOrNull(to);
    if (there?.type === 'directory')
      throw new FsError('EISDIR', { path: to.named, op: 'copyfile' });
    if (there !== null) await edits.unlink(to);
    await edits.symlink(target, to);
  }

  async #copyFile(from: Place, stat: MountStat, to: Place): Promise<void> {
    const { edits, read } = this.#tools;
    const fresh = await edits.write(to, await read(from));
    if (fresh && stat.mode !== NEW_FILE) await this.#setMode(to, stat.mode);
  }

  /** The mode of what was just made is part of making it, where the mount keeps modes at all. */
  async #setMode(place: Place, mode: number): Promise<void> {
    if (place.at.mount.chmod === undefined) return;
    await this.#tools.edits.settle(place);
    await this.#tools.edits.setMode(place, mode & 0o777);
  }

  async #readlink(place: Place): Promise<string> {
    return this.#tools.guard.ask(place, 'readlink', async (mount, inside) => {
      if (mount.readlink === undefined)
        throw new FsError('EINVAL', { path: inside, op: 'readlink' });
      return mount.readlink(inside);
    });
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
  async #transfer(from: Place, stat: MountStat, to: Place): Promise<void> {
    const { table, lookup, edits, read } = this.#tools;
    if (stat.type === 'symlink') return edits.symlink(await this.#readlink(from), to, true);
    if (stat.type === 'file') await edits.write(to, await read(from), true);
    else {
      if (!(await lookup.isThere(to))) await edits.mkdir(to, true);
      for (const row of await lookup.readdir(from)) {
        const child = table.child(from, row.name);
        await this.#transfer(child, await this.#statOf(child, row), table.child(to, row.name));
      }
    }
    if (stat.mode !== (stat.type === 'file' ? NEW_FILE : NEW_DIRECTORY))
      await this.#setMode(to, stat.mode);
    if (to.at.mount.utimes !== undefined) await edits.setTime(to, stat.mtime);
  }
}
