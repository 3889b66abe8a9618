/** The forms in which a difference is written. Lines are byte strings. */
import type { Change } from './myers.ts';

/** One side of a comparison. */
export interface Side {
  lines: string[];
  /** The last line lacks its newline. */
  open: boolean;
  /** The name and date that headers show. */
  label: string;
}

const MISSING = '\n\\ No newline at end of file\n';

function shown(prefix: string, side: Side, from: number, to: number): string {
  let out = '';
  for (let i = from; i < to; i++) {
    const last = side.open && i === side.lines.length - 1;
    out += `${prefix}${side.lines[i]}${last ? MISSING : '\n'}`;
  }
  return out;
}

function range(from: number, to: number): string {
  if (to - from <= 1) return String(to === from ? from : to);
  return `${from + 1},${to}`;
}

/** The default form, with `<` and `>`. */
export function normal(a: Side, b: Side, script: readonly Change[]): string {
  return script
    .map(({ startA, endA, startB, endB }) => {
      const kind = startA === endA ? 'a' : startB === endB ? 'd' : 'c';
      const head = `${range(startA, endA)}${kind}${range(startB, endB)}\n`;
      const middle = kind === 'c' ? '---\n' : '';
      return head + shown('< ', a, startA, endA) + middle + shown('> ', b, startB, endB);
    })
    .join('');
}

/** Changes near enough to share their context. */
function hunks(script: readonly Change[], context: number): Change[][] {
  const out: Change[][] = [];
  for (const change of script) {
    const before = out.at(-1)?.at(-1);
    if (before !== undefined && change.startA - before.endA <= 2 * context)
      out.at(-1)?.push(change);
    else out.push([change]);
  }
  return out;
}

/** The lines that a hunk covers, its context with it. */
function extent(hunk: readonly Change[], a: Side, b: Side, context: number): Change {
  const first = hunk[0] ?? { startA: 0, endA: 0, startB: 0, endB: 0 };
  const last = hunk.at(-1) ?? first;
  const lead = Math.min(context, first.startA, first.startB);
  const tail = Math.min(context, a.lines.length - last.endA, b.lines.length - last.endB);
  return {
    startA: first.startA - Math.min(context, first.startA),
    startB: first.startB - lead,
    endA: last.endA + Math.min(context, a.lines.length - last.endA),
    endB: last.endB + tail,
  };
}

function unifiedRange(from: number, to: number): string {
  if (to === from) return `${from},0`;
  return to - from === 1 ? String(to) : `${from + 1},${to - from}`;
}

/** Characters of such a line that are shown. */
const HEADING = 40;

/** The last line before a hunk that a pattern names, as it stands behind the hunk's marks. */
function heading(side: Side, before: number, pattern: RegExp | null): string {
  if (pattern === null) return '';
  const found = side.lines.slice(0, before).findLast((line) => pattern.test(line));
  return found === undefined ? '' : ` ${found.trimStart().slice(0, HEADING).trimEnd()}`;
}

/** What the forms with context are told. */
export interface Surroundings {
  /** Lines around a change. */
  context: number;
  /** -p and -F: lines that stand for what follows them. */
  headings: RegExp | null;
}

/** -u */
export function unified(
  a: Side,
  b: Side,
  script: readonly Change[],
  { context, headings }: Surroundings,
): string {
  let out = `--- ${a.label}\n+++ ${b.label}\n`;
  for (const hunk of hunks(script, context)) {
    const all = extent(hunk, a, b, context);
    out += `@@ -${unifiedRange(all.startA, all.endA)} +${unifiedRange(all.startB, all.endB)} @@${heading(a, all.startA, headings)}\n`;
    let at = all.startA;
    for (const { startA, endA, startB, endB } of hunk) {
      out += shown(' ', a, at, startA) + shown('-', a, startA, endA) + shown('+', b, startB, endB);
      at = endA;
    }
    out += shown(' ', a, at, all.endA);
  }
  return out;
}

function contextRange(from: number, to: number): string {
  return to - from <= 1 ? String(to) : `${from + 1},${to}`;
}

function contextSide(
  side: Side,
  hunk: readonly Change[],
  [from, to]: [number, number],
  own: 'A' | 'B',
): string {
  const start = own === 'A' ? 'startA' : 'startB';
  const end = own === 'A' ? 'endA' : 'endB';
  if (hunk.every((change) => change[start] === change[end])) return '';
  let out = '';
  let at = from;
  for (const change of hunk) {
    const replaced = change.startA !== change.endA && change.startB !== change.endB;
    const mark = replaced ? '! ' : own === 'A' ? '- ' : '+ ';
    out += shown('  ', side, at, change[start]) + shown(mark, side, change[start], change[end]);
    at = change[end];
  }
  return out + shown('  ', side, at, to);
}

/** -c */
export function contextual(
  a: Side,
  b: Side,
  script: readonly Change[],
  { context, headings }: Surroundings,
): string {
  let out = `*** ${a.label}\n--- ${b.label}\n`;
  for (const hunk of hunks(script, context)) {
    const all = extent(hunk, a, b, context);
    out += `***************${heading(a, all.startA, headings)}\n*** ${contextRange(all.startA, all.endA)} ****\n`;
    out += contextSide(a, hunk, [all.startA, all.endA], 'A');
    out += `--- ${contextRange(all.startB, all.endB)} ----\n`;
    out += contextSide(b, hunk, [all.startB, all.endB], 'B');
  }
  return out;
}

/** -e: a script for ed, last change first. */
export function edScript(b: Side, script: readonly Change[]): string {
  return [...script]
    .reverse()
    .map(({ startA, endA, startB, endB }) => {
      const kind = startA === endA ? 'a' : startB === endB ? 'd' : 'c';
      const body = kind === 'd' ? '' : `${b.lines.slice(startB, endB).join('\n')}\n.\n`;
      return `${range(startA, endA)}${kind}\n${body}`;
    })
    .join('');
}

/** -n: as RCS keeps changes. */
export function rcsScript(b: Side, script: readonly Change[]): string {
  return script
    .map(({ startA, endA, startB, endB }) => {
      const gone = endA > startA ? `d${startA + 1} ${endA - startA}\n` : '';
      if (endB === startB) return gone;
      const body = b.lines.slice(startB, endB).join('\n');
      const end = b.open && endB === b.lines.length ? '' : '\n';
      return `${gone}a${endA} ${endB - startB}\n${body}${end}`;
    })
    .join('');
}

/** Expands tabs, cuts at a width. */
function column(text: string, width: number): string {
  let out = '';
  for (const char of text) {
    out += char === '\t' ? ' '.repeat(8 - (out.length % 8)) : char;
    if (out.length >= width) break;
  }
  return out.slice(0, width);
}

/** Blanks from one column to another, with tabs where they fit. */
function gap(from: number, to: number): string {
  let out = '';
  let at = from;
  while (at < to) {
    const tab = at - (at % 8) + 8;
    if (tab > to) {
      out += ' '.repeat(to - at);
      break;
    }
    out += '\t';
    at = tab;
  }
  return out;
}

/** -y */
export function sideBySide(
  a: Side,
  b: Side,
  script: readonly Change[],
  options: { width: number; leftOnly: boolean; suppress: boolean },
): string {
  const raw = Math.floor((options.width - 3) / 2);
  const off = Math.floor((options.width + 8 + 3) / 16) * 8;
  const half = Math.max(0, Math.min(off - 3, options.width - off, raw + 8));
  const column2 = half > 0 ? off : options.width;
  let out = '';
  const closes = (side: Side, at: number | undefined): boolean =>
    at !== undefined && !(side.open && at === side.lines.length - 1);
  const row = (atA: number | undefined, given: string, atB: number | undefined): void => {
    const left = atA === undefined ? undefined : a.lines[atA];
    const right = atB === undefined ? undefined : b.lines[atB];
    const [endsA, endsB] = [closes(a, atA), closes(b, atB)];
    const mark = given === '|' && endsA !== endsB ? (endsA ? '/' : '\\') : given;
    const text = left === undefined ? '' : column(left, half);
    let line = text;
    let at = text.length;
    const middle = Math.floor((half + column2 - 1) / 2);
    if (mark !== ' ') {
      line += gap(at, middle) + mark;
      at = middle + 1;
    }
    if (right !== undefined && right !== '') line += gap(at, column2) + column(right, half);
    out += endsA || endsB ? `${line}\n` : line;
  };
  let i = 0;
  let j = 0;
  const same = (to: number): void => {
    for (; i < to; i++, j++) {
      if (!options.suppress) row(i, options.leftOnly ? '(' : ' ', options.leftOnly ? undefined : j);
    }
  };
  for (const { startA, endA, startB, endB } of script) {
    same(startA);
    for (i = startA, j = startB; i < endA || j < endB; ) {
      if (i < endA && j < endB) row(i++, '|', j++);
      else if (i < endA) row(i++, '<', undefined);
      else row(undefined, '>', j++);
    }
  }
  same(a.lines.length);
  return out;
}
