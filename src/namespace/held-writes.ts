/**
 * Writes held back. just-bash carries out `cmd > file` as two writes, an empty
 * one before the command and one with the output after it. To a service the
 * empty one must not be sent: it is held until the data comes, or the command
 * ends, and reads in between see the file empty, as after open(2) with O_TRUNC.
 */
import type { Place } from './table.ts';

/** The files that are open for writing and have got no data yet. */
export class HeldWrites {
  readonly #held = new Map<string, Place>();

  hold(place: Place): void {
    this.#held.set(place.path, place);
  }

  /** The data has come: the file is no longer held. True if it was. */
  release(path: string): boolean {
    return this.#held.delete(path);
  }

  has(path: string): boolean {
    return this.#held.has(path);
  }

  /** What got no data: each is to be written empty now. */
  drain(): Place[] {
    const places = [...this.#held.values()];
    this.#held.clear();
    return places;
  }
}
