/**
 * Bytes as text and back without loss: a byte that is no UTF-8 becomes a lone
 * surrogate (U+DC80 to U+DCFF), which counts as one character and is written
 * as the byte that it was.
 */
import { decode, INVALID } from '../../src/search/literal/utf8.ts';

/** How bytes are read as characters. Both sides of `decode` and `encode` on the bytes' side are byte strings. */
export interface Codec {
  decode(bytes: string): string;
  encode(text: string): string;
}

const HIGH = /[\x80-\xff]/;
const BEYOND_ASCII = /[^\x00-\x7f]/;
const ESCAPE = 0xdc00;

function decodeLossless(bytes: string): string {
  const buffer = Buffer.from(bytes, 'latin1');
  let out = '';
  let done = 0;
  for (let at = 0; at < buffer.length; ) {
    const found = decode(buffer, at, buffer.length);
    if (found !== INVALID) {
      at += found & 7;
      continue;
    }
    out += buffer.toString('utf8', done, at);
    out += String.fromCharCode(ESCAPE + (buffer[at] ?? 0));
    done = ++at;
  }
  return out + buffer.toString('utf8', done);
}

/** UTF-8. */
export const UTF8: Codec = {
  decode(bytes) {
    if (!HIGH.test(bytes)) return bytes;
    const text = Buffer.from(bytes, 'latin1').toString('utf8');
    return text.includes('\ufffd') ? decodeLossless(bytes) : text;
  },
  encode(text) {
    if (!BEYOND_ASCII.test(text)) return text;
    if (text.isWellFormed()) return Buffer.from(text, 'utf8').toString('latin1');
    const pieces = text.split(/((?<![\ud800-\udbff])[\udc80-\udcff]+)/);
    return pieces
      .map((piece, i) =>
        i % 2 === 0
          ? Buffer.from(piece, 'utf8').toString('latin1')
          : piece.replace(/[\s\S]/g, (one) => String.fromCharCode(one.charCodeAt(0) - ESCAPE)),
      )
      .join('');
  },
};

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
