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

  /** Adds a point, weighted, to `to`. */
  addTo(to: Float32Array, slot: number, weight: number): void {
    const from = slot * this.dimensions;
    for (let k = 0; k < to.length; k++) {
      to[k] = (to[k] ?? 0) + (weight / 127) * (this.#rows[from + k] ?? 0);
    }
  }

  /** Cosines of a query of unit length with the points of slots 0 to size - 1. */
  cosines(query: Float32Array, size: number): Float32Array {
    const { dimensions } = this;
    const rows = this.#rows;
    const scaled = query.map((value) => value / 127);
    const out = new Float32Array(size);
    const whole = dimensions - (dimensions % 4);
    for (let slot = 0, at = 0; slot < size; slot++) {
      let sum = 0;
      let k = 0;
      for (; k < whole; k += 4, at += 4) {
        sum +=
          (scaled[k] as number) * (rows[at] as number) +
          (scaled[k + 1] as number) * (rows[at + 1] as number) +
          (scaled[k + 2] as number) * (rows[at + 2] as number) +
          (scaled[k + 3] as number) * (rows[at + 3] as number);
      }
      for (; k < dimensions; k++, at++) sum += (scaled[k] as number) * (rows[at] as number);
      out[slot] = sum;
    }
    return out;
  }
}
