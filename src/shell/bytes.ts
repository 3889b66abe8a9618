/**
 * Bytes inside JavaScript text, without loss.
 *
 * just-bash passes output about as text or as latin1 ("one char, one byte")
 * and joins the two by looking at them, which loses bytes that are not UTF-8.
 * Inside our shell all output is text in which a byte that is no part of valid
 * UTF-8 stands as a lone low surrogate, U+DC80 … U+DCFF (Python's
 * "surrogateescape"). Such text can be joined at will and goes back exactly.
 */

/** With the `u` flag this matches lone surrogates alone, never half a pair. */
const ESCAPED = /([\u{DC80}-\u{DCFF}]+)/u;
const ESCAPE_BASE = 0xdc00;

/** Has a text no character above U+007F? Only those are one byte of UTF-8. */
const isAscii = (text: string): boolean => Buffer.byteLength(text) === text.length;

/** Text for a latin1 byte string. Exact: {@link bytesFromText} gives the bytes back. */
export function textFromBytes(bytes: string): string {
  if (isAscii(bytes)) return bytes;
  const buffer = Buffer.from(bytes, 'latin1');
  const text = buffer.toString('utf8');
  // U+FFFD may be in the data or stand for damage: only the round trip tells.
  if (!text.includes('\ufffd') || Buffer.from(text, 'utf8').equals(buffer)) return text;
  return escapeInvalid(buffer);
}

/** The latin1 byte string of a text. Escaped bytes come back as themselves. */
export function bytesFromText(text: string): string {
  if (isAscii(text)) return text;
  if (text.isWellFormed()) return Buffer.from(text, 'utf8').toString('latin1');
  return text
    .split(ESCAPED)
    .map((part, index) =>
      index % 2 === 1
        ? Array.from(part, (char) => String.fromCharCode(char.charCodeAt(0) - ESCAPE_BASE)).join('')
        : Buffer.from(part, 'utf8').toString('latin1'),
    )
    .join('');
}

/** The escape for one byte, 0x80 … 0xFF, that is not part of valid UTF-8. */
function escapeByte(byte: number): string {
  return String.fromCharCode(ESCAPE_BASE + byte);
}

/**
 * The form in which a result passes just-bash's output boundary unchanged. It
 * decodes a string whose chars are all below U+0100 when they happen to be
 * valid UTF-8, so `Ã©` would come out as `é`: such text is handed over encoded.
 */
export function throughBoundary(text: string): string {
  return /[\x80-\xff]/.test(text) && !/[^\x00-\xff]/.test(text) ? bytesFromText(text) : text;
}

/** Length of the valid UTF-8 sequence at an offset, 0 if there is none. */
function sequenceLength(buffer: Buffer, offset: number): number {
  const first = buffer[offset] ?? 0;
  if (first < 0x80) return 1;
  const length = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : first >= 0xc2 ? 2 : 0;
  if (length === 0 || first > 0xf4 || offset + length > buffer.length) return 0;
  for (let i = 1; i < length; i++) {
    if (((buffer[offset + i] ?? 0) & 0xc0) !== 0x80) return 0;
  }
  const second = buffer[offset + 1] ?? 0;
  const overlong = (first === 0xe0 && second < 0xa0) || (first === 0xf0 && second < 0x90);
  const surrogate = first === 0xed && second > 0x9f;
  const tooLarge = first === 0xf4 && second > 0x8f;
  return overlong || surrogate || tooLarge ? 0 : length;
}

function escapeInvalid(buffer: Buffer): string {
  const parts: string[] = [];
  let valid = 0;
  let offset = 0;
  while (offset < buffer.length) {
    const length = sequenceLength(buffer, offset);
    if (length > 0) {
      offset += length;
      continue;
    }
    if (offset > valid) parts.push(buffer.toString('utf8', valid, offset));
    parts.push(escapeByte(buffer[offset] ?? 0));
    offset += 1;
    valid = offset;
  }
  if (offset > valid) parts.push(buffer.toString('utf8', valid, offset));
  return parts.join('');
}
