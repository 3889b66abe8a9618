/** Many points of unit length, a byte a coordinate, and how near each is to a query. */

export class Points {
  readonly dimensions: number;
  #rows: Int8Array;

  constructor(dimensions: number) {
    this.dimensions = dimensions;
    this.#rows = new Int8Array(1024 * dimensions);
  }

  set(slot: number, point: Float32Array): void {
    const { dimensions } = this;
    while ((slot + 1) * dimensions > this.#rows.length) {
      const larger = new Int8Array(Math.ceil(this.#rows.length * 1.5));
      larger.set(this.#rows);
      this.#rows = larger;
    }
    for (let k = 0; k < dimensions; k++) {
      this.#rows[slot * dimensions + k] = Math.round((point[k] ?? 0) * 127);
    }
  }

  /**
   * Cosines of a query of unit length with the points of slots 0 to size - 1. The
   * query is made of integers as well: whole numbers are multiplied faster.
   */
  cosines(query: Float32Array, size: number): Float32Array {
    const { dimensions } = this;
    const rows = this.#rows;
    const q = Int32Array.from(query, (value) => Math.round(value * QUERY_SCALE));
    const out = new Float32Array(size);
    const whole = dimensions - (dimensions % 4);
    for (let slot = 0, at = 0; slot < size; slot++) {
      let sum = 0;
      let k = 0;
      for (; k < whole; k += 4, at += 4) {
        sum =
          (sum +
            Math.imul(q[k] as number, rows[at] as number) +
            Math.imul(q[k + 1] as number, rows[at + 1] as number) +
            Math.imul(q[k + 2] as number, rows[at + 2] as number) +
            Math.imul(q[k + 3] as number, rows[at + 3] as number)) |
          0;
      }
      for (; k < dimensions; k++, at++) {
        sum = (sum + Math.imul(q[k] as number, rows[at] as number)) | 0;
      }
      out[slot] = sum / (127 * QUERY_SCALE);
    }
    return out;
  }
}

/** Sums of products with bytes stay below 2^31. */
const QUERY_SCALE = 16_384;
