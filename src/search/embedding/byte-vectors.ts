/** Vectors with a byte a coordinate: how they are made, kept, and compared with a question. */
import { DotKernel, LANE_BYTES } from '../latent/dot-kernel.ts';

/** The largest coordinate of a vector becomes this. */
const MOST = 127;
/** Sums of products stay below it. */
const LARGEST_SUM = 2 ** 31 - 1;

/** A vector's direction: its bytes, and what a byte is worth. */
export interface ByteVector {
  bytes: Int8Array;
  scale: number;
}

/** A vector of any length, made one of unit length with a byte a coordinate. */
export function toBytes(vector: Float32Array): ByteVector {
  let squares = 0;
  let largest = 0;
  for (const value of vector) {
    squares += value * value;
    largest = Math.max(largest, Math.abs(value));
  }
  const scale = largest / (MOST * Math.sqrt(squares));
  return { bytes: Int8Array.from(vector, (value) => Math.round((value / largest) * MOST)), scale };
}

/** As SQLite keeps it: the scale as a 32-bit float, then the bytes. */
export function toBlob({ bytes, scale }: ByteVector): Uint8Array {
  const blob = new Uint8Array(4 + bytes.length);
  new DataView(blob.buffer).setFloat32(0, scale, true);
  blob.set(new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.length), 4);
  return blob;
}

export function ofBlob(blob: Uint8Array): ByteVector {
  const view = new DataView(blob.buffer, blob.byteOffset, blob.byteLength);
  return {
    scale: view.getFloat32(0, true),
    bytes: new Int8Array(blob.buffer, blob.byteOffset + 4, blob.byteLength - 4),
  };
}

/** Many vectors by a small number, the slot; slots without one are known. */
export class ByteVectors {
  readonly dimensions: number;
  readonly #stride: number;
  readonly #kernel: DotKernel;
  /** What a byte of each is worth; 0 where there is none. */
  #scales = new Float32Array(1_024);
  #size = 0;

  constructor(dimensions: number) {
    this.dimensions = dimensions;
    this.#stride = Math.ceil(dimensions / LANE_BYTES) * LANE_BYTES;
    this.#kernel = new DotKernel(this.#stride);
  }

  has(slot: number): boolean {
    return (this.#scales[slot] ?? 0) > 0;
  }

  set(slot: number, { bytes, scale }: ByteVector): void {
    this.#kernel.reserve(slot + 1);
    this.#kernel.rows.set(bytes, slot * this.#stride);
    if (slot >= this.#scales.length) {
      const larger = new Float32Array(Math.max(slot + 1, Math.ceil(this.#scales.length * 1.5)));
      larger.set(this.#scales);
      this.#scales = larger;
    }
    this.#scales[slot] = scale;
    this.#size = Math.max(this.#size, slot + 1);
  }

  /** Cosines of a question, of any length, with slots 0 to size - 1; -1 where there is no vector. */
  cosines(query: Float32Array, size: number): Float32Array {
    const { whole, scale } = toWhole(query);
    const known = Math.min(size, this.#size);
    const products = this.#kernel.products(whole, known, 1 / scale);
    const cosines = new Float32Array(size).fill(-1);
    for (let slot = 0; slot < known; slot++) {
      const worth = this.#scales[slot] as number;
      if (worth > 0) cosines[slot] = (products[slot] as number) * worth;
    }
    return cosines;
  }
}

/** A question in whole numbers, as large as sums of their products with bytes allow. */
function toWhole(query: Float32Array): { whole: Int16Array; scale: number } {
  let squares = 0;
  let largest = 0;
  let sum = 0;
  for (const value of query) {
    squares += value * value;
    largest = Math.max(largest, Math.abs(value));
    sum += Math.abs(value);
  }
  const factor = Math.min(32_767 / largest, LARGEST_SUM / (MOST * sum));
  // Cut off, not rounded: no coordinate becomes larger than what was counted with.
  const whole = Int16Array.from(query, (value) => Math.trunc(value * factor));
  return { whole, scale: 1 / (factor * Math.sqrt(squares)) };
}
