/** Names of files, directories and links: made, given another, and removed. */
import { FsError } from '../../errors.ts';
import type { Location } from '../../namespace/inspect.ts';
import { parentOf } from '../../paths.ts';
import { type Entries, orNull, type Parts } from './entries.ts';
import { targetForHost, targetFromHost } from './links.ts';
import { keepsItsName, refuseOver } from './renaming.ts';

/** Flags of renameat2(2). */
const RENAME_NOREPLACE = 1;

/** The rights that the world gives a directory that it makes. */
const NEW_DIRECTORY = 0o755;

export interface NamesOptions {
  /** Where programs of the host see the world, '' for their root; null where clients see its own paths. */
  seenAt: string | null;
  /** Does a rename over mounts move? Programs of a system are told EXDEV, and copy; others have no second way. */
  movesOverMounts: boolean;
}

export class Names {
  readonly #parts: Parts;
  readonly #entries: Entries;
  readonly #options: NamesOptions;

  constructor(parts: Parts, entries: Entries, options: NamesOptions) {
    this.#parts = parts;
    this.#entries = entries;
    this.#options = options;
  }

  async mkdir(path: string, mode: number): Promise<void> {
    await this.#entries.vacant(path, 'mkdir');
    if (this.#parts.isOfService(path)) {
      await this.#parts.files.call(['mkdir', path]);
      return this.#entries.forget(path);
    }
    const { certain } = this.#parts.attributes;
    const isCertain = certain.canMake(path);
    if (isCertain && this.#makeLater(path, mode)) return;
    const lease = certain.leaseFor(path);
    const { calls, learn } = certain.asks(parentOf(path));
    const above = [path, parentOf(path)];
    const { values } = isCertain
      ? await this.#parts.open.behind((ahead) =>
          this.#parts.attributes.after([...ahead, ['mkdir', path]], above, 'ask'),
        )
      : await this.#parts.attributes.after([...calls, ['mkdir', path]], above);
    if (calls.length > 0) learn(values);
    certain.madeDirectory(path, lease);
    const found = await this.#entries.found(path, 'mkdir');
    if (found.mode !== mode) await this.#parts.attributes.after([['chmod', path, mode]], [path]);
  }

  /** A directory where nothing is and nothing is refused: the world is told of it later. @returns false where too little is known */
  #makeLater(path: string, mode: number): boolean {
    const { attributes, open } = this.#parts;
    const above = attributes.known(parentOf(path));
    if (above?.type !== 'directory') return false;
    // One that is told again, since something else in its message failed, is there already.
    open.putOff(['mkdir', path, { recursive: true }]);
    if (mode !== NEW_DIRECTORY) open.putOff(['chmod', path, mode]);
    attributes.certain.madeDirectory(path, attributes.certain.leaseFor(path));
    attributes.certain.takes(0);
    this.#entries.forget(path);
    // Its time is the world's: what is said of it until then stands for a moment alone.
    const mtime = Date.now();
    attributes.know(parentOf(path), { ...above, mtime });
    attributes.know(path, { ...above, mtime, mode, identity: `untold:${path}`, links: 1 });
    return true;
  }

  async rmdir(path: string): Promise<void> {
    const found = await this.#entries.found(path, 'rmdir');
    if (found.type !== 'directory') throw new FsError('ENOTDIR', { path, op: 'rmdir' });
    await this.#parts.files.call(['rm', path]);
    this.#parts.attributes.certain.gone(path);
    this.#parts.attributes.forgetTree(path);
    this.#entries.forget(path);
  }

  async unlink(path: string): Promise<void> {
    await this.#parts.open.settled(path);
    const dropping = this.#parts.scratch.get(path);
    const file = this.#parts.open.at(path);
    if (dropping !== undefined) {
      this.#parts.scratch.remove(path);
      return this.#parts.open.removed(path);
    }
    if (file?.isNew === true) return this.#parts.open.removed(path);
    const found = await this.#entries.found(path, 'unlink');
    if (found.type === 'directory') throw new FsError('EISDIR', { path, op: 'unlink' });
    // Whoever has it open reads on.
    if (file !== undefined) await this.#parts.open.load(file);
    await this.#parts.files.call(['rm', path]);
    this.#entries.gone(path, found);
  }

  /**
   * rename(2). Over mounts it is EXDEV, as over file systems, unless this door moves over them.
   * @param flags those of renameat2(2)
   */
  async rename(from: string, to: string, flags = 0): Promise<void> {
    if ((flags & ~RENAME_NOREPLACE) !== 0) {
      throw new FsError('EINVAL', {
        path: to,
        op: 'rename',
        reason: 'two names cannot be exchanged in one step here: rename one after the other',
      });
    }
    if ((flags & RENAME_NOREPLACE) !== 0) await this.#entries.vacant(to, 'rename');
    for (const name of [from, to]) await this.#parts.open.settled(name);
    if (this.#parts.scratch.get(from) !== undefined) return this.#renameDropping(from, to);
    const file = this.#parts.open.at(from);
    if (file?.isNew === true) await this.#parts.open.commit(file);
    const found = await this.#entries.found(from, 'rename');
    const target = await this.#parts.attributes.of(to);
    const located = await this.#parts.files.all([
      ['locate', from],
      ['locate', to],
    ]);
    const [at, onto] = located as [Location, Location];
    const isInside = at.point === onto.point;
    if (!isInside && !this.#options.movesOverMounts)
      throw new FsError('EXDEV', { path: to, op: 'rename' });
    if (!onto.possible) throw keepsItsName(from, to);
    // Two names of one file: nothing is done.
    if (isInside && target?.identity === found.identity && found.type === 'file') return;
    refuseOver(found, target, to);
    const replaced = this.#parts.open.at(to);
    if (replaced !== undefined) await this.#parts.open.load(replaced);
    this.#parts.attributes.forgetTree(from);
    this.#parts.attributes.forgetTree(to);
    await this.#parts.files.call(['mv', from, to]);
    if (target !== null && from !== to) this.#entries.gone(to, target);
    for (const name of [from, to]) this.#parts.attributes.certain.goneTree(name);
    this.#parts.attributes.certain.made(to);
    this.#parts.open.renamed(from, to);
    this.#parts.times.renamed(from, to);
    this.#parts.attributes.forgetTree(from);
    this.#parts.attributes.forgetTree(to);
    this.#entries.forget(parentOf(from));
    this.#entries.forget(to);
  }

  /** link(2) */
  async link(from: string, to: string): Promise<void> {
    await this.#entries.vacant(to, 'link');
    const file = this.#parts.open.at(from);
    if (file?.isDirty === true) await this.#parts.open.commit(file);
    await this.#parts.files.call(['link', from, to]);
    this.#parts.attributes.certain.made(to);
    this.#parts.attributes.forget(from);
    this.#entries.forget(to);
  }

  async symlink(target: string, path: string): Promise<void> {
    await this.#entries.vacant(path, 'symlink');
    const { seenAt } = this.#options;
    const kept = seenAt === null ? target : targetFromHost(target, seenAt);
    if (this.#parts.isOfService(path) && !(await this.#parts.files.locate(path)).possible)
      return void this.#parts.scratch.make(path, 0o777, kept);
    await this.#parts.files.call(['symlink', kept, path]);
    this.#parts.attributes.certain.made(path);
    this.#entries.forget(path);
  }

  async readlink(path: string): Promise<string> {
    const dropping = this.#parts.scratch.get(path);
    const target =
      dropping?.target ?? ((await this.#parts.files.call(['readlink', path])) as string);
    const { seenAt } = this.#options;
    return seenAt === null ? target : targetForHost(target, path, seenAt);
  }

  /** A dropping gets another name; that of a record is its write. */
  async #renameDropping(from: string, to: string): Promise<void> {
    const onto = await this.#parts.files.locate(to);
    const at = await this.#parts.files.locate(from);
    if (at.point !== onto.point) throw new FsError('EXDEV', { path: to, op: 'rename' });
    const file = this.#parts.open.at(from);
    if (file !== undefined) await this.#parts.open.commit(file);
    const dropping = this.#parts.scratch.get(from);
    if (dropping === undefined) throw new FsError('ENOENT', { path: from, op: 'rename' });
    if (!onto.possible) {
      const replaced = this.#parts.scratch.get(to);
      if (replaced !== undefined) this.#parts.open.removed(to);
      this.#parts.scratch.rename(from, to);
      return this.#parts.open.renamed(from, to);
    }
    if (dropping.target !== null) throw new FsError('EPERM', { path: to, op: 'rename' });
    this.#entries.forget(to);
    const record = await this.#parts.attributes.of(to).catch(orNull);
    await this.#parts.files.call(['writeFile', to, dropping.bytes]);
    if (record !== null) this.#parts.open.replaced(record.identity);
    this.#parts.scratch.remove(from);
    this.#parts.open.removed(from);
    const replaced = this.#parts.open.at(to);
    if (replaced !== undefined) this.#parts.open.removed(to, replaced.identity);
    this.#parts.times.changed(to);
    this.#entries.forget(to);
  }
}
