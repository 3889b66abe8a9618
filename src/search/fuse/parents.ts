/**
 * A comment is judged with what it belongs to: one line says little by itself,
 * and what it is about, the issue says.
 */
import type { Ranked } from './ranking.ts';

/** How much of a comment's score is that of what it belongs to. */
const SHARE = 0.5;

/**
 * Ranked chunks in their new order.
 * @param pathOf the document of a slot
 */
export function withParents(ranked: readonly Ranked[], pathOf: (slot: number) => string): Ranked[] {
  const best = new Map<string, number>();
  for (const { slot, score } of ranked) {
    const path = pathOf(slot);
    // They come best first.
    if (!best.has(path)) best.set(path, score);
  }
  const judged = ranked.map((each) => {
    const parent = parentOf(pathOf(each.slot));
    if (parent === null) return each;
    return { ...each, score: (1 - SHARE) * each.score + SHARE * (best.get(parent) ?? 0) };
  });
  return judged.sort((a, b) => b.score - a.score || a.slot - b.slot);
}

/** `issues/12/comments/3.md` belongs to `issues/12.md`; null for what belongs to nothing. */
export function parentOf(path: string): string | null {
  const parent = /^(.+\/[^/]+)\/comments\/[^/]+$/.exec(path)?.[1];
  return parent === undefined ? null : `${parent}.md`;
}
