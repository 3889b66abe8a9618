/** A question's vector compared with those of the chunks, as the ranking asks for it. */
import { best } from '../fuse/best.ts';
import type { SentenceSignal } from '../fuse/sentences.ts';
import type { ModelVectors } from './model-vectors.ts';

/** Less than any cosine: chunks without a vector are nowhere near. */
const NOWHERE = -1;

export function vectorSignal(
  question: Float32Array,
  held: ModelVectors,
  weight: number,
): SentenceSignal {
  const { vectors, memory } = held;
  const cosines = vectors.cosines(question, memory.corpus.size);
  const { mean, deviation } = held.backdrop;
  return {
    weight,
    complete: held.pending === 0,
    standing: (cosine) => (deviation > 0 ? (cosine - mean) / deviation : 0),
    nearest: (allowed, count) => best(cosines, count, allowed, NOWHERE),
    cosine: (slot) => (vectors.has(slot) ? (cosines[slot] ?? null) : null),
  };
}
