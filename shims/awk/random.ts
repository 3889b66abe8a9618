/** rand and srand. The sequence is not gawk's. */

/** A random sequence (mulberry32) that begins anew with each seed. */
export class RandomSequence {
  /** As gawk, the seed before the first. */
  seed = 1;
  #state = 0x9e3779b9;

  /** Gives the seed before. */
  begin(seed: number): number {
    const before = this.seed;
    this.seed = seed;
    this.#state = (Math.trunc(seed) ^ 0x9e3779b9) | 0;
    return before;
  }

  /** At least 0, less than 1. */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  }
}
