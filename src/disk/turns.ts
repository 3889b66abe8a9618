/** Work that may go on at the same time, and work that goes on alone. */
export class Turns {
  /** The last that goes on alone. */
  #alone: Promise<unknown> = Promise.resolve();
  readonly #together = new Set<Promise<unknown>>();

  /** Runs work beside other such work, after all that was to go on alone. */
  together<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#alone.then(work);
    const settled = done.catch(() => undefined).finally(() => this.#together.delete(settled));
    this.#together.add(settled);
    return done;
  }

  /** Runs work after all that was asked for before, and before all that is asked for later. */
  alone<T>(work: () => Promise<T>): Promise<T> {
    const done = Promise.all([this.#alone, ...this.#together]).then(work);
    this.#alone = done.catch(() => undefined);
    return done;
  }
}
