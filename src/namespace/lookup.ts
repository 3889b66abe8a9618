/** Looking up: where a path leads once links are followed, over mounts, and what is there. */
import { FsError, isFsError } from '../errors.ts';
import type { Dirent, MountStat } from '../mount/contract/contract.ts';
import { childOf, parentOf, resolvePath } from '../paths.ts';
import { parseTextName, textPath } from '../texts/names.ts';
import type { DocumentTexts } from '../texts/texts.ts';
import type { Guard } from './guard.ts';
import type { MountTable, Place } from './table.ts';
import { TextFile } from './text-file.ts';

/** As many links as Linux follows: path_resolution(7). */
const MAX_LINKS = 40;

const EPOCH = new Date(0);

/** Looks up paths in a mount table, each question to a mount guarded. */
export class Lookup {
  readonly #table: MountTable;
  readonly #guard: Guard;
  readonly #texts: DocumentTexts | null;

  /** @param texts shows documents' texts beside them; null shows none */
  constructor(table: MountTable, guard: Guard, texts: DocumentTexts | null) {
    this.#table = table;
    this.#guard = guard;
    this.#texts = texts;
  }

  /**
   * Follows the links of a path, over mounts. The caller's own `..` are taken by
   * text, as a shell does; those of a link go to the real parent, as in POSIX.
   * @param follow also the last component, as open(2) does and lstat(2) does not
   * @throws FsError ELOOP after 40 links
   */
  async resolve(path: string, follow: boolean, op: string): Promise<Place> {
    const named = resolvePath('/', path);
    const place = this.#straight(named, follow, named) ?? (await this.#follow(named, follow, op));
    return (await this.#text(place, op)) ?? place;
  }

  /** The attributes of a place; an ancestor of a mount point is a directory in any case. */
  async lstat(place: Place): Promise<MountStat> {
    const ancestor = place.inside !== '/' && this.#table.isAncestor(place.path);
    try {
      const stat = await this.#guard.ask(place, 'lstat', (mount, inside) => mount.lstat(inside));
      if (!ancestor || stat.type === 'directory') return stat;
    } catch (error) {
      if (!ancestor || !isMissing(error)) throw error;
    }
    return { type: 'directory', mode: 0o755, size: 4096, mtime: EPOCH };
  }

  /** The attributes of a place; null where nothing is (ENOENT). */
  async lstatOrNull(place: Place): Promise<MountStat | null> {
    if (this.#lacks(place) && !this.#table.isAncestor(place.path)) return null;
    try {
      return await this.lstat(place);
    } catch (error) {
      if (isFsError(error, 'ENOENT')) return null;
      throw error;
    }
  }

  async isThere(place: Place): Promise<boolean> {
    return this.#table.isPinned(place.path) || (await this.lstatOrNull(place)) !== null;
  }

  /** The listing of a place: what the mount has, and the mount points in it. */
  async readdir(place: Place): Promise<Dirent[]> {
    const ancestor = this.#table.isAncestor(place.path);
    let own: Dirent[] = [];
    try {
      own = await this.#guard.ask(place, 'scandir', (mount, inside) => mount.readdir(inside));
    } catch (error) {
      if (!ancestor || place.inside === '/' || !isMissing(error)) throw error;
    }
    if (!ancestor) return own;
    const rows = new Map(own.map((row) => [row.name, row]));
    for (const name of this.#table.mountedNames(place.path))
      rows.set(name, { name, type: 'directory' });
    return [...rows.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
  }

  /**
   * The place of a document's text, whatever else has that name.
   * @throws FsError ENOENT where there is no such document
   */
  async documentText(path: string, op: string): Promise<Place> {
    const document = await this.resolve(path, true, op);
    const place = this.#table.place(textPath(document.path), document.named);
    const text = this.#texts && (await this.#textOf(document, place, null, this.#texts));
    if (text === null) throw new FsError('ENOENT', { path: document.named, op });
    return text;
  }

  async #textOf(
    document: Place,
    place: Place,
    page: string | null,
    texts: DocumentTexts,
  ): Promise<Place | null> {
    const stat = await this.lstatOrNull(document);
    if (stat?.type !== 'file') return null;
    const mount = new TextFile({ document, stat, page }, texts);
    return { ...place, at: { ...place.at, mount }, document };
  }

  /** The text of a document, where a path names one and is no file of its own; null elsewhere. */
  async #text(place: Place, op: string): Promise<Place | null> {
    const name = this.#texts === null ? null : parseTextName(place.path);
    if (this.#texts === null || name === null) return null;
    try {
      if (await this.isThere(place)) return null;
      const document = await this.resolve(name.document, true, op);
      return await this.#textOf(document, place, name.page, this.#texts);
    } catch (error) {
      // What is missing is told by the operation itself.
      if (isMissing(error)) return null;
      throw error;
    }
  }

  /** The place of a path, when its mount knows at once that no link is on the way there. */
  #straight(path: string, follow: boolean, named: string): Place | null {
    const place = this.#table.place(path, named);
    const { mount } = place.at;
    // Above a mount point there are only directories: its own mount alone can have links.
    if (mount.readlink === undefined || place.inside === '/') return place;
    const links = mount.hasLinks?.(follow ? place.inside : parentOf(place.inside));
    return links === false ? place : null;
  }

  /** Goes through a path name by name. */
  async #follow(named: string, follow: boolean, op: string): Promise<Place> {
    let real = '/';
    // The names still to be gone through, the next one last.
    let rest = namesOf(named);
    let links = 0;
    for (let name = rest.pop(); name !== undefined; name = rest.pop()) {
      if (name === '.') continue;
      if (name === '..') {
        real = parentOf(real);
        continue;
      }
      const here = this.#table.place(childOf(real, name), named);
      const stays = rest.length === 0 && !follow;
      const target = stays ? null : await this.#target(here, op, !isPlain(rest));
      if (target === null) {
        real = here.path;
        continue;
      }
      links += 1;
      if (links > MAX_LINKS) throw new FsError('ELOOP', { path: named, op });
      if (target.startsWith('/')) real = '/';
      rest = [...rest, ...namesOf(target)];
      if (!isPlain(rest)) continue;
      const straight = this.#straight(joined(real, rest), follow, named);
      if (straight !== null) return straight;
    }
    return this.#table.place(real, named);
  }

  /** Is it known at once that nothing is there? Most questions about nothing need no error. */
  #lacks(place: Place): boolean {
    return place.at.mount.lacks?.(place.inside) === true;
  }

  /** What the link at a place points to; null when it is none. */
  async #target(place: Place, op: string, entered: boolean): Promise<string | null> {
    if (this.#table.isPinned(place.path) || (!entered && this.#lacks(place))) return null;
    let stat: MountStat;
    try {
      stat = await this.#guard.ask(place, op, (mount, inside) => mount.lstat(inside));
    } catch (error) {
      // What is missing is told by the operation itself; but nothing is entered that is not there.
      if (!isMissing(error) || entered) throw error;
      return null;
    }
    if (stat.type === 'symlink')
      return this.#guard.ask(place, op, async (mount, inside) => mount.readlink?.(inside) ?? null);
    if (entered && stat.type === 'file') throw new FsError('ENOTDIR', { path: place.named, op });
    return null;
  }
}

/** ENOENT or ENOTDIR: an answer to "is it there?". */
export function isMissing(error: unknown): boolean {
  return isFsError(error, 'ENOENT') || isFsError(error, 'ENOTDIR');
}

/** The components of a path, the first one last. A `.` is kept at the end, where it asks for a directory. */
function namesOf(path: string): string[] {
  const names = path.split('/').filter((name) => name !== '' && name !== '.');
  if (names.length > 0 && /\/\.?$/.test(path)) names.push('.');
  return names.reverse();
}

/** Are the names to go through all names of entries? */
function isPlain(rest: readonly string[]): boolean {
  return !rest.includes('..') && !rest.includes('.');
}

/** A directory, and the names still to go through below it. */
function joined(real: string, rest: readonly string[]): string {
  return rest.length === 0 ? real : childOf(real, rest.toReversed().join('/'));
}
