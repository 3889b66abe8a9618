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
  const places = alignment(b, a);
  const out: string[] = [];
  let taken = 0;
  for (const hunk of hunksOf(b, c, comparator)) {
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

/** What a line says, whatever number it has in its list. */
function key(line: string): string {
  return line.replace(/^(\t*)\d+\. /, '$11. ').replace(/ fit-page-width="(?:true|false)"/, '');
}

const comparator = (one: string, other: string): boolean => key(one) === key(other);

/** For each line of `from` the index of the same line in `to`. */
function alignment(from: string[], to: string[]): (number | undefined)[] {
  const places: (number | undefined)[] = [];
  let at = 0;
  for (const { added, removed, value } of diffArrays(from, to, { comparator })) {
    if (added) at += value.length;
    else for (const _ of value) places.push(removed ? undefined : at++);
  }
  return places;
}
