/** The matches of a text in turn, and its lines when matches may span several. */
import type { Matcher } from '../support/literal/matcher.ts';
import { widthAt } from '../support/literal/utf8.ts';
import { type LineOptions, type LineSink, lineEndAt, lineStartAt, searchLines } from './search.ts';

/**
 * Calls back with each match between two positions, empty ones included,
 * until false comes back. An empty match right after another counts for none.
 */
export function eachMatch(
  matcher: Matcher,
  buf: Uint8Array,
  base: number,
  to: number,
  found: (start: number, end: number) => boolean,
): void {
  let at = base;
  let last = -1;
  while (at <= to && matcher.extent(buf, base, to, at)) {
    const { start, end } = matcher;
    if (end === start && start === last) {
      if (at >= to) return;
      at += widthAt(buf, at, to);
      continue;
    }
    if (!found(start, end)) return;
    last = end;
    if (end > start) at = end;
    else {
      if (end >= to) return;
      at = end + widthAt(buf, end, to);
    }
  }
}

/** The stretches of whole lines that matches cover. */
function blocks(
  buf: Uint8Array,
  matcher: Matcher,
  max: number,
  spanning?: LineOptions['spanning'],
): { start: number; end: number }[] {
  const found: { start: number; end: number }[] = [];
  const to = buf.length;
  matcher.begin(buf.length);
  eachMatch(matcher, buf, 0, to, (start, end) => {
    if (start >= to && to > 0 && buf[to - 1] === 10) return false;
    const from = lineStartAt(buf, start, 0, 10);
    const until = lineEndAt(buf, end > start ? end - 1 : end, to, 10);
    spanning?.(buf, start, end);
    const last = found[found.length - 1];
    if (last !== undefined && from <= last.end) {
      last.end = Math.max(last.end, until);
      return true;
    }
    if (found.length >= max) return false;
    found.push({ start: from, end: until });
    return true;
  });
  return found;
}

/** Like {@link searchLines}, for matches that may go over line ends. */
function searchBlocks(
  buf: Uint8Array,
  matcher: Matcher,
  options: LineOptions,
  sink: LineSink,
): number {
  const max = options.invert ? Number.POSITIVE_INFINITY : options.maxCount;
  const found = blocks(buf, matcher, max, options.spanning);
  let next = 0;
  let selected = 0;
  // The line search asks for the next line that matches: it is told of the blocks' lines.
  const finder = {
    begin: (): void => undefined,
    find: (_: Uint8Array, from: number): number => {
      while (next < found.length && (found[next]?.end ?? 0) < from) next++;
      const block = found[next];
      return block === undefined ? -1 : Math.max(block.start, from);
    },
  };
  selected = searchLines(
    buf,
    finder,
    { ...options, maxCount: options.invert ? options.maxCount : Number.POSITIVE_INFINITY },
    sink,
  );
  return options.invert ? selected : found.length;
}

/** Like {@link searchText}, telling of all lines, those without a match as context. */
export function searchAll(
  buf: Uint8Array,
  matcher: Matcher,
  options: LineOptions,
  multiline: boolean,
  sink: LineSink,
): number {
  let at = 0;
  const others = (until: number): void => {
    while (at < until) {
      const end = lineEndAt(buf, at, buf.length, 10);
      sink(at, end, false, false);
      at = end + 1;
    }
  };
  const selected = searchText(buf, matcher, options, multiline, (start, end, hit, leads) => {
    others(start);
    at = end + 1;
    return sink(start, end, hit, leads);
  });
  others(buf.length);
  return selected;
}

/** Searches a text by lines, or by blocks of lines where matches may span them. */
export function searchText(
  buf: Uint8Array,
  matcher: Matcher,
  options: LineOptions,
  multiline: boolean,
  sink: LineSink,
): number {
  return multiline
    ? searchBlocks(buf, matcher, options, sink)
    : searchLines(buf, matcher, options, sink);
}
