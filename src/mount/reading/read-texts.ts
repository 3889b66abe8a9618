/** What was read through a mount: the base that an edit starts from, and the true sizes. */
import type { Entry } from '../table/route.ts';
import type { Base } from '../writing/writer.ts';

/** How many texts are remembered as bases; an older one is the replica's. */
const BASES_KEPT = 2_000;
/** How many sizes are remembered; past it they are estimates again. */
const SIZES_KEPT = 200_000;

export class ReadTexts {
  readonly #bases = new Map<string, Base>();
  readonly #sizes = new Map<string, { version: string; size: number }>();

  remember(path: string, { text, version }: Base, size: number, editable: boolean): void {
    keep(this.#sizes, path, { version, size }, SIZES_KEPT);
    if (editable) keep(this.#bases, path, { text, version }, BASES_KEPT);
  }

  /** The text as it was last read, which may be older than what the replica holds now. */
  base(path: string): Base | null {
    return this.#bases.get(path) ?? null;
  }

  forget(path: string): void {
    this.#bases.delete(path);
  }

  /** Forgets the texts that were read below a directory. */
  forgetBelow(directory: string): void {
    for (const path of this.#bases.keys()) {
      if (path.startsWith(`${directory}/`)) this.#bases.delete(path);
    }
  }

  /** The true size where this version was read, else the entry's estimate. */
  size(path: string, entry: Entry): number {
    const seen = this.#sizes.get(path);
    if (seen === undefined) return entry.size;
    return entry.version === undefined || entry.version === seen.version ? seen.size : entry.size;
  }
}

/** Sets an entry as the newest of a map, and lets the oldest go. */
function keep<V>(map: Map<string, V>, key: string, value: V, limit: number): void {
  map.delete(key);
  map.set(key, value);
  if (map.size <= limit) return;
  for (const oldest of map.keys()) {
    map.delete(oldest);
    return;
  }
}
