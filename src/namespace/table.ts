/** The mount table: which mount answers for a path, and where a path leads once links are followed. */
import { FsError, isFsError } from '../errors.ts';
import type { Dirent, Mount, MountStat } from '../mount/contract.ts';
import type { Access } from '../policy/gate.ts';
import { childOf, isWithin, nameOf, parentOf, resolvePath } from './paths.ts';

/** A mount attached at a path. */
export interface Attachment {
  point: string;
  mount: Mount;
  access: Access;
  /** May its text be searched by meaning? */
  searchable: boolean;
  /** Tells attachments apart in `identity`, whatever they are called. */
  id: number;
}

/** Where a path leads. */
export interface Place {
  /** The path with every link followed (but the last one, if that was asked for). */
  path: string;
  at: Attachment;
  /** The path inside the mount. */
  inside: string;
}

/** As many links as Linux follows: path_resolution(7). */
const MAX_LINKS = 40;

const EPOCH = new Date(0);

/** Mounts by their mount points, longest prefix first. */
export class MountTable {
  readonly #byPoint = new Map<string, Attachment>();
  /** Every proper ancestor of a mount point: a directory even where no mount has one. */
  readonly #ancestors = new Set<string>();
  #sorted: Attachment[] = [];

  /** Attaches a mount; the table is complete once the root is in it. */
  attach(attachment: Omit<Attachment, 'id'>): void {
    const point = resolvePath('/', attachment.point);
    this.#byPoint.set(point, { ...attachment, point, id: this.#byPoint.size });
    for (let up = point; up !== '/'; ) {
      up = parentOf(up);
      this.#ancestors.add(up);
    }
    this.#sorted = [...this.#byPoint.values()].sort((a, b) => b.point.length - a.point.length);
  }

  get attachments(): readonly Attachment[] {
    return [...this.#sorted].reverse();
  }

  at(point: string): Attachment | undefined {
    return this.#byPoint.get(point);
  }

  /** Is it a mount point, or an ancestor of one? Such a directory cannot be removed or renamed. */
  isPinned(path: string): boolean {
    return this.#byPoint.has(path) || this.#ancestors.has(path);
  }

  /** The mounts attached strictly below a directory. */
  below(path: string): Attachment[] {
    return this.attachments.filter((each) => each.point !== path && isWithin(path, each.point));
  }

  /** The place of a path taken as it stands, no link followed. */
  place(path: string): Place {
    for (const at of this.#sorted) {
      if (isWithin(at.point, path)) {
        return { path, at, inside: at.point === '/' ? path : path.slice(at.point.length) || '/' };
      }
    }
    throw new FsError('ENOENT', { path, op: 'lookup' });
  }

  /**
   * Follows the links of a path, over mounts.
   * @param follow also the last component, as open(2) does and lstat(2) does not
   * @throws FsError ELOOP after 40 links
   */
  async resolve(path: string, follow: boolean, op: string): Promise<Place> {
    let current = resolvePath('/', path);
    for (let hops = 0; hops <= MAX_LINKS; hops++) {
      const place = this.place(current);
      const next = await this.#firstLink(place, follow);
      if (next === null) return place;
      current = next;
    }
    throw new FsError('ELOOP', { path, op });
  }

  /** The path with its first link replaced by what it points to; null when there is none. */
  async #firstLink(place: Place, follow: boolean): Promise<string | null> {
    const { mount, point } = place.at;
    if (mount.readlink === undefined || mount.hasLinks?.() === false || place.inside === '/')
      return null;
    const names = place.inside.slice(1).split('/');
    let inside = '';
    for (const [index, name] of names.entries()) {
      if (index === names.length - 1 && !follow) return null;
      inside = `${inside}/${name}`;
      const path = point === '/' ? inside : point + inside;
      if (this.isPinned(path)) continue;
      const stat = await lstatOrNull(mount, inside);
      if (stat === null) return null;
      if (stat.type !== 'symlink') continue;
      const target = resolvePath(parentOf(path), await mount.readlink(inside));
      return resolvePath(target, names.slice(index + 1).join('/'));
    }
    return null;
  }

  /** The attributes of a place; an ancestor of a mount point is a directory in any case. */
  async lstat(place: Place): Promise<MountStat> {
    try {
      return await place.at.mount.lstat(place.inside);
    } catch (error) {
      if (!this.#ancestors.has(place.path) || !isMissing(error)) throw error;
      return { type: 'directory', mode: 0o755, size: 4096, mtime: EPOCH };
    }
  }

  /** The listing of a place: what the mount has, and the mount points in it. */
  async readdir(place: Place): Promise<Dirent[]> {
    const rows = new Map<string, Dirent>();
    try {
      for (const row of await place.at.mount.readdir(place.inside)) rows.set(row.name, row);
    } catch (error) {
      if (!this.#ancestors.has(place.path) || !isMissing(error)) throw error;
    }
    if (this.#ancestors.has(place.path)) {
      for (const name of this.#mountedNames(place.path))
        rows.set(name, { name, type: 'directory' });
      return [...rows.values()].sort((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0));
    }
    return [...rows.values()];
  }

  #mountedNames(path: string): Set<string> {
    const names = new Set<string>();
    for (const { point } of this.below(path)) {
      let child = point;
      while (parentOf(child) !== path) child = parentOf(child);
      names.add(nameOf(child));
    }
    return names;
  }

  /** The path of something in a mount, as the namespace shows it. */
  shown(at: Attachment, inside: string): string {
    if (inside === '/') return at.point;
    return at.point === '/' ? inside : childOf(at.point, inside.slice(1));
  }
}

function isMissing(error: unknown): boolean {
  return isFsError(error, 'ENOENT') || isFsError(error, 'ENOTDIR');
}

async function lstatOrNull(mount: Mount, inside: string): Promise<MountStat | null> {
  try {
    return await mount.lstat(inside);
  } catch (error) {
    if (isMissing(error)) return null;
    throw error;
  }
}
