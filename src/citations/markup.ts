/** The signs of Markdown that a reader of the rendered page does not see. */

/** From an offset up to another. */
type Span = [from: number, to: number];

/** At the beginning of a line: quotation, heading, list, task. */
const LINE_SIGNS = /^[ \t]*(?:>[ \t]?)*(?:#{1,6}[ \t]+|[-*+][ \t]+(?:\[[ xX]\][ \t]+)?)?/;
const FENCE = /^[ \t]*(?:>[ \t]?)*(?:```|~~~)/;
/**
 * Within a line, the first that fits: code, whose text stays as it is; an
 * escaped sign; the two ends of a link; emphasis that opens and closes; a bar
 * of a table.
 */
const INLINE =
  /(?<code>(?<ticks>`+)[^`\n]+\k<ticks>(?!`))|(?<backslash>\\)[!-/:-@[-`{-~]|(?<open>!?\[)(?<label>[^[\]\n]*)(?<close>\]\([^()\s]*(?:\s"[^"\n]*")?\))|(?<bar>[ \t]*(?<!\\)\|[ \t]*)/g;
/** What is escaped neither opens nor closes it. */
const EMPHASIS = [
  /(?<![\p{L}\p{N}*\\])(\*{1,3})(?=[^\s*])(?:[^*\n]*[^\s*\\])(\1)(?![\p{L}\p{N}*])/gu,
  /(?<![\p{L}\p{N}_\\])(_{1,3})(?=[^\s_])(?:[^\n]*?[^\s_\\])(\1)(?![\p{L}\p{N}_])/gu,
];

/** A longer line is no prose, and its time would grow with its square. Characters. */
const LONGEST_LINE = 20_000;

/** Where a text of Markdown has signs. What stands in fences has none. */
export function markupOf(source: string): Span[] {
  const spans: Span[] = [];
  let fenced = false;
  let at = 0;
  for (const line of source.split('\n')) {
    if (FENCE.test(line)) fenced = !fenced;
    else if (!fenced && line.length <= LONGEST_LINE)
      for (const [from, to] of signsOf(line)) spans.push([at + from, at + to]);
    at += line.length + 1;
  }
  return spans;
}

function signsOf(line: string): Span[] {
  const start = LINE_SIGNS.exec(line)?.[0].length ?? 0;
  const spans: Span[] = start === 0 ? [] : [[0, start]];
  const codes: Span[] = [];
  for (const { index, 0: whole, groups = {} } of line.matchAll(INLINE)) {
    const end = index + whole.length;
    const { ticks, backslash, open, close, bar } = groups;
    if (ticks !== undefined) {
      codes.push([index, end]);
      spans.push([index, index + ticks.length], [end - ticks.length, end]);
    } else if (backslash !== undefined) spans.push([index, index + 1]);
    else if (open !== undefined && close !== undefined)
      spans.push([index, index + open.length], [end - close.length, end]);
    else if (bar !== undefined) spans.push(...barSpan(line, index, end));
  }
  for (const pattern of EMPHASIS) {
    for (const { index, 0: whole, 1: sign = '' } of line.matchAll(pattern)) {
      const end = index + whole.length;
      if (codes.some(([from, to]) => from < index + sign.length && index < to)) continue;
      spans.push([index, index + sign.length], [end - sign.length, end]);
    }
  }
  return spans;
}

/** A bar between two cells is a blank; at the ends of a row it is nothing. */
function barSpan(line: string, from: number, to: number): Span[] {
  const bar = line.indexOf('|', from);
  const blank = line.slice(from, bar).length > 0 || line.slice(bar + 1, to).length > 0;
  return blank ? [[bar, bar + 1]] : [];
}
