/** The mount table: which mount answers for a path. It knows paths, and asks no mount anything. */
import { FsError } from '../errors.ts';
import type { Mount } from '../mount/contract/contract.ts';
import { childOf, isWithin, nameOf, parentOf, resolvePath } from '../paths.ts';
import type { Access } from '../policy/gate.ts';
import { isSearchable } from './searchable.ts';

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
  /** The path as the caller named it, for messages. */
  named: string;
  at: Attachment;
  /** The path inside the mount. */
  inside: string;
  /** Of a text that is made of a document: where that lies. */
  document?: Place;
}

/** Mounts by their mount points, longest prefix first. */
export class MountTable {
  readonly #byPoint = new Map<string, Attachment>();
  /** Every proper ancestor of a mount point: a directory even where no mount has one. */
  readonly #ancestors = new Set<string>();
  #sorted: readonly Attachment[] = [];
  #attached = 0;

  /** Attaches a mount; the table is complete once the root is in it. */
  attach(attachment: Omit<Attachment, 'id'>): void {
    const point = resolvePath('/', attachment.point);
    this.#byPoint.set(point, { ...attachment, point, id: this.#attached++ });
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

  /** Is it a proper ancestor of a mount point? It is a directory, whatever its own mount says. */
  isAncestor(path: string): boolean {
    return this.#ancestors.has(path);
  }

  /** Is it a mount point, or an ancestor of one? Such a directory cannot be removed or renamed. */
  isPinned(path: string): boolean {
    return this.#byPoint.has(path) || this.#ancestors.has(path);
  }

  /** The mounts attached strictly below a directory. */
  below(path: string): Attachment[] {
    if (!this.#ancestors.has(path)) return [];
    return this.#sorted.filter((each) => each.point !== path && isWithin(path, each.point));
  }

  /** The names in a directory that lead to mount points. */
  mountedNames(path: string): Set<string> {
    const names = new Set<string>();
    for (const { point } of this.below(path)) {
      let child = point;
      while (parentOf(child) !== path) child = parentOf(child);
      names.add(nameOf(child));
    }
    return names;
  }

  /** The place of a path taken as it stands, no link followed. */
  place(path: string, named = path): Place {
    for (const at of this.#sorted) {
      const { point } = at;
      if (point === '/') return { path, named, at, inside: path };
      if (isWithin(point, path)) {
        return {
          path,
          named,
          at,
          inside: path.length === point.length ? '/' : path.slice(point.length),
        };
      }
    }
    throw new FsError('ENOENT', { path: named, op: 'lookup' });
  }

  /** May a path be searched by meaning? */
  isSearchable(path: string): boolean {
    return isSearchable(this.#sorted, path);
  }

  /** The place of one name in a directory. */
  child(directory: Place, name: string): Place {
    return this.place(childOf(directory.path, name), childOf(directory.named, name));
  }

  /** The path of something in a mount, as the namespace shows it. */
  shown(at: Attachment, inside: string): string {
    if (inside === '/') return at.point;
    return at.point === '/' ? inside : at.point + inside;
  }
}
