/** What a sentence model says of the passages for one question. */

/** How near chunks are to one question, by the vectors of a sentence model. */
export interface SentenceSignal {
  /** What the model counts beside the other votes, 0 to below 1; 0.2 is as much as any other. */
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
