/**
 * Writes held back. just-bash carries out `cmd > file` as two writes, an empty
 * one before the command and one with the output after it. To a service the
 * empty one must not be sent: it is held until the data comes, or the command
 * ends, and reads in between see the file empty, as after open(2) with O_TRUNC.
 * So it is where a person is asked, who is to see what would be written.
 * Elsewhere the empty file is made at once, and filling it is still creating it,
 * which matters where new files are allowed and rewriting old ones is not.
 */
import type { MountStat } from '../mount/contract/contract.ts';
import { isWithin } from '../paths.ts';
import type { Strand, Strands } from './strands.ts';
import type { Place } from './table.ts';

interface Held {
  place: Place;
  since: Date;
  /** Was there no such file? */
  fresh: boolean;
  /** Its place in the order of openings. */
  turn: number;
  strand: Strand;
}

/** The files that are open for writing and have got no data yet. */
export class HeldWrites {
  readonly #held = new Map<string, Held>();
  readonly #made = new Map<string, { turn: number; strand: Strand }>();
  readonly #strands: Strands;
  #turn = 0;

  constructor(strands: Strands) {
    this.#strands = strands;
  }

  /** Holds an empty write. */
  hold(place: Place, fresh: boolean): void {
    if (this.#held.has(place.path)) return;
    const strand = this.#strands.current();
    this.#held.set(place.path, { place, since: new Date(), fresh, turn: this.#turn++, strand });
  }

  /** A point in the order of openings, for {@link drain}. */
  mark(): number {
    return this.#turn;
  }

  /** The empty file was made, by the write before its data. */
  made(path: string): void {
    this.#made.set(path, { turn: this.#turn++, strand: this.#strands.current() });
  }

  /** Does a write to it still belong to its creation? */
  isFresh(path: string): boolean {
    return this.#made.has(path) || this.#held.get(path)?.fresh === true;
  }

  /** The data has come, or the file has gone: nothing is held any more. */
  release(path: string): void {
    this.#held.delete(path);
    this.#made.delete(path);
  }

  has(path: string): boolean {
    return this.#held.has(path);
  }

  /** The attributes of a file that is held and not there yet. */
  stat(path: string): MountStat | null {
    const held = this.#held.get(path);
    return held === undefined ? null : { type: 'file', mode: 0o644, size: 0, mtime: held.since };
  }

  /** What is held at a path or below it. */
  within(path: string): Place[] {
    if (this.#held.size === 0) return [];
    return [...this.#held.values()]
      .map((each) => each.place)
      .filter((place) => isWithin(path, place.path));
  }

  /** What the job that asks opened since a mark, and gave no data: each is to be written empty now. */
  drain(since = 0): { place: Place; fresh: boolean }[] {
    const current = this.#strands.current();
    const isDue = (one: { turn: number; strand: Strand }): boolean =>
      one.turn >= since && one.strand === current;
    for (const [path, one] of this.#made) if (isDue(one)) this.#made.delete(path);
    const due = [...this.#held.values()].filter(isDue);
    for (const { place } of due) this.#held.delete(place.path);
    return due;
  }

  /** Nothing is held any more, and nothing of it will be written. */
  forget(): void {
    this.#held.clear();
    this.#made.clear();
  }
}
