/** Work that is done one after the other, in the order in which it was given. */
export class Lane {
  #last: Promise<unknown> = Promise.resolve();

  run<T>(work: () => Promise<T>): Promise<T> {
    const next = this.#last.then(work);
    // Whoever gave the work meets its failure; the next one is not kept from its turn.
    this.#last = next.then(
      () => undefined,
      () => undefined,
    );
    return next;
  }
}
