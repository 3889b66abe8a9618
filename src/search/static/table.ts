/**
 * The word table that ships with the package: a vector for each of some 40,000
 * terms, trained by scripts/words. A text is the normalised sum of its terms'
 * vectors; how telling a term is, is the length of its vector.
 */
import { normalised } from '../latent/lsa.ts';

export interface WordTable {
  readonly dimensions: number;
  has(term: string): boolean;
  /** The vector of a term, as long as the term is telling; null where it is not known. */
  vector(term: string): Float32Array | null;
  /** The point of some counted terms, of unit length; all 0 where none is known. */
  point(counts: Iterable<readonly [string, number]>): Float32Array;
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
  return new Int8Table(head.dimensions, head.terms, view, 4 + size);
}

class Int8Table implements WordTable {
  readonly dimensions: number;
  readonly #rows = new Map<string, number>();
  readonly #scales: Float32Array;
  readonly #vectors: Int8Array;

  constructor(dimensions: number, terms: readonly string[], view: DataView, at: number) {
    this.dimensions = dimensions;
    for (const [row, term] of terms.entries()) this.#rows.set(term, row);
    this.#scales = Float32Array.from(terms, (_, row) => view.getFloat32(at + 4 * row, true));
    const from = view.byteOffset + at + 4 * terms.length;
    this.#vectors = new Int8Array(view.buffer, from, terms.length * dimensions);
  }

  has(term: string): boolean {
    return this.#rows.has(term);
  }

  vector(term: string): Float32Array | null {
    const row = this.#rows.get(term);
    if (row === undefined) return null;
    const from = row * this.dimensions;
    const scale = this.#scales[row] ?? 0;
    return Float32Array.from(
      this.#vectors.subarray(from, from + this.dimensions),
      (value) => value * scale,
    );
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
        point[k] = (point[k] ?? 0) + weight * (this.#vectors[from + k] ?? 0);
      }
    }
    return normalised(point);
  }
}
