/** What the index was given of the files of one mount, directory by directory. */
import { type Identity, sameIdentity } from '../../mount/contract/walked-file.ts';
import { childOf, isWithin, nameOf, parentOf } from '../../paths.ts';

/** One directory of which files or directories are known. */
export class KnownDirectory {
  readonly path: string;
  /** What each file looked like when it was handed out; null where that is to be found out. */
  readonly files = new Map<string, Identity | null>();
  /** Names of directories in it. */
  readonly below = new Set<string>();
  /** The names of the listing that it was compared with last. */
  names: readonly string[] | null = null;
  epoch: unknown;

  constructor(path: string) {
    this.path = path;
  }

  /** Has a file the identity that it was handed out with? */
  holds(name: string, identity: Identity | null): boolean {
    const known = this.files.get(name) ?? null;
    return known !== null && identity !== null && sameIdentity(known, identity);
  }
}

export class KnownFiles {
  readonly #point: string;
  readonly #directories = new Map<string, KnownDirectory>();

  /** @param point the directory that all of them are in */
  constructor(point: string) {
    this.#point = point;
  }

  /** Directories of which something is known. */
  get size(): number {
    return this.#directories.size;
  }

  get directories(): Iterable<KnownDirectory> {
    return this.#directories.values();
  }

  /** How many files are known. */
  get files(): number {
    let files = 0;
    for (const directory of this.directories) files += directory.files.size;
    return files;
  }

  get(path: string): KnownDirectory | undefined {
    return this.#directories.get(path);
  }

  /** A directory, and those that it is in: from now on they are known. */
  open(path: string): KnownDirectory {
    const known = this.#directories.get(path);
    if (known !== undefined) return known;
    const opened = new KnownDirectory(path);
    this.#directories.set(path, opened);
    if (path !== this.#point) this.open(parentOf(path)).below.add(nameOf(path));
    return opened;
  }

  /** Forgets a directory and what is in it; the paths of its files. */
  forget(path: string): string[] {
    const known = this.#directories.get(path);
    if (known === undefined) return [];
    const gone = [...known.files.keys()].map((name) => childOf(path, name));
    for (const name of known.below) gone.push(...this.forget(childOf(path, name)));
    this.#directories.delete(path);
    if (path !== this.#point) this.#directories.get(parentOf(path))?.below.delete(nameOf(path));
    return gone;
  }

  /** The directories at or below a path. */
  *within(path: string): Iterable<KnownDirectory> {
    if (path === this.#point) yield* this.#directories.values();
    else for (const each of this.#directories.values()) if (isWithin(path, each.path)) yield each;
  }
}

/** An identity as one string, and back. */
export const written = (identity: Identity | null): string => identity?.join(' ') ?? '';

export function identityOf(text: string): Identity | null {
  if (text === '') return null;
  return text.split(' ').map((part) => (/^\d+(?:\.\d+)?$/.test(part) ? Number(part) : part));
}
