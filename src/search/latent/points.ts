/** Many points of unit length, a byte a coordinate, and how near each is to a query. */
import { DotKernel, LANE_BYTES } from './dot-kernel.ts';

/** Coordinates are whole numbers: of points at most this, of a query at most QUERY_SCALE. */
const POINT_SCALE = 127;
const QUERY_SCALE = 16_384;

export class Points {
  readonly dimensions: number;
  /** Bytes of a point, the zeros included that fill it up. */
  readonly #stride: number;
  readonly #kernel: DotKernel;

  constructor(dimensions: number) {
    this.dimensions = dimensions;
    this.#stride = Math.ceil(dimensions / LANE_BYTES) * LANE_BYTES;
    this.#kernel = new DotKernel(this.#stride);
  }

  set(slot: number, point: Float32Array): void {
    this.#kernel.reserve(slot + 1);
    const from = slot * this.#stride;
    const { rows } = this.#kernel;
    for (let k = 0; k < this.dimensions; k++) {
      rows[from + k] = Math.round((point[k] ?? 0) * POINT_SCALE);
    }
  }

  /**
   * Cosines of a query of unit length with the points of slots 0 to size - 1.
   * @param among has a 1 for each slot that is asked about, null for all; of the others it is 0
   */
  cosines(query: Float32Array, size: number, among: Uint8Array | null = null): Float32Array {
    this.#kernel.reserve(size);
    // Whole numbers as well: sums of products with bytes stay below 2^31.
    const whole = Int16Array.from(query, (value) => Math.round(value * QUERY_SCALE));
    return this.#kernel.products(whole, size, POINT_SCALE * QUERY_SCALE, among);
  }

  /** The point of a slot, of about unit length. */
  at(slot: number): Float32Array {
    const { rows } = this.#kernel;
    const from = slot * this.#stride;
    const point = new Float32Array(this.dimensions);
    for (let k = 0; k < point.length; k++) point[k] = (rows[from + k] as number) / POINT_SCALE;
    return point;
  }

  /** The product of the point of a slot with a vector of any length. */
  dot(slot: number, vector: Float32Array): number {
    const { rows } = this.#kernel;
    const from = slot * this.#stride;
    let sum = 0;
    for (let k = 0; k < vector.length; k++) {
      sum += (vector[k] as number) * (rows[from + k] as number);
    }
    return sum / POINT_SCALE;
  }

  /** The bytes of slots 0 to size - 1, not copied. */
  bytes(size: number): Int8Array {
    this.#kernel.reserve(size);
    return this.#kernel.rows.subarray(0, size * this.#stride);
  }

  /** Puts back what {@link bytes} gave; how many points that are. */
  restore(bytes: Uint8Array): number {
    const size = Math.floor(bytes.length / this.#stride);
    this.#kernel.reserve(size);
    this.#kernel.rows.set(bytes);
    return size;
  }
}
