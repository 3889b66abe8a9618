/** ed's `s`: what is looked for, what takes its place, and how often. */
import type { PosixPattern } from '../support/posix-pattern.ts';
import { EdError } from './buffer.ts';

export interface Substitution {
  pattern: PosixPattern;
  replacement: string;
  all: boolean;
  /** Which match of a line is replaced, from 1. */
  nth: number;
  /** What is printed of the last line: letters of p, n and l. */
  print: string;
}

/** Reads `/re/text/flags`. */
export function parseSubstitution(
  text: string,
  compile: (source: string) => PosixPattern,
  before: Substitution | undefined,
): Substitution {
  const delimiter = text[0] ?? '/';
  const piece = (from: number): number => {
    for (let at = from; at < text.length; at++) {
      if (text[at] === '\\') at++;
      else if (text[at] === '[' && from === 1) {
        const end = text.indexOf(']', at + 2);
        if (end > 0) at = end;
      } else if (text[at] === delimiter) return at;
    }
    return text.length;
  };
  const middle = piece(1);
  const end = piece(middle + 1);
  const flags = text.slice(end + 1);
  const replacement = text.slice(middle + 1, end).replaceAll(`\\${delimiter}`, delimiter);
  if (replacement === '%' && before === undefined) throw new EdError('No previous substitution');
  return {
    pattern: compile(text.slice(1, middle).replaceAll(`\\${delimiter}`, delimiter)),
    replacement: replacement === '%' && before !== undefined ? before.replacement : replacement,
    all: flags.includes('g'),
    nth: Number(/\d+/.exec(flags)?.[0] ?? 1),
    // Without a delimiter at its end the line is printed.
    print: end >= text.length ? 'p' : flags.replace(/[^pnl]/g, ''),
  };
}

/** The line with its matches replaced; undefined where there is none. */
export function substituted(
  line: string,
  { pattern, replacement, all, nth }: Substitution,
): string | undefined {
  let out = '';
  let at = 0;
  let count = 0;
  let ended = -1;
  for (let found = pattern.find(line, 0); found !== null; found = pattern.find(line, at)) {
    const { text, groups, index } = found;
    out += line.slice(at, index);
    at = index + text.length;
    // Right behind a match there is no empty one.
    if (text !== '' || index !== ended) {
      count++;
      const replaces = all ? count >= nth : count === nth;
      out += replaces ? replaced(replacement, text, groups) : text;
      if (replaces && !all) return out + line.slice(at);
    }
    ended = at;
    if (text !== '') continue;
    if (at >= line.length) break;
    out += line[at];
    at++;
  }
  return count < nth ? undefined : out + line.slice(at);
}

/** The replacement of one match, with `&` and `\1` filled in. */
function replaced(
  replacement: string,
  text: string,
  groups: readonly (string | undefined)[],
): string {
  return replacement.replace(/\\(.)|&/gs, (_piece, escaped?: string) => {
    if (escaped === undefined) return text;
    return /[1-9]/.test(escaped) ? (groups[Number(escaped) - 1] ?? '') : escaped;
  });
}
