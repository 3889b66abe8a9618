/** Where a listing goes on, as the service says it: one that leads nowhere, or back, is not at its end. */
import { ServiceFailure } from './failure.ts';

/** The pages of one listing that was followed by cursors, so that none is asked for twice. */
export class Cursors {
  readonly #title: string;
  readonly #what: string;
  readonly #been = new Set<string>();

  /**
   * @param title what sentences call the service
   * @param what is listed, in a sentence: `comments`
   * @param from where this reading begins; null for the beginning
   */
  constructor(title: string, what: string, from: string | null = null) {
    this.#title = title;
    this.#what = what;
    if (from !== null) this.#been.add(from);
  }

  /**
   * The service has more.
   * @throws ServiceFailure where it does not say where that is, or names a page for the second time
   */
  next(cursor: string | null | undefined): string {
    if (typeof cursor !== 'string' || cursor === '') {
      const text = `${this.#title} has more ${this.#what}, and did not say where they go on`;
      throw new ServiceFailure('protocol', text);
    }
    if (this.#been.has(cursor)) {
      const text = `${this.#title}'s ${this.#what} lead in a circle: a page was named a second time`;
      throw new ServiceFailure('protocol', text);
    }
    this.#been.add(cursor);
    return cursor;
  }
}
