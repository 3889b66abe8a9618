/**
 * What a sentence model adds to a ranking. The scores of the embedded parts and
 * the model's cosines are fused by weight, as the parts are among themselves.
 */
import type { Parts } from './parts.ts';

/** How near chunks are to one question, by the vectors of a sentence model. */
export interface SentenceSignal {
  /** The model's share of a score where the question's terms are believed, 0 to 1; see {@link shareOf}. */
  readonly weight: number;
  /** Every chunk has a vector. */
  readonly complete: boolean;
  /** How far a cosine stands out of those that the nearest chunks have with questions about nothing, in deviations. */
  standing(cosine: number): number;
  /** The nearest chunks that may be answers, nearest first. @param allowed has a 1 for each of them */
  nearest(allowed: Uint8Array, count: number): readonly number[];
  /** The cosine of a chunk with the question; null where the chunk has no vector yet. */
  cosine(slot: number): number | null;
}

/** A chunk on its way to being ranked. */
interface Scored {
  slot: number;
  score: number;
  parts: Parts;
}

/** Of what the terms lose where they are not believed, the model gets so much. */
const GAINS = 0.5;

/**
 * Scores with the model's part in them. A chunk without a vector keeps the score
 * that the embedded parts give it, as if the model agreed with them.
 * @param whole the most that the embedded parts can give
 * @param believed how far the question's terms are to be believed, 0 to 1
 */
export function withSentences(
  scored: readonly Scored[],
  signal: SentenceSignal,
  whole: number,
  believed: number,
): Scored[] {
  const cosines = new Map<number, number>();
  let least = Number.POSITIVE_INFINITY;
  let most = Number.NEGATIVE_INFINITY;
  for (const { slot } of scored) {
    const cosine = signal.cosine(slot);
    if (cosine === null) continue;
    cosines.set(slot, cosine);
    least = Math.min(least, cosine);
    most = Math.max(most, cosine);
  }
  const range = most - least || 1;
  const share = shareOf(signal.weight, believed);
  return scored.map((each) => {
    const embedded = each.score / whole;
    const cosine = cosines.get(each.slot);
    if (cosine === undefined) return { ...each, score: embedded };
    const sentence = (cosine - least) / range;
    const score = (1 - share) * embedded + share * sentence;
    return { ...each, score, parts: { ...each.parts, sentence } };
  });
}

/** The model's share of a score: larger where the question says it in other words than the texts. */
function shareOf(weight: number, believed: number): number {
  return weight + (1 - weight) * GAINS * (1 - believed);
}
