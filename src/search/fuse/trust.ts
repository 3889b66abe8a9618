/**
 * How far the terms of a question are to be believed. Where even the best passages
 * have few of them, the question says it in other words, and an order by what
 * little is shared would be an order by chance.
 */

import { K1 } from '../lexical/bm25.ts';

/** Share of the most that BM25 can give which a passage gets that has it all. */
const ATTAINABLE = 0.6;
/** What it counts that more is shared than chance would have it; of a long question little is shared. */
const PER_NAT = 0.04;

/** What is known of the best passages by their terms. */
export interface BestByTerms {
  /** The best score of BM25. */
  score: number;
  /** The most that any of them covers of what the question tells. */
  covered: number;
  /** All that the question tells. */
  total: number;
  /** Passages that are there. */
  living: number;
}

/**
 * 0 to 1. What a term tells is about the logarithm of the number of passages for each
 * one that has it: of n passages some one shares terms that tell log n by chance.
 */
export function trustInTerms({ score, covered, total, living }: BestByTerms): number {
  if (total === 0) return 0;
  const share = score / ((K1 + 1) * ATTAINABLE * total);
  const beyondChance = Math.max(0, covered - Math.log(Math.max(1, living)));
  return Math.min(1, share + PER_NAT * beyondChance);
}
