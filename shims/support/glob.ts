/** Shell patterns as functions, made once: what find -name and ls -I match with. */
import { escapeRegex } from './regex.ts';

function bracket(pattern: string, at: number): { text: string; next: number } | undefined {
  let i = at + 1;
  let out = '[';
  if (pattern[i] === '!' || pattern[i] === '^') {
    out += '^';
    i++;
  }
  const first = i;
  for (; i < pattern.length; i++) {
    const char = pattern[i] ?? '';
    if (char === ']' && i > first) return { text: `${out}]`, next: i + 1 };
    const named = /^\[:(\w+):\]/.exec(pattern.slice(i));
    if (named !== null) {
      out += NAMED[named[1] ?? ''] ?? '';
      i += named[0].length - 1;
    } else if (char === '\\' && i + 1 < pattern.length) {
      out += escapeRegex(pattern[++i] ?? '');
    } else out += char === '-' ? '-' : escapeRegex(char);
  }
  return undefined;
}

const NAMED: Readonly<Record<string, string>> = {
  alpha: '\\p{L}',
  digit: '0-9',
  alnum: '\\p{L}0-9',
  upper: '\\p{Lu}',
  lower: '\\p{Ll}',
  space: '\\s',
  blank: ' \\t',
  punct: '!-\\/:-@\\[-`\\{-~',
  xdigit: '0-9A-Fa-f',
};

/** The source of a regular expression that matches what the pattern does, unanchored. */
export function globSource(pattern: string): string {
  let out = '';
  for (let i = 0; i < pattern.length; i++) {
    const char = String.fromCodePoint(pattern.codePointAt(i) ?? 0);
    if (char === '*') {
      if (!out.endsWith('[^]*')) out += '[^]*';
    } else if (char === '?') out += '[^]';
    else if (char === '\\' && i + 1 < pattern.length) out += escapeRegex(pattern[++i] ?? '');
    else if (char === '[') {
      const set = bracket(pattern, i);
      if (set === undefined) out += '\\[';
      else {
        out += set.text;
        i = set.next - 1;
      }
    } else {
      out += escapeRegex(char);
      i += char.length - 1;
    }
  }
  return out;
}

/** Compiles a pattern that must match the whole name (`/` and leading dots are nothing special). */
export function globMatcher(pattern: string, ignoreCase = false): (name: string) => boolean {
  const simple = ignoreCase ? null : /^(\*?)([^*?[\\]*)(\*?)$/.exec(pattern);
  if (simple !== null) {
    const [, head, middle = '', tail] = simple;
    if (head && tail) return (name) => name.includes(middle);
    if (head) return (name) => name.endsWith(middle);
    if (tail) return (name) => name.startsWith(middle);
    return (name) => name === middle;
  }
  const regex = new RegExp(`^${globSource(pattern)}$`, ignoreCase ? 'ui' : 'u');
  return (name) => regex.test(name);
}
