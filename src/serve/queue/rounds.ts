/** Whose turn it is: everybody comes in rounds, so that many messages of one hold nobody else up. */

/** The next message of a session that nothing runs of. */
export interface Waiting {
  id: string;
  session: string;
  actor: string;
}

/** Of so many it is known when they were served; one who is forgotten was served longest ago. */
const MOST_KNOWN = 10_000;

/** When each was served, the longest ago first. */
class Served {
  readonly #last = new Map<string, number>();
  #count = 0;

  /** 0 for one who was never served. */
  last(key: string): number {
    return this.#last.get(key) ?? 0;
  }

  note(key: string): void {
    this.#count += 1;
    this.#last.delete(key);
    this.#last.set(key, this.#count);
    if (this.#last.size <= MOST_KNOWN) return;
    const [oldest = ''] = this.#last.keys();
    this.#last.delete(oldest);
  }
}

/**
 * Of those who wait, the next is the one of whom fewest turns run, then the one who was served longest
 * ago; of their sessions likewise. Whoever has no turn waits for one turn of each other at most.
 */
export class Rounds {
  readonly #actors = new Served();
  readonly #sessions = new Served();

  /**
   * @param waiting one a session, in the order of the queue; not empty
   * @param running how many turns of an actor run
   */
  next<Each extends Waiting>(waiting: readonly Each[], running: (actor: string) => number): Each {
    const ranked = waiting.map((each) => ({
      each,
      rank: [
        running(each.actor),
        this.#actors.last(each.actor),
        this.#sessions.last(each.session),
      ] as const,
    }));
    const { each } = ranked.reduce((best, other) =>
      isBefore(other.rank, best.rank) ? other : best,
    );
    this.#actors.note(each.actor);
    this.#sessions.note(each.session);
    return each;
  }
}

type Rank = readonly [number, number, number];

/** Where they are alike, the one that came first stays. */
function isBefore(one: Rank, other: Rank): boolean {
  for (const [index, value] of one.entries()) {
    const against = other[index] ?? 0;
    if (value !== against) return value < against;
  }
  return false;
}
