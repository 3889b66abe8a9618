/** How awk reads bytes as characters, and what it counts and compares of them. */
import { bytesFromText, textFromBytes } from '../../src/shell/bytes.ts';

/** How bytes are read as characters. Both sides of `decode` and `encode` on the bytes' side are byte strings. */
export interface Codec {
  decode(bytes: string): string;
  encode(text: string): string;
}

/** UTF-8 as the shell has it: a byte that is none becomes a lone surrogate, which counts as one character. */
export const UTF8: Codec = { decode: textFromBytes, encode: bytesFromText };

/** A character a byte, as in the C locale. What the program itself writes beyond that is UTF-8. */
export const BYTES: Codec = {
  decode: (bytes) => bytes,
  encode: (text) => text.replace(/[^\x00-\xff]+/g, (wide) => UTF8.encode(wide)),
};

const WIDE = /[\ud800-\udbff]/;

/** Characters in a text. */
export function lengthOf(text: string): number {
  return WIDE.test(text) ? [...text].length : text.length;
}

/** The characters from one index up to another. */
export function slice(text: string, from: number, to: number): string {
  return WIDE.test(text) ? [...text].slice(from, to).join('') : text.slice(from, to);
}

/** The index in characters of an index in code units. */
export function charIndex(text: string, unit: number): number {
  return WIDE.test(text) ? lengthOf(text.slice(0, unit)) : unit;
}

const SURROGATE = /[\ud800-\udfff]/;

/** Compares as bytes would. */
export function compareText(a: string, b: string): number {
  if (a === b) return 0;
  if (!SURROGATE.test(a) && !SURROGATE.test(b)) return a < b ? -1 : 1;
  return Buffer.compare(
    Buffer.from(UTF8.encode(a), 'latin1'),
    Buffer.from(UTF8.encode(b), 'latin1'),
  );
}
