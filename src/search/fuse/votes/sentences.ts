/** The vote of a sentence model. */
import type { Pool } from '../pool.ts';
import type { SentenceSignal } from '../sentences.ts';

/** The weight at which a model counts as much as any other vote. */
const ONE_VOTE = 0.2;

/** As many votes as a model's weight makes: at 0.2 one, at 0.5 four, at 0.8 sixteen. */
export function votesOfModel(weight: number): number {
  const odds = (share: number): number => share / Math.max(1e-6, 1 - share);
  return odds(weight) / odds(ONE_VOTE);
}

/** Of each candidate the cosine of its nearest passage; NaN where none has a vector yet. */
export function bySentences({ candidates }: Pool, signal: SentenceSignal): Float32Array {
  return Float32Array.from(candidates, ({ passages }) => {
    const cosines = passages.flatMap((slot) => signal.cosine(slot) ?? []);
    return cosines.length === 0 ? Number.NaN : Math.max(...cosines);
  });
}
