/** Places bags of terms in a space in which each term has a vector. */
import type { Corpus } from '../lexical/corpus.ts';
import { normalised } from './normalised.ts';

/** Vectors of terms, one after another; whole ones are stretched by a scale of their own. */
export interface Vectors {
  readonly dimensions: number;
  readonly rows: Float32Array | Int8Array;
  /** Where a term's vector is among them; -1 where there is none. */
  rowOf(term: string): number;
  scaleOf(row: number): number;
}

/** Places chunks one after another; what it looked up once, it remembers by the term's number. */
export class Placer {
  readonly #corpus: Corpus;
  readonly #vectors: Vectors;
  /** Row + 2 of a term by its number; 1 where it has none, 0 where that is not known. */
  #rows = new Uint32Array(1024);

  constructor(corpus: Corpus, vectors: Vectors) {
    this.#corpus = corpus;
    this.#vectors = vectors;
  }

  /** The point of a chunk, of unit length; all 0 where no term of it is known. */
  place(slot: number): Float32Array {
    const { dimensions, rows } = this.#vectors;
    const point = new Float32Array(dimensions);
    for (const entry of this.#corpus.bag(slot)) {
      const row = this.#row(entry >>> 8);
      if (row < 0) continue;
      const weight = (WEIGHTS[entry & 255] as number) * this.#vectors.scaleOf(row);
      const from = row * dimensions;
      for (let k = 0; k < dimensions; k++) {
        point[k] = (point[k] as number) + weight * (rows[from + k] as number);
      }
    }
    return normalised(point);
  }

  #row(term: number): number {
    if (term >= this.#rows.length) {
      const larger = new Uint32Array(Math.max(term + 1, this.#rows.length * 2));
      larger.set(this.#rows);
      this.#rows = larger;
    }
    const known = this.#rows[term] as number;
    if (known > 0) return known - 2;
    const row = this.#vectors.rowOf(this.#corpus.vocabulary[term] ?? '');
    this.#rows[term] = row + 2;
    return row;
  }
}

/** What a term that occurs so often weighs. */
const WEIGHTS = Float32Array.from({ length: 256 }, (_, count) => 1 + Math.log(Math.max(1, count)));
