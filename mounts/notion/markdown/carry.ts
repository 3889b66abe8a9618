/** An edit made on our own writing of a text, carried over to the text as the service writes it. */
import { diffArrays } from 'diff';
import { type Hunk, hunksOf } from '../text-edits.ts';

/**
 * `theirs` with what turns `before` into `after` done to it, by lines. `theirs` and `before` say
 * the same; where they differ only in what means nothing (numbers of items, empty lines), theirs
 * is kept.
 */
export function carriedOver(theirs: string, before: string, after: string): string {
  if (theirs === before) return after;
  const [a, b, c] = [theirs, before, after].map((text) => text.split('\n')) as [
    string[],
    string[],
    string[],
  ];
  const [theirKeys, ourKeys] = [keysOf(a), keysOf(b)];
  const places = alignment(ourKeys, theirKeys);
  const out: string[] = [];
  let taken = 0;
  for (const hunk of hunksOf(ourKeys, keysOf(c), c)) {
    const { start, end, lines } = placed(hunk, b, places, a.length);
    out.push(...a.slice(taken, Math.max(taken, start)), ...lines);
    taken = Math.max(taken, end);
  }
  return [...out, ...a.slice(taken)].join('\n');
}

/**
 * Where a hunk of `b` is in `a`. Where neither its own lines nor those beside it tell, it is made
 * larger: what lies between is written anew.
 */
function placed(
  { from, to, lines }: Hunk,
  b: readonly string[],
  places: readonly (number | undefined)[],
  length: number,
): { start: number; end: number; lines: string[] } {
  const start = (): number | undefined => {
    if (from === 0) return 0;
    const before = places[from - 1];
    return before === undefined ? places[from] : before + 1;
  };
  const end = (begin: number): number | undefined => {
    if (from === to) return begin;
    if (to === b.length) return length;
    const last = places[to - 1];
    return last === undefined ? places[to] : last + 1;
  };
  let wider = lines;
  let begin = start();
  while (begin === undefined) {
    wider = [b[--from] ?? '', ...wider];
    begin = start();
  }
  let stop = end(begin);
  while (stop === undefined) {
    wider = [...wider, b[to++] ?? ''];
    stop = end(begin);
  }
  return { start: begin, end: stop, lines: wider };
}

/**
 * What each line says, whatever number an item has within its list, and however deep a line of a
 * table stands. Of code, every line says what it is.
 */
function keysOf(lines: readonly string[]): string[] {
  let fence: string | null = null;
  let inTable = false;
  /** The depths at which a list has begun and not ended. */
  let lists: boolean[] = [];
  return lines.map((line) => {
    const mark = /^\s*(`{3,})/.exec(line)?.[1] ?? null;
    const within = fence;
    if (within === null) fence = mark;
    else if (line.trim() === within) fence = null;
    if (within !== null || mark !== null) return line;
    const isTable = inTable || /^\s*<table\b/.test(line);
    inTable = isTable && !line.trimEnd().endsWith('</table>');
    if (isTable) return line.trim().replace(/ fit-page-width="(?:true|false)"/, '');
    const [, tabs = '', number, rest = ''] = /^(\t*)(\d+)\. (.*)$/s.exec(line) ?? [];
    const depth = number === undefined ? (/^\t*/.exec(line)?.[0].length ?? 0) : tabs.length;
    const goesOn = lists[depth] === true;
    lists = lists.slice(0, depth);
    lists[depth] = number !== undefined;
    return goesOn && number !== undefined ? `${tabs}1. ${rest}` : line;
  });
}

/** For each line of `from` the index of the same line in `to`, by their keys. */
function alignment(from: string[], to: string[]): (number | undefined)[] {
  const places: (number | undefined)[] = [];
  let at = 0;
  for (const { added, removed, value } of diffArrays(from, to)) {
    if (added) at += value.length;
    else for (const _ of value) places.push(removed ? undefined : at++);
  }
  return places;
}
