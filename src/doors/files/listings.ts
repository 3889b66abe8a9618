/** What the world said of directories, for a moment, and who walks through them. */
import type { DirentEntry } from '../../namespace/types.ts';
import { childOf, isWithin, nameOf, parentOf } from '../../paths.ts';

/** How many listings are remembered. */
const MOST = 1_000;

/** So many names are asked about at once, after a walk has asked about some. */
const AHEAD = 32;

interface Listing {
  rows: readonly DirentEntry[];
  until: number;
  /** Where each name is. */
  places: ReadonlyMap<string, number>;
  /** How many of its names were asked about. */
  looks: number;
}

export class Listings {
  readonly #ask: (path: string) => Promise<DirentEntry[]>;
  readonly #standsFor: (path: string) => number;
  readonly #known = new Map<string, Listing>();
  readonly #asked = new Map<string, Promise<readonly DirentEntry[]>>();
  /** Counts what was forgotten: an answer that was asked for before is not kept after. */
  #forgotten = 0;

  /** @param standsFor how long an answer stands, ms */
  constructor(ask: (path: string) => Promise<DirentEntry[]>, standsFor: (path: string) => number) {
    this.#ask = ask;
    this.#standsFor = standsFor;
  }

  /** @throws FsError */
  of(path: string): Promise<readonly DirentEntry[]> {
    const known = this.#known.get(path);
    if (known !== undefined && performance.now() < known.until) return Promise.resolve(known.rows);
    const under = this.#asked.get(path);
    if (under !== undefined) return under;
    const asked = this.#askNow(path).finally(() => {
      if (this.#asked.get(path) === asked) this.#asked.delete(path);
    });
    this.#asked.set(path, asked);
    return asked;
  }

  /**
   * Who looks at one name of a listing after the other looks at all of them.
   * @returns the names that come next, the more the longer it goes on; none after the first look
   */
  after(path: string): string[] {
    const directory = parentOf(path);
    const listing = this.#known.get(directory);
    const place = listing?.places.get(nameOf(path));
    if (listing === undefined || place === undefined) return [];
    const ahead = Math.min(listing.looks, AHEAD);
    listing.looks += 1 + ahead;
    const next = listing.rows.slice(place + 1, place + 1 + ahead);
    return next.map(({ name }) => childOf(directory, name));
  }

  /** Something was done in a directory. */
  forget(path: string): void {
    this.#forgotten += 1;
    this.#known.delete(path);
    this.#asked.delete(path);
  }

  /** Something was done to a directory, and to all below it. */
  forgetTree(path: string): void {
    for (const each of [...this.#known.keys(), ...this.#asked.keys()])
      if (isWithin(path, each)) this.forget(each);
  }

  async #askNow(path: string): Promise<readonly DirentEntry[]> {
    const forgotten = this.#forgotten;
    const rows = await this.#ask(path);
    if (forgotten !== this.#forgotten) return rows;
    const places = new Map(rows.map(({ name }, index) => [name, index]));
    const until = performance.now() + this.#standsFor(path);
    this.#known.delete(path);
    this.#known.set(path, { rows, until, places, looks: 0 });
    if (this.#known.size > MOST) this.#known.delete(this.#known.keys().next().value ?? '');
    return rows;
  }
}
