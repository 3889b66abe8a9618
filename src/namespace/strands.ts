/** Jobs that run beside one another in one world: each has errors and held writes of its own. */
import { AsyncLocalStorage } from 'node:async_hooks';

/** Stands for one of them; undefined for what began first. */
export type Strand = symbol | undefined;

export class Strands {
  readonly #current = new AsyncLocalStorage<symbol>();

  /** The one to which the caller belongs, through whatever it awaits. */
  current(): Strand {
    return this.#current.getStore();
  }

  /** Runs something as one of its own. */
  begin<T>(run: () => T): T {
    return this.#current.run(Symbol('strand'), run);
  }
}
