/** sub, gsub and gensub. */
import type { Regex } from './regex.ts';

/** A piece of a replacement: text, or the number of a group (0 is the whole match). */
type Part = string | number;

/** `&` is the match; of the backslashes before it each two are one, and an odd one takes its meaning. */
export function parseReplacement(text: string): Part[] {
  const parts: Part[] = [];
  let plain = '';
  let done = 0;
  for (const { 0: run, 1: backslashes = '', index } of text.matchAll(/(\\*)&/g)) {
    plain += text.slice(done, index) + '\\'.repeat(Math.floor(backslashes.length / 2));
    done = index + run.length;
    if (backslashes.length % 2 === 1) plain += '&';
    else {
      parts.push(plain, 0);
      plain = '';
    }
  }
  parts.push(plain + text.slice(done));
  return parts;
}

/** gensub's: `\0` to `\9` are groups, and a backslash takes away the meaning of what follows. */
export function parseGroups(text: string): Part[] {
  const parts: Part[] = [];
  let plain = '';
  for (let at = 0; at < text.length; at++) {
    const char = text[at] ?? '';
    const next = text[at + 1] ?? '';
    if (char === '&' || (char === '\\' && /[0-9]/.test(next))) {
      parts.push(plain, char === '&' ? 0 : Number(next));
      plain = '';
      if (char === '\\') at++;
    } else if (char === '\\' && at > 0 && at + 1 === text.length) {
      // gawk puts there the NUL behind its text.
      plain += '\0';
    } else if (char === '\\' && (next === '&' || next === '\\')) {
      plain += next;
      at++;
    } else plain += char;
  }
  parts.push(plain);
  return parts;
}

export interface Substitution {
  text: string;
  count: number;
}

/**
 * Replaces matches.
 * @param which 0 for all, else the number of the one, from 1
 */
export function substitute(
  regex: Regex,
  parts: readonly Part[],
  text: string,
  which: number,
): Substitution {
  const groups = parts.some((part) => typeof part === 'number' && part > 0);
  let out = '';
  let done = 0;
  let seen = 0;
  let count = 0;
  let last = -1;
  for (let from = 0; from <= text.length; ) {
    const found = groups ? regex.findGroups(text, from) : null;
    const whole = groups ? (found?.whole ?? null) : regex.find(text, from);
    if (whole === null) break;
    const { start, end } = whole;
    // After an empty match the search goes on a whole character later.
    const step = (text.codePointAt(end) ?? 0) > 0xffff ? 2 : 1;
    from = end > start ? end : end + step;
    // An empty match right after another match is none.
    if (end === start && start === last) continue;
    last = end;
    if (++seen < which) continue;
    out += text.slice(done, start);
    for (const part of parts) {
      if (typeof part === 'string') out += part;
      else {
        const place = part === 0 ? whole : found?.groups[part - 1];
        if (place) out += text.slice(place.start, place.end);
      }
    }
    done = end;
    count++;
    if (which > 0) break;
  }
  return count === 0 ? { text, count } : { text: out + text.slice(done), count };
}
