/** Work that is done one after the other, in the order in which it was given. */
export class Lane {
  #last: Promise<unknown> = Promise.resolve();

  /** @param work may let what was given later go on before it has ended, by calling `yieldLane` */
  run<T>(work: (yieldLane: () => void) => Promise<T>): Promise<T> {
    const yielded = Promise.withResolvers<void>();
    const next = this.#last.then(() => work(yielded.resolve));
    // Whoever gave the work meets its failure; the next one is not kept from its turn.
    const ended = next.then(
      () => undefined,
      () => undefined,
    );
    this.#last = Promise.race([ended, yielded.promise]);
    return next;
  }
}
