/** BM25 over a corpus, for a query whose terms may be weighted. */
import type { Corpus } from './corpus.ts';
import type { LengthNorm } from './postings.ts';

export const K1 = 1.2;
const B = 0.75;

/** What length takes away from a text, where the average is this. */
export function lengthNorm(average: number): LengthNorm {
  return { base: K1 * (1 - B), slope: (K1 * B) / average };
}

/** A query: terms of the corpus by number, and what each is worth. */
export type WeightedTerms = ReadonlyMap<number, number>;

/** The terms of a query that the corpus knows, each worth as often as it is said. */
export function queryTerms(corpus: Corpus, terms: readonly string[]): Map<number, number> {
  const known = new Map<number, number>();
  for (const term of terms) {
    const number = corpus.termNumber(term);
    if (number !== undefined) known.set(number, (known.get(number) ?? 0) + 1);
  }
  return known;
}

/** Scores of all chunks by slot; 0 where no term occurs. Removed chunks may have a score. */
export function bm25(corpus: Corpus, query: WeightedTerms): Float32Array {
  const scores = new Float32Array(corpus.size);
  const norm = lengthNorm(corpus.averageLength);
  for (const [term, weight] of query) {
    const worth = weight * corpus.idf(term) * (K1 + 1);
    if (worth > 0) corpus.score(term, worth, norm, scores);
  }
  return scores;
}
