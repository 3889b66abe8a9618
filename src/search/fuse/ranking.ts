/**
 * One question against a corpus. Documents are ranked by BM25 of the whole of each,
 * and by small equal votes of other signals, each standardised over the question's
 * own candidates: where they know nothing they cancel out, and BM25 stands. Of a
 * document its best passages are shown.
 */

import type { Stemmer } from '../words/words.ts';
import { breadthOf, Coverage, type QuestionTerms } from './coverage.ts';
import { counted, FUSION, pollOf } from './fusion.ts';
import type { Parts } from './parts.ts';
import { gather, type Pool, type Signals } from './pool.ts';

/** A passage that was found, and how near it is to the question. */
export interface Ranked {
  slot: number;
  score: number;
  parts: Parts;
}

/** What a chunk has to do with a question, not normalised over the answers. */
export interface Evidence {
  /** Share of the question's telling that the chunk's own terms cover, 0 to 1. */
  covered: number;
  /** Share of it that is in words which are searched at all, and share of its words that are. */
  known: number;
  said: number;
  /** Cosines, 0 where a part is missing. */
  latent: number;
  words: number;
  /** The mean of `words` over all that is searched. */
  background: number;
  /** How much of everyday life there are words for in what is searched, 0 to 1. */
  breadth: number;
  sentence?: number;
}

/** Chunks that {@link rank} found. */
export interface Ranking {
  /** Best first. */
  ranked: Ranked[];
  /** What one of them has to do with the question. */
  evidence(slot: number): Evidence;
}

/** What a ranking needs besides the signals. */
export interface RankingTools {
  stemmer: Stemmer;
  /** Terms of everyday questions; see {@link breadthOf}. */
  everyday: ReadonlySet<string>;
}

/**
 * The best chunks for a question.
 * @param allowed has a 1 for each slot that may be an answer
 */
export function rank(
  signals: Signals,
  question: QuestionTerms,
  allowed: Uint8Array,
  { stemmer, everyday }: RankingTools,
): Ranking {
  const { corpus, sentences = null } = signals;
  const pool = gather(signals, question.terms, allowed);
  const { latent, words } = pool;
  const background = words === null ? 0 : mean(words, allowed);
  const coverage = new Coverage(corpus, question, allowed);
  const breadth = breadthOf(corpus, everyday, allowed);
  return {
    ranked: passagesOf(pool, counted(pollOf(pool, signals, stemmer), FUSION)),
    evidence: (slot) => ({
      covered: coverage.of(slot),
      known: coverage.known,
      said: coverage.said,
      latent: latent?.[slot] ?? 0,
      words: words?.[slot] ?? 0,
      background,
      breadth,
      ...(sentences === null ? {} : { sentence: sentences.cosine(slot) ?? 0 }),
    }),
  };
}

/** The candidates' passages, best first: a document's best has the document's score, and the others less. */
function passagesOf({ candidates }: Pool, added: ReadonlyMap<keyof Parts, Float32Array>): Ranked[] {
  const ranked = candidates.flatMap(({ passages, worth }, at): Ranked[] => {
    const each = Array.from(added, ([name, values]) => [name, values[at] as number] as const);
    const score = each.reduce((sum, [, value]) => sum + value, 0);
    const parts: Parts = Object.fromEntries(each);
    return passages.map((slot, place) => ({
      slot,
      score: score - ((worth[0] as number) - (worth[place] as number)),
      parts,
    }));
  });
  return ranked.sort((a, b) => b.score - a.score || a.slot - b.slot);
}

/** The mean of the scores of what may be an answer. */
function mean(scores: Float32Array, allowed: Uint8Array): number {
  let sum = 0;
  let count = 0;
  for (let slot = 0; slot < scores.length; slot++) {
    if (allowed[slot] !== 1) continue;
    sum += scores[slot] as number;
    count += 1;
  }
  return count === 0 ? 0 : sum / count;
}
