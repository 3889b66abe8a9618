/** Work that is not asked for yet: done, step after step, while nobody waits for anything. */

/** Steps are begun when nothing has been under way for so many ms. */
const IDLE_MS = 500;
/** Between two steps: what has been asked meanwhile goes first. */
const BETWEEN_MS = 10;

/** What could be done ahead. A step that fails is left out: whoever needs what it does meets the failure. */
export class WhenIdle {
  readonly #steps: (() => Promise<unknown>)[];
  readonly #idleMs: number;
  #underWay = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(steps: Iterable<() => Promise<unknown>>, idleMs: number = IDLE_MS) {
    this.#steps = [...steps];
    this.#idleMs = idleMs;
    this.#wait(idleMs);
  }

  /** Runs what was asked for. */
  async during<T>(work: () => Promise<T>): Promise<T> {
    this.#underWay += 1;
    clearTimeout(this.#timer);
    try {
      return await work();
    } finally {
      this.#underWay -= 1;
      if (this.#underWay === 0) this.#wait(this.#idleMs);
    }
  }

  #wait(ms: number): void {
    clearTimeout(this.#timer);
    if (this.#steps.length === 0) return;
    this.#timer = setTimeout(() => void this.#step(), ms);
    // It keeps nobody from ending.
    this.#timer.unref();
  }

  async #step(): Promise<void> {
    try {
      await this.#steps.shift()?.();
    } catch {
      // See above.
    }
    if (this.#underWay === 0) this.#wait(BETWEEN_MS);
  }
}
