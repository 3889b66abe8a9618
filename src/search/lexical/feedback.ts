/**
 * RM3: the query once more, with terms that are telling in its best chunks
 * added. It finds what is about the same but says it in the other's words.
 */

import type { WeightedTerms } from './bm25.ts';
import type { Corpus } from './corpus.ts';

/** How many of the best chunks are believed, and how many of their terms taken. */
const CHUNKS = 10;
const TERMS = 20;

/**
 * @param ranked the best slots for the query, best first
 * @param scores their scores, by slot
 * @param share how much of the new query's weight is the old query's, 0 to 1
 */
export function expanded(
  corpus: Corpus,
  query: WeightedTerms,
  ranked: readonly number[],
  scores: Float32Array,
  share: number,
): Map<number, number> {
  const model = new Map<number, number>();
  const believed = ranked.slice(0, CHUNKS);
  const total = believed.reduce((sum, slot) => sum + (scores[slot] ?? 0), 0);
  for (const slot of believed) {
    const belief = (scores[slot] ?? 0) / total;
    const length = corpus.length(slot);
    for (const entry of corpus.bag(slot)) {
      const term = entry >>> 8;
      if (corpus.spread(term) * 4 > corpus.living) continue;
      model.set(term, (model.get(term) ?? 0) + (belief * (entry & 255)) / length);
    }
  }
  const taken = [...model].sort((a, b) => b[1] - a[1]).slice(0, TERMS);
  const mass = taken.reduce((sum, [, weight]) => sum + weight, 0);
  const said = [...query.values()].reduce((sum, weight) => sum + weight, 0);
  const result = new Map<number, number>();
  for (const [term, weight] of query) result.set(term, (share * weight) / said);
  for (const [term, weight] of taken) {
    result.set(term, (result.get(term) ?? 0) + ((1 - share) * weight) / mass);
  }
  return result;
}
