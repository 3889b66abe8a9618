/**
 * Which lines are shown of what was found. A document and what was said of it are one
 * thread, and each thread has a line, its best one. Where there are fewer threads than
 * lines are wanted, further lines follow the first, but only those that tell by
 * themselves: what a comment is found by is often what it was said of.
 */
import { parentOf } from '../fuse/parents.ts';
import type { RankedChunk } from '../index/search-index.ts';
import type { StoredChunk } from '../index/store.ts';
import { Shares, tablesLast } from './shares.ts';
import type { Line } from './telling-line.ts';

/** Of a thread so many lines at most are shown. */
const LINES_OF_A_THREAD = 3;
/** A further line is shown when it tells so much of what the first one does. */
const TELLS_BY_ITSELF = 0.5;

/** A passage, and its line that is shown. */
export interface Place {
  found: RankedChunk;
  chunk: StoredChunk;
  line: Line;
}

/**
 * At most `limit` places in the order of what was found, tables after all else.
 * @param found best first
 * @param lineOf the most telling line of a passage
 */
export function placesOf(
  found: readonly RankedChunk[],
  limit: number,
  lineOf: (chunk: StoredChunk) => Line,
): Place[] {
  const threads = new Map<string, Place[]>();
  const further: RankedChunk[] = [];
  const shown = new Map<RankedChunk, Place>();
  const shares = new Shares(found, limit);
  const show = (each: RankedChunk, place: Place): void => {
    shown.set(each, place);
    shares.take(each.document.path);
  };
  for (const each of found) {
    if (shown.size === limit) break;
    if (!shares.hasRoom(each.document.path)) continue;
    const thread = threadOf(each);
    if (threads.has(thread)) {
      further.push(each);
      continue;
    }
    const { chunk } = each;
    if (chunk === null) continue;
    const place = { found: each, chunk, line: lineOf(chunk) };
    threads.set(thread, [place]);
    show(each, place);
  }
  for (const each of further) {
    if (shown.size === limit) break;
    if (!shares.hasRoom(each.document.path)) continue;
    const places = threads.get(threadOf(each)) ?? [];
    if (places.length === LINES_OF_A_THREAD) continue;
    const { chunk } = each;
    if (chunk === null) continue;
    const place = { found: each, chunk, line: lineOf(chunk) };
    if (!tellsByItself(place, places)) continue;
    places.push(place);
    show(each, place);
  }
  return tablesLast(found.flatMap((each) => shown.get(each) ?? []));
}

function tellsByItself({ line }: Place, others: readonly Place[]): boolean {
  const first = others[0]?.line.score ?? 0;
  return (
    line.score >= TELLS_BY_ITSELF * first && others.every((each) => each.line.text !== line.text)
  );
}

function threadOf({ document: { path } }: RankedChunk): string {
  return parentOf(path) ?? path;
}
