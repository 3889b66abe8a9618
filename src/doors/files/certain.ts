/**
 * What is certain while this door has the world to itself: the names in directories in memory, and
 * where files may be made. What is not among the names is not there, and nobody has to be asked.
 */
import { childOf, isWithin, nameOf, parentOf } from '../../paths.ts';
import { parseTextName } from '../../texts/names.ts';
import type { WorldFiles } from './world-files.ts';

/** So many names that are not in a directory are asked about before its listing is. */
const MISSES = 2;

/** Names and paths of more bytes are refused, which is the world's to say. */
const LONGEST = { name: 255, path: 3_500 };

export class Certain {
  readonly #files: WorldFiles;
  readonly #points: readonly string[];
  /** Below which files are made and written with nobody asked; and where that is not so. */
  readonly #free = new Map<string, boolean>();
  readonly #names = new Map<string, Set<string>>();
  readonly #misses = new Map<string, number>();
  /** Of which lease all of it is. */
  #lease = 0;

  /** @param points of mounts in memory, of which nobody outside the world has a part */
  constructor(files: WorldFiles, points: readonly string[]) {
    this.#files = files;
    this.#points = points;
  }

  /** The lease under which what is asked about a path now stays true; 0 for none. */
  leaseFor(path: string): number {
    const { lease } = this.#files;
    if (this.#lease !== lease) {
      this.#names.clear();
      this.#misses.clear();
      this.#free.clear();
      this.#lease = lease;
    }
    // A text changes with its document, and is in no listing.
    return lease === 0 || this.#pointOf(path) === null || parseTextName(path) !== null ? 0 : lease;
  }

  #pointOf(path: string): string | null {
    const points = this.#points.filter(
      (point) => path === point || path.startsWith(childOf(point, '')),
    );
    return points.sort((a, b) => b.length - a.length)[0] ?? null;
  }

  /** Is it certain that nothing is there? */
  lacks(path: string): boolean {
    if (this.leaseFor(path) === 0) return false;
    return this.#names.get(parentOf(path))?.has(nameOf(path)) === false;
  }

  /** Can a file be made at a path without asking anybody before it is written? */
  canMake(path: string): boolean {
    if (!this.lacks(path)) return false;
    if (Buffer.byteLength(nameOf(path)) > LONGEST.name) return false;
    if (Buffer.byteLength(path) > LONGEST.path) return false;
    const directory = parentOf(path);
    for (let up = directory; up !== '/'; up = parentOf(up)) {
      const free = this.#free.get(up);
      if (free === true) return true;
      if (free === false && up === directory) return false;
    }
    // It is asked for the next one. Until then, and where it fails, files are made as elsewhere.
    void this.#askFree(directory).catch(() => undefined);
    return false;
  }

  async #askFree(directory: string): Promise<void> {
    const lease = this.leaseFor(directory);
    const asked = [this.#pointOf(directory) ?? directory, directory];
    for (const each of asked) this.#free.set(each, false);
    const answers = await this.#files.all(asked.map((each) => ['leavesAlone', each] as const));
    if (lease !== this.leaseFor(directory)) return;
    for (const [index, each] of asked.entries()) this.#free.set(each, answers[index] === true);
  }

  /** Nothing was found at a path. @returns is it time to ask for the listing of its directory? */
  missed(path: string): boolean {
    const directory = parentOf(path);
    if (this.leaseFor(path) === 0 || this.leaseFor(directory) === 0) return false;
    if (this.#names.has(directory)) return false;
    const misses = (this.#misses.get(directory) ?? 0) + 1;
    this.#misses.set(directory, misses);
    return misses === MISSES;
  }

  /** All that is in a directory. @param lease under which that was asked */
  listed(directory: string, names: Iterable<string>, lease: number): void {
    if (lease === 0 || lease !== this.leaseFor(directory)) return;
    this.#names.set(directory, new Set(names));
  }

  /** A name was given. */
  made(path: string): void {
    this.#names.get(parentOf(path))?.add(nameOf(path));
  }

  /** A name is gone, and what was below it. */
  gone(path: string): void {
    this.#names.get(parentOf(path))?.delete(nameOf(path));
    if (!this.#names.has(path)) return;
    for (const directory of this.#names.keys())
      if (isWithin(path, directory)) this.#names.delete(directory);
  }
}
