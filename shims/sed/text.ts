/** What sed makes of text: replacements, and the unambiguous form of `l`. */
import type { PatternMatch } from '../support/posix-pattern.ts';
import type { Part } from './script.ts';

/** A replacement for one match. */
export function expand(parts: readonly Part[], match: PatternMatch): string {
  let out = '';
  let mode: 'U' | 'L' | 'E' = 'E';
  let once: 'u' | 'l' | undefined;
  for (const part of parts) {
    if (part.kind === 'case') {
      if (part.to === 'u' || part.to === 'l') once = part.to;
      else mode = part.to;
      continue;
    }
    let text =
      part.kind === 'text'
        ? part.text
        : part.group === 0
          ? match.text
          : (match.groups[part.group - 1] ?? '');
    if (text === '') continue;
    if (mode === 'U') text = text.toUpperCase();
    else if (mode === 'L') text = text.toLowerCase();
    if (once !== undefined) {
      const [first = ''] = text;
      text = (once === 'u' ? first.toUpperCase() : first.toLowerCase()) + text.slice(first.length);
      once = undefined;
    }
    out += text;
  }
  return out;
}

const NAMED: Readonly<Record<string, string>> = {
  '\\': '\\\\',
  '\x07': '\\a',
  '\b': '\\b',
  '\f': '\\f',
  '\n': '\\n',
  '\r': '\\r',
  '\t': '\\t',
  '\v': '\\v',
};

/**
 * The `l` command: every character visible, lines cut.
 *
 * @param bytesOf of a character, as a byte string
 */
export function unambiguous(
  text: string,
  { width, end, bytesOf }: { width: number; end: string; bytesOf: (char: string) => string },
): string {
  let out = '';
  let column = 0;
  for (const char of text) {
    const code = char.codePointAt(0) ?? 0;
    const octal = (byte: string) => `\\${byte.charCodeAt(0).toString(8).padStart(3, '0')}`;
    const shown =
      NAMED[char] ?? (code < 32 || code > 126 ? [...bytesOf(char)].map(octal).join('') : char);
    if (width > 0 && column + shown.length > width - 1) {
      out += '\\\n';
      column = 0;
    }
    out += shown;
    column += shown.length;
  }
  return `${out}$${end}`;
}
