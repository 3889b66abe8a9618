/**
 * Is there an answer at all? A ranking always has a best; whether that is an
 * answer shows in what is not normalised over the candidates: how much of what
 * the question tells a chunk has in it, how near it is by the word table, how near
 * all that is searched is to it, and how much of it is told in words that occur.
 */
import type { Evidence } from '../fuse/ranking.ts';
import type { SentenceSignal } from '../fuse/sentences.ts';

/**
 * Fixed by logistic regression on questions put to the collections that they belong
 * to and to those that they do not (see docs/search.md): below it, nine in ten of the
 * questions about nothing are refused, and of those with an answer one in twenty.
 */
const ENOUGH = 0.61;
/** What it counts that the words of a question occur at all. */
const KNOWN = 0.2;

/** By so many deviations thirteen in fourteen of the questions about nothing do not stand out. */
const STANDS_OUT = 1.5;
/** Nearer than this comes some chunk to five in six of the questions about nothing. */
const DENIED = -1;
/** A chunk that has so much of the question is an answer, whatever a model thinks of its wording. */
const WHOLE = 0.9;

/**
 * True when the best that the candidates have, part by part, is enough for an
 * answer. A sentence model can find one where the words do not, and where it knows
 * all chunks it can deny one where the words alone would have it.
 */
export function isRelevant(
  candidates: readonly Evidence[],
  sentences: Pick<SentenceSignal, 'complete' | 'standing'> | null = null,
): boolean {
  const most = (part: 'covered' | 'sentence'): number =>
    Math.max(0, ...candidates.map((evidence) => evidence[part] ?? 0));
  const told = candidates.some(
    ({ covered, words, background, known }) =>
      covered + words + background + KNOWN * known >= ENOUGH,
  );
  if (sentences === null) return told;
  const standing = sentences.standing(most('sentence'));
  if (standing >= STANDS_OUT) return true;
  return told && (standing >= DENIED || !sentences.complete || most('covered') >= WHOLE);
}
