/** UTF-8 in a byte array: decoding one character at a position, strict as in RFC 3629. */

/** `decode` returns this for a byte that begins no valid character. */
export const INVALID = -1;

/**
 * The character at a position, as `cp * 8 + length`, or {@link INVALID}.
 * Overlong forms, surrogates and anything above U+10FFFF are invalid.
 */
function decode(buf: Uint8Array, at: number, to: number): number {
  const a = buf[at] as number;
  if (a < 0x80) return a * 8 + 1;
  if (a < 0xc2 || a > 0xf4) return INVALID;
  const b = at + 1 < to ? (buf[at + 1] as number) : 0;
  if ((b & 0xc0) !== 0x80) return INVALID;
  if (a < 0xe0) return (((a & 0x1f) << 6) | (b & 0x3f)) * 8 + 2;
  const c = at + 2 < to ? (buf[at + 2] as number) : 0;
  if ((c & 0xc0) !== 0x80) return INVALID;
  if (a < 0xf0) {
    const cp = ((a & 0x0f) << 12) | ((b & 0x3f) << 6) | (c & 0x3f);
    return cp < 0x800 || (cp >= 0xd800 && cp < 0xe000) ? INVALID : cp * 8 + 3;
  }
  const d = at + 3 < to ? (buf[at + 3] as number) : 0;
  if ((d & 0xc0) !== 0x80) return INVALID;
  const cp = ((a & 0x07) << 18) | ((b & 0x3f) << 12) | ((c & 0x3f) << 6) | (d & 0x3f);
  return cp < 0x10000 || cp > 0x10ffff ? INVALID : cp * 8 + 4;
}

/** The character that ends just before a position, as {@link decode} gives it. */
function decodeBefore(buf: Uint8Array, at: number, from: number): number {
  let start = at - 1;
  while (start > from && at - start < 4 && ((buf[start] as number) & 0xc0) === 0x80) start--;
  const found = decode(buf, start, at);
  if (found !== INVALID && (found & 7) === at - start) return found;
  return INVALID;
}

/** How text is made of bytes. */
export interface Encoding {
  /** One byte a character, and letters are those of ASCII alone: the C locale. */
  readonly unibyte: boolean;
  decode(buf: Uint8Array, at: number, to: number): number;
  decodeBefore(buf: Uint8Array, at: number, from: number): number;
  widthAt(buf: Uint8Array, at: number, to: number): number;
}

/** How many bytes the character (or the invalid byte) at a position takes. */
export function widthAt(buf: Uint8Array, at: number, to: number): number {
  const found = decode(buf, at, to);
  return found === INVALID ? 1 : found & 7;
}

export const UTF8: Encoding = { unibyte: false, decode, decodeBefore, widthAt };

/** Every byte is a character, with its value for a code point. */
export const BYTES: Encoding = {
  unibyte: true,
  decode: (buf, at) => (buf[at] as number) * 8 + 1,
  decodeBefore: (buf, at) => (buf[at - 1] as number) * 8 + 1,
  widthAt: () => 1,
};
