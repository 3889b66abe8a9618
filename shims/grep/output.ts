/** Output as bytes: the shell passes them on, as a latin1 string, without re-encoding. */

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

/** Pieces of at most so many bytes are copied one by one: a call costs more than that. */
const SHORT = 128;

/** Of a number that JavaScript has exactly. */
const MAX_DIGITS = 16;
const COLON = 58;

/** Writes a whole number, not below 0, at a position of bytes; gives the position after it. */
function putNumber(bytes: Uint8Array, from: number, value: number): number {
  let digits = 1;
  for (let power = 10; power <= value; power *= 10) digits++;
  let rest = value;
  for (let at = from + digits - 1; at >= from; at--) {
    const more = Math.floor(rest / 10);
    bytes[at] = 48 + rest - more * 10;
    rest = more;
  }
  return from + digits;
}

/** All that a command prints. Joining strings line by line costs several times as much as the search. */
export class Output {
  private bytes = Buffer.allocUnsafe(1024);
  private length = 0;

  /** Bytes so far. */
  get size(): number {
    return this.length;
  }

  /** Adds a text, one character a byte. */
  add(text: string): void {
    const bytes = this.room(text.length);
    let to = this.length;
    if (text.length > SHORT) to += bytes.write(text, to, 'latin1');
    else for (let at = 0; at < text.length; at++) bytes[to++] = text.charCodeAt(at);
    this.length = to;
  }

  /** Adds a stretch of bytes. */
  copy(from: Uint8Array, start: number, end: number): void {
    const bytes = this.room(end - start);
    let to = this.length;
    if (end - start > SHORT) {
      bytes.set(from.subarray(start, end), to);
      to += end - start;
    } else for (let at = start; at < end; at++) bytes[to++] = from[at] as number;
    this.length = to;
  }

  /** Adds a whole number, not below 0. */
  number(value: number): void {
    this.length = putNumber(this.room(MAX_DIGITS), this.length, value);
  }

  /**
   * Adds a line in one go: `head`, its number with a colon unless that is 0, the
   * stretch of bytes, and the byte that ends it.
   */
  line(
    head: Uint8Array,
    number: number,
    from: Uint8Array,
    start: number,
    end: number,
    eol: number,
  ) {
    const bytes = this.room(head.length + MAX_DIGITS + end - start + 2);
    let to = this.length;
    for (let at = 0; at < head.length; at++) bytes[to++] = head[at] as number;
    if (number > 0) {
      to = putNumber(bytes, to, number);
      bytes[to++] = COLON;
    }
    if (end - start > SHORT) {
      bytes.set(from.subarray(start, end), to);
      to += end - start;
    } else for (let at = start; at < end; at++) bytes[to++] = from[at] as number;
    bytes[to++] = eol;
    this.length = to;
  }

  /** One character a byte. */
  toString(): string {
    return this.bytes.toString('latin1', 0, this.length);
  }

  /** The bytes, with room for so many more. */
  private room(more: number): Buffer {
    const needed = this.length + more;
    if (needed > this.bytes.length) {
      const grown = Buffer.allocUnsafe(Math.max(needed, this.bytes.length * 2));
      this.bytes.copy(grown, 0, 0, this.length);
      this.bytes = grown;
    }
    return this.bytes;
  }
}
