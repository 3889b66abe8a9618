/** Places bags of terms in a space in which each term has a vector. */
import type { Corpus } from '../lexical/corpus.ts';
import { normalised } from './lsa.ts';

/** The vector of a term, its weight included; null where the space does not know it. */
export type VectorOf = (term: string) => Float32Array | null;

/** Places chunks one after another; what it looked up once, it remembers by the term's number. */
export class Placer {
  readonly #corpus: Corpus;
  readonly #dimensions: number;
  readonly #vectorOf: VectorOf;
  readonly #known: (Float32Array | null | undefined)[] = [];

  constructor(corpus: Corpus, dimensions: number, vectorOf: VectorOf) {
    this.#corpus = corpus;
    this.#dimensions = dimensions;
    this.#vectorOf = vectorOf;
  }

  /** The point of a chunk, of unit length; all 0 where no term of it is known. */
  place(slot: number): Float32Array {
    const point = new Float32Array(this.#dimensions);
    for (const entry of this.#corpus.bag(slot)) {
      const vector = this.#vector(entry >>> 8);
      if (vector === null) continue;
      const weight = WEIGHTS[entry & 255] as number;
      for (let k = 0; k < point.length; k++) {
        point[k] = (point[k] as number) + weight * (vector[k] as number);
      }
    }
    return normalised(point);
  }

  #vector(term: number): Float32Array | null {
    let vector = this.#known[term];
    if (vector === undefined) {
      vector = this.#vectorOf(this.#corpus.vocabulary[term] ?? '');
      this.#known[term] = vector;
    }
    return vector;
  }
}

/** What a term that occurs so often weighs. */
const WEIGHTS = Float32Array.from({ length: 256 }, (_, count) => 1 + Math.log(Math.max(1, count)));
