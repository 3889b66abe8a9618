/** BM25 over a corpus, for a query whose terms may be weighted. */
import type { Corpus } from './corpus.ts';

const K1 = 1.2;
const B = 0.75;

/** The most that one occurrence after another can make of a term, in units of its idf. */
export const BEST_PER_TERM = K1 + 1;

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
  const norm = { base: K1 * (1 - B), slope: (K1 * B) / corpus.averageLength };
  for (const [term, weight] of query) {
    const worth = weight * corpus.idf(term) * (K1 + 1);
    if (worth > 0) corpus.score(term, worth, norm, scores);
  }
  return scores;
}
