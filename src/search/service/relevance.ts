/**
 * Is there an answer at all? A ranking always has a best; whether that is an
 * answer shows in what is not normalised over the candidates: how much of what
 * the question tells a chunk has in it, and how near it is by the word table.
 */
import type { Evidence } from '../fuse/ranking.ts';

/**
 * Fixed on questions put to collections that are about something else (see
 * docs/search.md): below it, nine in ten of those are refused, and of questions
 * that have an answer one in twenty.
 */
const ENOUGH = 0.53;

/** True when the best that the candidates have, part by part, is enough for an answer. */
export function isRelevant(candidates: readonly Evidence[]): boolean {
  const most = (part: 'covered' | 'words'): number =>
    Math.max(0, ...candidates.map((evidence) => evidence[part]));
  return most('covered') + most('words') >= ENOUGH;
}
