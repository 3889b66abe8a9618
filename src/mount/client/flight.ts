/** One flight for the same question, and a bound on how many fly at once. */

/** Joins callers who ask for the same key while it is being answered. */
export class Flights {
  readonly #flying = new Map<string, Promise<void>>();

  /** Does the work, or joins what is under way under the same key. Rejects with what the work throws. */
  run(key: string, work: () => Promise<void>): Promise<void> {
    const flying = this.#flying.get(key);
    if (flying !== undefined) return flying;
    const flight = work().finally(() => this.#flying.delete(key));
    this.#flying.set(key, flight);
    return flight;
  }
}

/** Lets at most `limit` pieces of work run at once; the others wait in order. */
export class Pool {
  readonly #limit: number;
  readonly #waiting: (() => void)[] = [];
  #running = 0;

  constructor(limit: number) {
    this.#limit = limit;
  }

  /** `urgent` goes before everything that waits. */
  async run<T>(work: () => Promise<T>, urgent = false): Promise<T> {
    if (this.#running < this.#limit) this.#running++;
    else {
      await new Promise<void>((resolve) => {
        if (urgent) this.#waiting.unshift(resolve);
        else this.#waiting.push(resolve);
      });
    }
    try {
      return await work();
    } finally {
      const next = this.#waiting.shift();
      // Whoever waits takes over the place, so that nobody slips in between.
      if (next === undefined) this.#running--;
      else next();
    }
  }
}
