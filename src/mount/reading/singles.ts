/** Tells when single questions have become so many that one for all of them costs less. */

/** From this many asked for singly, the whole collection is asked for. */
const SINGLES = 3;
/** Within this time, in ms. */
const SINGLES_MS = 60_000;

/** Counts what is asked for one by one. */
export class Singles {
  readonly #now: () => Date;
  readonly #asked = new Map<string, Map<string, number>>();

  constructor(now: () => Date) {
    this.#now = now;
  }

  /** Counts a single question, and tells whether there were too many of its kind lately. */
  isMany(kind: string, one: string): boolean {
    const now = this.#now().getTime();
    const asked = this.#asked.get(kind) ?? new Map<string, number>();
    this.#asked.set(kind, asked);
    for (const [earlier, at] of asked) if (now - at > SINGLES_MS) asked.delete(earlier);
    asked.set(one, now);
    return asked.size > SINGLES;
  }
}
