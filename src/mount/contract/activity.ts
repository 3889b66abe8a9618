/** What a mount fetches at this moment, for people who wait for it. */

/** One thing under way. */
export interface Progress {
  /** What is fetched: `issues octo/hello`. */
  what: string;
  /** Parts that have come, of so many; null while nobody knows how many there are. */
  done: number;
  total: number | null;
  /** When it began, ms since the epoch. */
  startedAt: number;
}

export class Activity {
  readonly #now: () => Date;
  readonly #running = new Map<string, Progress>();

  constructor(now: () => Date) {
    this.#now = now;
  }

  /** Shows a piece of work while it runs. */
  async run<T>(what: string, work: () => Promise<T>): Promise<T> {
    this.#running.set(what, { what, done: 0, total: null, startedAt: this.#now().getTime() });
    try {
      return await work();
    } finally {
      this.#running.delete(what);
    }
  }

  /** One more part of what is running has come; `total` where the service told it. */
  step(what: string, total: number | null): void {
    const found = this.#running.get(what);
    if (found === undefined) return;
    found.done += 1;
    if (total !== null) found.total = total;
  }

  /** Is anything fetched now? */
  get isRunning(): boolean {
    return this.#running.size > 0;
  }

  list(): Progress[] {
    return [...this.#running.values()];
  }
}
