/** A question's vector compared with those of the chunks, as the ranking asks for it. */
import { best } from '../fuse/best.ts';
import type { SentenceSignal } from '../fuse/sentences.ts';
import type { ModelVectors } from './model-vectors.ts';

/** Less than any cosine: chunks without a vector are nowhere near. */
const NOWHERE = -1;

export function vectorSignal(
  question: Float32Array,
  { vectors, memory }: ModelVectors,
  weight: number,
): SentenceSignal {
  const cosines = vectors.cosines(question, memory.corpus.size);
  return {
    weight,
    nearest: (allowed, count) => best(cosines, count, allowed, NOWHERE),
    cosine: (slot) => (vectors.has(slot) ? (cosines[slot] ?? null) : null),
  };
}
