/** What is looked at by one run of code without a wait in it: asked once, since nobody else acts meanwhile. */

/** In such a run other processes act all the same: it is asked again after this, ms. */
const LONGEST_MS = 10;

export class Momentary<T> {
  readonly #ask: () => T;
  #held: { value: T; at: number } | null = null;

  constructor(ask: () => T) {
    this.#ask = ask;
  }

  /** As of this moment. */
  renew(): T {
    const value = this.#ask();
    // Whatever is waited for, it comes after this.
    if (this.#held === null) queueMicrotask(() => this.#drop());
    this.#held = { value, at: performance.now() };
    return value;
  }

  /** As of this run of code. */
  get(): T {
    const held = this.#held;
    return held === null || performance.now() - held.at > LONGEST_MS ? this.renew() : held.value;
  }

  #drop(): void {
    this.#held = null;
  }
}
