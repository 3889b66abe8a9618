/**
 * One question against a corpus. Documents are ranked by BM25 of the whole of each,
 * and by small equal votes of other signals, each standardised over the question's
 * own candidates: where they know nothing they cancel out, and BM25 stands. Of a
 * document its best passages are shown.
 */

import type { Stemmer } from '../words/words.ts';
import { breadthOf, Coverage, type QuestionTerms } from './coverage.ts';
import type { Parts } from './parts.ts';
import { gather, type Pool, type Signals } from './pool.ts';
import { bySentences, votesOfModel } from './votes/sentences.ts';
import { standardised, votesOn } from './votes.ts';

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

/** What a vote counts by one standard deviation, beside the best BM25. */
const VOTE = 0.04;
/**
 * What the word table and a sentence model count besides where the terms of a question are
 * not believed at all, and how far they must be believed for these to count no more than ever.
 */
const IN_DOUBT = { words: 0.3, sentence: 0.6, below: 0.65 };

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
    ranked: passagesOf(pool, fused(pool, signals, stemmer)),
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

/** What each part adds to the score of each candidate. */
function fused(pool: Pool, signals: Signals, stemmer: Stemmer): Parts[] {
  const { candidates } = pool;
  const doubt = Math.max(0, 1 - pool.trust / IN_DOUBT.below);
  const added = new Map<keyof Parts, Float32Array>([['bm25', byTerms(pool)]]);
  for (const [name, values] of votesOn(pool, signals, stemmer)) {
    const counts = name === 'words' ? VOTE + doubt * IN_DOUBT.words : VOTE;
    added.set(
      name,
      standardised(values).map((value) => counts * value),
    );
  }
  const { sentences = null } = signals;
  if (sentences !== null) {
    const counts = VOTE * votesOfModel(sentences.weight) + doubt * IN_DOUBT.sentence;
    const values = standardised(bySentences(pool, sentences));
    added.set(
      'sentence',
      values.map((value) => counts * value),
    );
  }
  return candidates.map((_, at) =>
    Object.fromEntries(Array.from(added, ([name, values]) => [name, values[at] as number])),
  );
}

/**
 * BM25, 0 to 1: half of the whole document, half of its best passage. A long document
 * among short ones has its answer in a few lines.
 */
function byTerms({ candidates }: Pool): Float32Array {
  const most = { whole: 1e-9, passage: 1e-9 };
  for (const { whole, passage } of candidates) {
    most.whole = Math.max(most.whole, whole);
    most.passage = Math.max(most.passage, passage);
  }
  return Float32Array.from(
    candidates,
    ({ whole, passage }) => (whole / most.whole + passage / most.passage) / 2,
  );
}

/** The candidates' passages, best first: a document's best has the document's score, and the others less. */
function passagesOf({ candidates }: Pool, parts: readonly Parts[]): Ranked[] {
  const ranked = candidates.flatMap(({ passages, worth }, at): Ranked[] => {
    const own = parts[at] as Parts;
    const score = Object.values(own).reduce((sum, part) => sum + part, 0);
    return passages.map((slot, place) => ({
      slot,
      score: score - ((worth[0] as number) - (worth[place] as number)),
      parts: own,
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
