/** `%q`: a text as a word that the shell reads back as that text. */

const SPECIAL = /[\s'"\\|&;()<>!{}*[\]?^$`,]|^[#~]|(?<=[:=])~/g;
/** Control characters, and bytes that are no part of a character. */
const UNPRINTABLE = /[\x00-\x1f\x7f-\x9f\uDC80-\uDCFF]/;
/** Pairs of surrogates are characters. */
const PAIR = /[\uD800-\uDBFF][\uDC00-\uDFFF]/g;

const NAMED: Readonly<Record<string, string>> = {
  '\x07': '\\a',
  '\b': '\\b',
  '\t': '\\t',
  '\n': '\\n',
  '\v': '\\v',
  '\f': '\\f',
  '\r': '\\r',
  '\x1b': '\\E',
  "'": "\\'",
  '\\': '\\\\',
};

export function shellQuoted(text: string): string {
  if (text === '') return "''";
  if (!UNPRINTABLE.test(text.replace(PAIR, ''))) return text.replace(SPECIAL, '\\$&');
  const body = [...text].map((char) => NAMED[char] ?? (isUnprintable(char) ? octal(char) : char));
  return `$'${body.join('')}'`;
}

function isUnprintable(char: string): boolean {
  return char.length === 1 && UNPRINTABLE.test(char);
}

function octal(char: string): string {
  const bytes = /[\uDC80-\uDCFF]/.test(char) ? [char.charCodeAt(0) & 0xff] : Buffer.from(char);
  return Array.from(bytes, (byte) => `\\${byte.toString(8).padStart(3, '0')}`).join('');
}
