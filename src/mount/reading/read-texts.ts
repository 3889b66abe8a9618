/** What was read through a mount: the base that an edit starts from, and the true sizes. */
import type { Replica } from '../../replica/replica.ts';
import type { Reads } from '../../replica/revisions.ts';
import type { Content } from '../table/route.ts';
import type { Base } from '../writing/writer.ts';
import { derive, holds } from './derived.ts';

/** How many texts are remembered as bases; an older one is the replica's. */
const BASES_KEPT = 2_000;
/** How many sizes are remembered; past it they are estimates again. */
const SIZES_KEPT = 100_000;

/** A size, and up to when it is known to hold. */
interface Size {
  value: number;
  /** What its text was made of; null where that is not known. */
  reads: Reads;
  /** The latest revision of the replica at which it is known to hold; null for none. */
  holdsAt: number | null;
}

export class ReadTexts {
  readonly #bases = new Map<string, Base>();
  readonly #sizes = new Map<string, Size>();

  /** @param revision the replica's, before the text was made */
  remember(path: string, content: Content, revision: number | null, editable: boolean): void {
    const { text, version } = content;
    const size = { value: lengthOf(content), reads: null, holdsAt: revision };
    keep(this.#sizes, path, size, SIZES_KEPT);
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

  /**
   * The true size of what was read, in bytes; null for what was not.
   * @param make makes the text, of the replica alone; null where there is none at hand
   */
  size(path: string, replica: Replica, make: () => Content | null): number | null {
    const size = this.#sizes.get(path);
    if (size === undefined) return null;
    const revision = replica.revision();
    if (revision !== null && size.holdsAt === revision) return size.value;
    const { value, reads } = size;
    const made = { value, reads, holdsAt: size.holdsAt ?? 0 };
    if (holds(replica, made, revision)) {
      size.holdsAt = revision;
      return value;
    }
    const content = derive(replica, make);
    if (content.value === null) return null;
    const { holdsAt } = content;
    const now = { value: lengthOf(content.value), reads: content.reads };
    keep(this.#sizes, path, { ...now, holdsAt: now.reads === null ? null : holdsAt }, SIZES_KEPT);
    return now.value;
  }
}

function lengthOf({ text, bytes }: Content): number {
  return bytes?.length ?? Buffer.byteLength(text);
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
