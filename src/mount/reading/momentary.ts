/** What is looked at by one run of code without a wait in it: asked once, since nobody else acts meanwhile. */

/** In such a run other processes act all the same: it is asked again after this, ms. */
const LONGEST_MS = 10;
/** So often is the clock looked at, which takes longer than to hand out what is held. */
const CLOCK_EVERY = 64;

export class Momentary<T> {
  readonly #ask: () => T;
  #held: { value: T; at: number } | null = null;
  #uses = 0;

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
    if (held === null) return this.renew();
    this.#uses = (this.#uses + 1) % CLOCK_EVERY;
    const isOld = this.#uses === 0 && performance.now() - held.at > LONGEST_MS;
    return isOld ? this.renew() : held.value;
  }

  #drop(): void {
    this.#held = null;
  }
}
