/** Output as bytes in a latin1 string: the form that the shell passes on without re-encoding. */

/** The UTF-8 bytes of a text, one character a byte. */
export function toBytes(text: string): string {
  for (let i = 0; i < text.length; i++) {
    if (text.charCodeAt(i) > 127) return Buffer.from(text, 'utf8').toString('latin1');
  }
  return text;
}

/** A view of bytes with Buffer's methods, without copying. */
export function asBuffer(bytes: Uint8Array): Buffer {
  if (Buffer.isBuffer(bytes)) return bytes;
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
}

const ESCAPE = '\u001b';

/** A text in an SGR colour, ended the way grep ends it. */
export function coloured(text: string, sgr: string): string {
  return `${ESCAPE}[${sgr}m${ESCAPE}[K${text}${ESCAPE}[m${ESCAPE}[K`;
}
