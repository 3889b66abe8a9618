/** Patterns of `shopt -s extglob` within a segment: `@(a|b)`, `*(…)`, `+(…)`, `?(…)`, `!(…)`. */

import { withExclusions } from '../exclusions.ts';

/** Marks: each opening with its operator, the bar, the closing parenthesis. */
const OPEN = { '@': '\uFDE0', '*': '\uFDE1', '+': '\uFDE2', '?': '\uFDE3', '!': '\uFDE4' } as const;
const BAR = '\uFDE5';
const CLOSE = '\uFDE6';
const GROUP = /[\uFDE0-\uFDE6]/g;
const WRITTEN = ['@(', '*(', '+(', '?(', '!(', '|', ')'];
type Operator = keyof typeof OPEN;

/** What a sequence of characters fits, from one offset to any of some. */
export type Ends = (name: readonly string[], from: number) => Iterable<number>;

/** A pattern of the parser's with its groups marked; null where it holds what must be expanded first. */
export function markedGroups(pattern: string): string | null {
  if (/["'`$\\/]/.test(pattern)) return null;
  let depth = 0;
  return withExclusions(pattern).replace(/([@*+?!])\(|[|)]/g, (piece, operator?: Operator) => {
    if (operator !== undefined) {
      depth++;
      return OPEN[operator];
    }
    if (depth === 0) return piece;
    if (piece === ')') depth--;
    return piece === ')' ? CLOSE : BAR;
  });
}

export function hasGroups(text: string): boolean {
  return text.search(GROUP) >= 0;
}

/** The text as it was written. */
export function writtenGroups(text: string): string {
  return text.replace(GROUP, (mark) => WRITTEN[mark.charCodeAt(0) - 0xfde0] ?? '');
}

/**
 * Does a name fit a segment with groups?
 * @param plain what a stretch without groups fits
 */
export function compileGroups(
  text: string,
  plain: (stretch: string) => Ends,
): (name: readonly string[]) => boolean {
  const ends = endsOfGroups(text, plain);
  return (name) => {
    for (const end of ends(name, 0)) if (end === name.length) return true;
    return false;
  };
}

/** Where what fits a text with groups may end. @param plain what a stretch without groups fits */
export function endsOfGroups(text: string, plain: (stretch: string) => Ends): Ends {
  return sequence([...text], 0, plain).ends;
}

interface Parsed {
  ends: Ends;
  /** Where the text goes on. */
  next: number;
}

/** Up to a bar, a closing parenthesis or the end. */
function sequence(chars: readonly string[], start: number, plain: (text: string) => Ends): Parsed {
  const parts: Ends[] = [];
  let at = start;
  let stretch = '';
  const flush = (): void => {
    if (stretch !== '') parts.push(plain(stretch));
    stretch = '';
  };
  while (at < chars.length && chars[at] !== BAR && chars[at] !== CLOSE) {
    const operator = operatorOf(chars[at] ?? '');
    if (operator === null) {
      stretch += chars[at++];
      continue;
    }
    flush();
    const group = alternatives(chars, at + 1, plain);
    parts.push(repeated(operator, group.ends));
    at = group.next;
  }
  flush();
  return { ends: inTurn(parts), next: at };
}

function operatorOf(char: string): Operator | null {
  const found = Object.entries(OPEN).find(([, mark]) => mark === char);
  return (found?.[0] as Operator | undefined) ?? null;
}

function alternatives(
  chars: readonly string[],
  start: number,
  plain: (text: string) => Ends,
): Parsed {
  const all: Ends[] = [];
  let next = start;
  for (;;) {
    const one = sequence(chars, next, plain);
    all.push(one.ends);
    next = one.next + 1;
    if (chars[one.next] !== BAR) break;
  }
  const ends: Ends = (name, from) => new Set(all.flatMap((one) => [...one(name, from)]));
  return { ends, next };
}

function inTurn(parts: readonly Ends[]): Ends {
  return (name, from) => {
    let now = new Set([from]);
    for (const part of parts) now = new Set([...now].flatMap((at) => [...part(name, at)]));
    return now;
  };
}

function repeated(operator: Operator, one: Ends): Ends {
  if (operator === '@') return one;
  if (operator === '?') return (name, from) => new Set([from, ...one(name, from)]);
  if (operator === '!') {
    return (name, from) => {
      const fitting = new Set(one(name, from));
      const all = Array.from({ length: name.length - from + 1 }, (_, index) => from + index);
      return all.filter((end) => !fitting.has(end));
    };
  }
  return (name, from) => {
    const found = new Set(operator === '*' ? [from] : []);
    const open = [from];
    for (let at = open.pop(); at !== undefined; at = open.pop()) {
      for (const end of one(name, at)) {
        if (!found.has(end)) {
          found.add(end);
          open.push(end);
        }
      }
    }
    return found;
  };
}
