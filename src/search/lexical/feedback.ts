/**
 * The terms that are telling in what BM25 finds first (RM3). What they find is
 * about the same, and may say it in other words than the question.
 */

import type { WeightedTerms } from './bm25.ts';
import type { Corpus } from './corpus.ts';

const TERMS = 20;

/** A passage that is believed, as far as its score says. */
export interface Believed {
  slot: number;
  score: number;
}

/** The terms, and the share of each; empty where nothing is believed. */
export function expansion(corpus: Corpus, believed: readonly Believed[]): WeightedTerms {
  const model = new Map<number, number>();
  const total = believed.reduce((sum, { score }) => sum + score, 0);
  for (const { slot, score } of believed) {
    const belief = score / total / corpus.length(slot);
    for (const entry of corpus.bag(slot)) {
      const term = entry >>> 8;
      // What is in a quarter of all tells nothing.
      if (corpus.spread(term) * 4 > corpus.living) continue;
      model.set(term, (model.get(term) ?? 0) + belief * (entry & 255));
    }
  }
  const taken = [...model].sort((a, b) => b[1] - a[1]).slice(0, TERMS);
  const mass = taken.reduce((sum, [, weight]) => sum + weight, 0);
  return new Map(taken.map(([term, weight]) => [term, weight / mass]));
}
