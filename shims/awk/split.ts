/** Splitting text into fields. */
import type { Regex, RegexCache } from './regex.ts';
import { lengthOf } from './text.ts';

/** Pieces, and what stood between them (before the first and after the last, too, where blanks do). */
export interface Pieces {
  parts: string[];
  /** separators[i] stands after parts[i]; only filled where asked for. */
  separators: string[];
  /** Blanks before the first piece. */
  lead: string;
}

export type Splitter = (text: string, keepSeparators: boolean) => Pieces;

/** At runs of blanks, tabs and newlines; those at the ends count for nothing. */
const byBlanks: Splitter = (text, keep) => {
  const parts: string[] = [];
  const separators: string[] = [];
  const { length } = text;
  let at = 0;
  let lead = '';
  while (at < length) {
    const gap = at;
    for (; at < length; at++) {
      const code = text.charCodeAt(at);
      if (code !== 32 && code !== 9 && code !== 10) break;
    }
    if (keep && at > gap) {
      if (parts.length === 0) lead = text.slice(gap, at);
      else separators.push(text.slice(gap, at));
    }
    if (at === length) break;
    const start = at;
    for (; at < length; at++) {
      const code = text.charCodeAt(at);
      if (code === 32 || code === 9 || code === 10) break;
    }
    parts.push(text.slice(start, at));
  }
  return { parts, separators, lead };
};

/** Each character a piece. */
export const byCharacters: Splitter = (text, keep) => {
  const parts = [...text];
  return { parts, separators: keep ? parts.slice(1).map(() => '') : [], lead: '' };
};

function byText(separator: string): Splitter {
  return (text, keep) => {
    const parts = text === '' ? [] : text.split(separator);
    return { parts, separators: keep ? parts.slice(1).map(() => separator) : [], lead: '' };
  };
}

/** At each match that is not empty. */
export function byRegex(regex: Regex): Splitter {
  return (text, keep) => {
    const parts: string[] = [];
    const separators: string[] = [];
    if (text === '') return { parts, separators, lead: '' };
    let done = 0;
    for (let from = 0; from <= text.length; ) {
      const found = regex.find(text, from);
      if (found === null) break;
      if (found.end === found.start) {
        from = found.end + 1;
        continue;
      }
      parts.push(text.slice(done, found.start));
      if (keep) separators.push(text.slice(found.start, found.end));
      done = found.end;
      from = done;
    }
    parts.push(text.slice(done));
    return { parts, separators, lead: '' };
  };
}

/** What matches is a piece, what stands between is not: FPAT and patsplit. */
export function byContent(regex: Regex): Splitter {
  return (text) => {
    const parts: string[] = [];
    const separators: string[] = [];
    let done = 0;
    let lead = '';
    let mayBeEmpty = true;
    for (let from = 0; from <= text.length; ) {
      const found = regex.find(text, from);
      if (found === null) break;
      const empty = found.end === found.start;
      // An empty piece right after another piece is none.
      if (!empty || mayBeEmpty || found.start > done) {
        if (parts.length === 0) lead = text.slice(0, found.start);
        else separators.push(text.slice(done, found.start));
        parts.push(text.slice(found.start, found.end));
        done = found.end;
      }
      mayBeEmpty = false;
      from = empty ? found.end + 1 : found.end;
    }
    if (parts.length === 0) lead = text;
    else separators.push(text.slice(done));
    return { parts, separators, lead };
  };
}

/** By widths in characters, as FIELDWIDTHS has them: `3 2:4 *`. undefined where they are none. */
export function byWidths(widths: string): Splitter | undefined {
  const columns = widths.trim().split(/\s+/);
  const cuts = columns.map((column, i) => {
    const found = /^(?:(\d+):)?(\d+|\*)$/.exec(column);
    if (found === null || (found[2] === '*' && i < columns.length - 1)) return undefined;
    return {
      skip: Number(found[1] ?? 0),
      size: found[2] === '*' ? Number.POSITIVE_INFINITY : Number(found[2]),
    };
  });
  return cuts.every((cut) => cut !== undefined)
    ? (text) => {
        const chars = lengthOf(text) === text.length ? text : [...text];
        const parts: string[] = [];
        let at = 0;
        for (const { skip, size } of cuts) {
          at += skip;
          if (at >= chars.length) break;
          const part = chars.slice(at, at + size);
          parts.push(typeof part === 'string' ? part : part.join(''));
          at += size;
        }
        return { parts, separators: [], lead: '' };
      }
    : undefined;
}

/**
 * The splitter for FS or the third argument of split.
 * @param paragraphs does a newline separate, too (RS is empty)?
 */
export function bySeparator(separator: string, regexes: RegexCache, paragraphs = false): Splitter {
  if (separator === ' ') return byBlanks;
  if (separator === '') return byCharacters;
  const folds = regexes.ignoreCase && /[a-z]/i.test(separator);
  if (separator.length === 1 && !folds) {
    if (!paragraphs || separator === '\n') return byText(separator);
    const set = /[\\\]^-]/.test(separator) ? `\\${separator}` : separator;
    return byRegex(regexes.get(`[\\n${set}]`));
  }
  // Only what is one character long has the newline beside it.
  return byRegex(regexes.get(separator));
}
