/**
 * One question against a corpus: BM25 with feedback, and nearness in two spaces,
 * the one fitted on the corpus and the one of the word table, fused by their
 * scores. Ranks are not fused: a weak signal's order of what it knows nothing
 * about would count as much as a strong one's.
 */

import { foldIn, type LatentSpace } from '../latent/lsa.ts';
import type { Points } from '../latent/points.ts';
import { BEST_PER_TERM, bm25, queryTerms } from '../lexical/bm25.ts';
import type { Corpus } from '../lexical/corpus.ts';
import { expanded } from '../lexical/feedback.ts';
import type { WordTable } from '../static/table.ts';
import { best } from './best.ts';
import { type SentenceSignal, withSentences } from './sentences.ts';

/** What a ranking looks at; null where a part is missing. */
export interface Signals {
  corpus: Corpus;
  latent: { space: LatentSpace; points: Points } | null;
  words: { table: WordTable; points: Points } | null;
  /** What a sentence model says of the question at hand; without one, nothing. */
  sentences?: SentenceSignal | null;
}

/** How near a chunk is to the question, each part and all together. */
export interface Ranked {
  slot: number;
  score: number;
  /** 1 for the best chunk of each part, 0 for one that the part does not know. */
  parts: Parts;
  evidence: Evidence;
}

/** What each part gives, 0 to 1; `sentence` only where a sentence model was asked and knows the chunk. */
export interface Parts {
  terms: number;
  latent: number;
  words: number;
  sentence?: number;
}

/** What a chunk has to do with a question, not normalised over the answers. */
export interface Evidence {
  /** Share of the question's telling that the chunk's own terms cover, 0 to 1. */
  covered: number;
  /** Cosines, 0 where a part is missing. */
  latent: number;
  words: number;
  sentence?: number;
}

/** Candidates that each part may name. */
const POOL = 1_000;
interface Weights {
  terms: number;
  latent: number;
  words: number;
}

/** Where the terms of a question are wholly believed: see {@link strength}. */
const WEIGHTS: Weights = { terms: 0.8, latent: 0.2, words: 0.2 };
/** What the spaces get besides where the terms are not believed at all. */
const SPACES_GET = { latent: 0.1, words: 0.2 };
/** How much of the question stays its own after feedback. */
const OWN_SHARE = 0.5;
/** Share of the most that BM25 can give which a chunk gets that has it all. */
const ATTAINABLE = 0.6;

/**
 * The best chunks for counted terms, best first.
 * @param allowed has a 1 for each slot that may be an answer
 */
export function rank(
  signals: Signals,
  terms: readonly string[],
  allowed: Uint8Array,
  limit: number,
): Ranked[] {
  const { corpus } = signals;
  const query = queryTerms(corpus, terms);
  const counts = counted(terms);
  const plain = bm25(corpus, query);
  const latent = nearness(
    signals.latent && [foldIn(signals.latent.space, counts), signals.latent.points],
    corpus.size,
  );
  const words = nearness(
    signals.words && [signals.words.table.point(counts), signals.words.points],
    corpus.size,
  );
  const total = telling(corpus, counts);
  const feedback = best(plain, 10, allowed, 0);
  const lexical =
    feedback.length === 0
      ? plain
      : bm25(corpus, expanded(corpus, query, feedback, plain, OWN_SHARE));
  const pool = new Set<number>();
  for (const slot of best(lexical, POOL, allowed, 0)) pool.add(slot);
  for (const scores of [latent, words]) {
    if (scores !== null) for (const slot of best(scores, POOL, allowed, 0)) pool.add(slot);
  }
  const sentences = signals.sentences ?? null;
  for (const slot of sentences?.nearest(allowed, POOL) ?? []) pool.add(slot);
  const parts = {
    terms: scaled(lexical, pool, 0),
    latent: scaled(latent, pool, null),
    words: scaled(words, pool, null),
  };
  const believed = strength(plain[feedback[0] ?? -1] ?? 0, total);
  const weights = weightsAt(believed, WEIGHTS);
  const fused = [...pool].map((slot): Omit<Ranked, 'evidence'> => {
    const own = { terms: parts.terms(slot), latent: parts.latent(slot), words: parts.words(slot) };
    const score =
      weights.terms * own.terms + weights.latent * own.latent + weights.words * own.words;
    return { slot, score, parts: own };
  });
  const whole = weights.terms + weights.latent + weights.words;
  const judged = sentences === null ? fused : withSentences(fused, sentences, whole, believed);
  judged.sort((a, b) => b.score - a.score || a.slot - b.slot);
  return judged.slice(0, limit).map((each) => ({
    ...each,
    evidence: {
      covered: covered(corpus, query, each.slot) / total,
      latent: latent?.[each.slot] ?? 0,
      words: words?.[each.slot] ?? 0,
      ...(sentences === null ? {} : { sentence: sentences.cosine(each.slot) ?? 0 }),
    },
  }));
}

function counted(terms: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const term of terms) counts.set(term, (counts.get(term) ?? 0) + 1);
  return counts;
}

function nearness(given: [Float32Array, Points] | null, size: number): Float32Array | null {
  return given === null ? null : given[1].cosines(given[0], size);
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

/**
 * How far the terms of a question are to be believed, 0 to 1. Where even the best
 * chunk has few of them, the question says it in other words, and an order by
 * what little is shared would be an order by chance.
 */
function strength(bestScore: number, total: number): number {
  return Math.min(1, bestScore / (BEST_PER_TERM * ATTAINABLE * total));
}

function weightsAt(believed: number, { terms, latent, words }: Weights): Weights {
  return {
    terms: terms * believed,
    latent: latent + SPACES_GET.latent * (1 - believed),
    words: words + SPACES_GET.words * (1 - believed),
  };
}

/** What the terms of a question tell: a term that the corpus does not have tells the most. */
function telling(corpus: Corpus, counts: ReadonlyMap<string, number>): number {
  let total = 0;
  for (const term of counts.keys()) {
    const number = corpus.termNumber(term);
    // Asked of a term in no chunk, the rarest there is.
    total += number === undefined ? Math.log(2 * corpus.living + 2) : corpus.idf(number);
  }
  return total || 1;
}

function covered(corpus: Corpus, query: ReadonlyMap<number, number>, slot: number): number {
  let sum = 0;
  for (const entry of corpus.bag(slot)) if (query.has(entry >>> 8)) sum += corpus.idf(entry >>> 8);
  return sum;
}
