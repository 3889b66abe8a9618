/** Shell patterns as functions, made once: what find -name and ls -I match with. */
import { fits, type Token } from '../../src/shell/glob/match.ts';
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

function tokensOf(pattern: string, ignoreCase: boolean): Token[] {
  const tokens: Token[] = [];
  const plain = (wanted: string): Token => {
    if (!ignoreCase) return (char) => char === wanted;
    const folded = wanted.toLowerCase();
    return (char) => char.toLowerCase() === folded;
  };
  for (let i = 0; i < pattern.length; i++) {
    const char = String.fromCodePoint(pattern.codePointAt(i) ?? 0);
    const set = char === '[' ? bracket(pattern, i) : undefined;
    if (char === '*') {
      if (tokens.length === 0 || tokens.at(-1) !== null) tokens.push(null);
    } else if (char === '?') tokens.push(() => true);
    else if (char === '\\' && i + 1 < pattern.length) {
      const next = String.fromCodePoint(pattern.codePointAt(++i) ?? 0);
      tokens.push(plain(next));
      i += next.length - 1;
    } else if (set !== undefined) {
      tokens.push(setToken(set.text, ignoreCase));
      i = set.next - 1;
    } else {
      tokens.push(plain(char));
      i += char.length - 1;
    }
  }
  return tokens;
}

function setToken(text: string, ignoreCase: boolean): Token {
  try {
    const regex = new RegExp(`^${text}$`, ignoreCase ? 'ui' : 'u');
    return (char) => regex.test(char);
  } catch (error) {
    // `[z-a]` fits nothing.
    if (error instanceof SyntaxError) return () => false;
    throw error;
  }
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
  const tokens = tokensOf(pattern, ignoreCase);
  return (name) => fits(tokens, [...name]);
}
