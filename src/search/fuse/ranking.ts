/**
 * One question against a corpus: BM25 with feedback, and nearness in two spaces,
 * the one fitted on the corpus and the one of the word table, fused by their
 * scores. Ranks are not fused: a weak signal's order of what it knows nothing
 * about would count as much as a strong one's.
 */

import { foldIn, type LatentSpace } from '../latent/lsa.ts';
import type { Points } from '../latent/points.ts';
import { bm25, queryTerms } from '../lexical/bm25.ts';
import type { Corpus } from '../lexical/corpus.ts';
import { expanded } from '../lexical/feedback.ts';
import type { WordTable } from '../static/table.ts';
import { best } from './best.ts';
import { breadthOf, Coverage, type QuestionTerms } from './coverage.ts';
import type { Parts } from './parts.ts';
import { type SentenceSignal, withSentences } from './sentences.ts';
import { Telling } from './telling.ts';
import { trustInTerms } from './trust.ts';

/** What a ranking looks at; null where a part is missing. */
export interface Signals {
  corpus: Corpus;
  latent: { space: LatentSpace; points: Points } | null;
  words: { table: WordTable; points: Points } | null;
  /** Terms of everyday questions; see {@link breadthOf}. */
  everyday: ReadonlySet<string>;
  /** What a sentence model says of the question at hand; without one, nothing. */
  sentences?: SentenceSignal | null;
}

/** How near a chunk is to the question, each part and all together. */
export interface Ranked {
  slot: number;
  score: number;
  /** 1 for the best chunk of each part, 0 for one that the part does not know. */
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

/** Candidates that each part may name. */
const POOL = 1_000;
interface Weights {
  terms: number;
  latent: number;
  words: number;
}

/** Where the terms of a question are wholly believed: see {@link trustInTerms}. */
const WEIGHTS: Weights = { terms: 0.8, latent: 0.3, words: 0.2 };
/** What the words get besides where the terms are not believed at all. */
const WORDS_GET = 0.6;
/** How much of the question stays its own after feedback. */
const OWN_SHARE = 0.5;

/** Chunks that {@link rank} found. */
export interface Ranking {
  /** Best first. */
  ranked: Ranked[];
  /** What one of them has to do with the question. */
  evidence(slot: number): Evidence;
}

/**
 * The best chunks for a question.
 * @param allowed has a 1 for each slot that may be an answer
 */
export function rank(
  signals: Signals,
  question: QuestionTerms,
  allowed: Uint8Array,
  limit: number,
): Ranking {
  const { corpus } = signals;
  const { terms } = question;
  const sentences = signals.sentences ?? null;
  const query = queryTerms(corpus, terms);
  const counts = counted(terms);
  const telling = new Telling(corpus, counts.keys());
  const plain = bm25(corpus, query);
  const feedback = best(plain, 10, allowed, 0);
  const lexical =
    feedback.length === 0
      ? plain
      : bm25(corpus, expanded(corpus, query, feedback, plain, OWN_SHARE));
  const latent = nearness(
    signals.latent && [foldIn(signals.latent.space, counts), signals.latent.points],
    corpus.size,
  );
  // What a word tells in this corpus, the table cannot know; the chunks are placed without it, since it changes.
  const words = nearness(
    signals.words && [signals.words.table.direction(telling.words()), signals.words.points],
    corpus.size,
  );
  const pool = new Set<number>();
  for (const slot of best(lexical, POOL, allowed, 0)) pool.add(slot);
  for (const scores of [latent, words]) {
    if (scores !== null) for (const slot of best(scores, POOL, allowed, 0)) pool.add(slot);
  }
  for (const slot of sentences?.nearest(allowed, POOL) ?? []) pool.add(slot);
  const believed = trustInTerms({
    score: plain[feedback[0] ?? -1] ?? 0,
    covered: Math.max(0, ...feedback.map((slot) => telling.covered(slot))),
    total: telling.total,
    living: corpus.living,
  });
  const weights = weightsAt(believed);
  const fused = scoredBy(weights, pool, lexical, latent, words);
  const whole = weights.terms + weights.latent + weights.words;
  const judged = sentences === null ? fused : withSentences(fused, sentences, whole, believed);
  judged.sort((a, b) => b.score - a.score || a.slot - b.slot);
  const background = words === null ? 0 : mean(words, allowed);
  const coverage = new Coverage(corpus, question, allowed);
  const breadth = breadthOf(corpus, signals.everyday, allowed);
  return {
    ranked: judged.slice(0, limit),
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

type Scores = Float32Array | null;

function scoredBy(
  weights: Weights,
  pool: ReadonlySet<number>,
  lexical: Float32Array,
  latent: Scores,
  words: Scores,
): Ranked[] {
  const parts = {
    terms: scaled(lexical, pool, 0),
    latent: scaled(latent, pool, null),
    words: scaled(words, pool, null),
  };
  return Array.from(pool, (slot) => {
    const own = { terms: parts.terms(slot), latent: parts.latent(slot), words: parts.words(slot) };
    const score =
      weights.terms * own.terms + weights.latent * own.latent + weights.words * own.words;
    return { slot, score, parts: own };
  });
}

function counted(terms: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const term of terms) counts.set(term, (counts.get(term) ?? 0) + 1);
  return counts;
}

function nearness(given: [Float32Array, Points] | null, size: number): Float32Array | null {
  return given === null ? null : given[1].cosines(given[0], size);
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

/** Scores between 0 and 1 over a pool; `low` is what counts as 0, the pool's least where it is null. */
function scaled(
  scores: Float32Array | null,
  pool: ReadonlySet<number>,
  low: number | null,
): (slot: number) => number {
  if (scores === null) return () => 0;
  let least = low ?? Number.POSITIVE_INFINITY;
  let most = Number.NEGATIVE_INFINITY;
  for (const slot of pool) {
    const score = scores[slot] ?? 0;
    if (low === null && score < least) least = score;
    if (score > most) most = score;
  }
  const range = most - least;
  return range > 0 ? (slot) => ((scores[slot] ?? 0) - least) / range : () => 0;
}

/** Trust counts as its square: what is half believed would still outweigh all else. */
function weightsAt(believed: number): Weights {
  const trust = believed ** 2;
  return {
    terms: WEIGHTS.terms * trust,
    latent: WEIGHTS.latent,
    words: WEIGHTS.words + WORDS_GET * (1 - trust),
  };
}
