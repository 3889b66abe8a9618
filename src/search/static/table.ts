/**
 * The word table that ships with the package: a vector for each of some 40,000
 * terms, trained by scripts/words. A text is the normalised sum of its terms'
 * vectors; how telling a term is, is the length of its vector.
 */
import { createHash } from 'node:crypto';
import { normalised } from '../latent/normalised.ts';
import type { Vectors } from '../latent/place.ts';

/** A term's vector is as long as the term is telling. */
export interface WordTable extends Vectors {
  /** Differs for any other table. */
  readonly fingerprint: string;
  /** The point of some counted terms, of unit length; all 0 where none is known. */
  point(counts: Iterable<readonly [string, number]>): Float32Array;
  /** Where a term points, of unit length; null where it is not known. */
  unit(term: string): Float32Array | null;
  /** Where weighted terms point together, each as far as its weight says; all 0 where none is known. */
  direction(weights: Iterable<readonly [string, number]>): Float32Array;
}

/**
 * Reads a table.
 * @param bytes the file: the head's length, the head, a scale a term (f32), a row a term (int8)
 */
export function readWordTable(bytes: Uint8Array): WordTable {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const size = view.getUint32(0, true);
  const head: { dimensions: number; terms: string[] } = JSON.parse(
    new TextDecoder().decode(bytes.subarray(4, 4 + size)),
  );
  const fingerprint = createHash('sha256').update(bytes).digest('base64');
  return new Int8Table(fingerprint, head.dimensions, head.terms, view, 4 + size);
}

class Int8Table implements WordTable {
  readonly fingerprint: string;
  readonly dimensions: number;
  readonly rows: Int8Array;
  readonly #rows = new Map<string, number>();
  readonly #scales: Float32Array;

  constructor(
    fingerprint: string,
    dimensions: number,
    terms: readonly string[],
    view: DataView,
    at: number,
  ) {
    this.fingerprint = fingerprint;
    this.dimensions = dimensions;
    for (const [row, term] of terms.entries()) this.#rows.set(term, row);
    this.#scales = Float32Array.from(terms, (_, row) => view.getFloat32(at + 4 * row, true));
    const from = view.byteOffset + at + 4 * terms.length;
    this.rows = new Int8Array(view.buffer, from, terms.length * dimensions);
  }

  rowOf(term: string): number {
    return this.#rows.get(term) ?? -1;
  }

  scaleOf(row: number): number {
    return this.#scales[row] ?? 0;
  }

  point(counts: Iterable<readonly [string, number]>): Float32Array {
    const { dimensions } = this;
    const point = new Float32Array(dimensions);
    for (const [term, count] of counts) {
      const row = this.#rows.get(term);
      if (row === undefined) continue;
      const weight = (this.#scales[row] ?? 0) * (1 + Math.log(Math.max(1, count)));
      const from = row * dimensions;
      for (let k = 0; k < dimensions; k++) {
        point[k] = (point[k] ?? 0) + weight * (this.rows[from + k] ?? 0);
      }
    }
    return normalised(point);
  }

  unit(term: string): Float32Array | null {
    const row = this.#rows.get(term);
    if (row === undefined) return null;
    const from = row * this.dimensions;
    return normalised(new Float32Array(this.rows.subarray(from, from + this.dimensions)));
  }

  direction(weights: Iterable<readonly [string, number]>): Float32Array {
    const sum = new Float32Array(this.dimensions);
    for (const [term, weight] of weights) {
      const unit = this.unit(term);
      if (unit === null) continue;
      for (let k = 0; k < sum.length; k++) sum[k] = (sum[k] ?? 0) + weight * (unit[k] ?? 0);
    }
    return normalised(sum);
  }
}
