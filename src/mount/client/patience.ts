/** How long an operation that somebody waits for may still take. */
import { AsyncLocalStorage } from 'node:async_hooks';

/** So much of the time of an operation is left for its answer, in parts of it, and in ms at most. */
const SPARED = 0.2;
const MOST_SPARED_MS = 2_000;

/** Past its time it is looked so often whether there is something to say, in ms. */
const MOMENT_MS = 20;

/** What came of waiting: `late` where the time was over first. */
export type Waited = 'done' | 'late';

export class Patience {
  /** When the operation makes do with what there is, ms of `performance.now()`; null for never. */
  readonly #endsAt = new AsyncLocalStorage<number | null>();

  /** Does an operation that is given up after so many ms: it ends before, whatever takes longer. */
  within<T>(ms: number, operation: () => Promise<T>): Promise<T> {
    const patience = ms - Math.min(MOST_SPARED_MS, ms * SPARED);
    return this.#endsAt.run(performance.now() + patience, operation);
  }

  /** Begins work that goes on behind the operation, and has no end of its own. */
  behind<T>(work: () => Promise<T>): Promise<T> {
    return this.#endsAt.run(null, work);
  }

  /** Waits for work as long as the operation has time, and a moment past it. Throws what the work throws. */
  async wait(work: Promise<void>): Promise<Waited> {
    const endsAt = this.#endsAt.getStore() ?? null;
    if (endsAt === null) {
      await work;
      return 'done';
    }
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<Waited>((resolve) => {
      timer = setTimeout(() => resolve('late'), Math.max(MOMENT_MS, endsAt - performance.now()));
    });
    try {
      return await Promise.race([work.then((): Waited => 'done'), late]);
    } finally {
      clearTimeout(timer);
    }
  }
}
