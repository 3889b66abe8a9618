/** Encodings of bytes as letters: what RFC 4648 has, bits, and ZeroMQ's Z85. */

/** What came of decoding: the bytes up to the first fault, and whether there was one. */
export interface Decoded {
  bytes: Buffer;
  valid: boolean;
}

/** An encoding. Input and output have no line breaks. */
export interface Code {
  /** Every letter that an encoded text may have, padding included. */
  letters: string;
  encode(bytes: Buffer): string;
  decode(text: string): Decoded;
}

/** @param bits of each letter @param group letters that stand for whole bytes, padded with `=` if more than one byte's */
interface Alphabet {
  letters: string;
  bits: number;
  group: number;
  padded: boolean;
}

function encodeBits(bytes: Buffer, { letters, bits, group, padded }: Alphabet): string {
  const codes = Buffer.from(letters, 'latin1');
  const count = Math.ceil((bytes.length * 8) / bits);
  const out = Buffer.alloc(padded ? Math.ceil(count / group) * group : count, '=');
  const mask = 2 ** bits - 1;
  let value = 0;
  let held = 0;
  let at = 0;
  for (let i = 0; i < bytes.length; i++) {
    value = ((value << 8) | (bytes[i] ?? 0)) & 0xffff;
    held += 8;
    for (; held >= bits; held -= bits) out[at++] = codes[(value >> (held - bits)) & mask] ?? 0;
  }
  if (held > 0) out[at] = codes[(value << (bits - held)) & mask] ?? 0;
  return out.toString('latin1');
}

/** The bytes of the whole ones among the bits of some letters; undefined at one that is no letter. */
function bytesOf(text: string, { letters, bits }: Alphabet): Buffer | undefined {
  const digits = new Int8Array(256).fill(-1);
  for (const [digit, letter] of [...letters].entries()) digits[letter.charCodeAt(0)] = digit;
  const out = Buffer.alloc(Math.floor((text.length * bits) / 8));
  let value = 0;
  let held = 0;
  let at = 0;
  for (let i = 0; i < text.length; i++) {
    const digit = digits[text.charCodeAt(i)] ?? -1;
    if (digit < 0) return undefined;
    value = ((value << bits) | digit) & 0xffff;
    held += bits;
    if (held < 8) continue;
    held -= 8;
    out[at++] = (value >> held) & 0xff;
  }
  return out;
}

/** Group by group, since padding may stand in the middle where two encoded texts were joined. */
function decodeBits(text: string, alphabet: Alphabet): Decoded {
  const { group, bits, padded } = alphabet;
  const parts: Buffer[] = [];
  const ended = (valid: boolean): Decoded => ({ bytes: Buffer.concat(parts), valid });
  // All that is before the first odd letter, and before padding, is read in one go.
  const plain = text.search(/[^A-Za-z0-9+/_-]/);
  const whole = Math.floor((plain < 0 ? text.length : plain) / group) * group;
  const start = bytesOf(text.slice(0, whole), alphabet);
  if (start !== undefined) parts.push(start);
  for (let at = start === undefined ? 0 : whole; at < text.length; at += group) {
    const piece = text.slice(at, at + group);
    const bare = padded ? piece.replace(/=+$/, '') : piece;
    const count = Math.floor((bare.length * bits) / 8);
    // So many letters are needed for that many bytes, and no more.
    const exact = bare.length === Math.ceil((count * 8) / bits);
    const decoded = bytesOf(bare, alphabet);
    if (decoded === undefined || !exact || piece.length !== group) {
      // base64 gives what it has of a group that is cut off; the others give nothing of it.
      if (group === 4) parts.push(decoded ?? cleanStart(bare, alphabet));
      return ended(false);
    }
    parts.push(decoded);
  }
  return ended(true);
}

function cleanStart(text: string, alphabet: Alphabet): Buffer {
  let end = 0;
  while (end < text.length && alphabet.letters.includes(text[end] ?? '')) end++;
  return bytesOf(text.slice(0, end), alphabet) ?? Buffer.alloc(0);
}

function bitCode(alphabet: Alphabet): Code {
  return {
    letters: `${alphabet.letters}${alphabet.padded ? '=' : ''}`,
    encode: (bytes) => encodeBits(bytes, alphabet),
    decode: (text) => decodeBits(text, alphabet),
  };
}

const UPPER = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ';
const ALPHANUMERIC = `${UPPER}${UPPER.toLowerCase()}0123456789`;

/** Node's own coder does what is well formed; anything else is looked at group by group. */
function base64Code(url: boolean): Code {
  const letters = `${ALPHANUMERIC}${url ? '-_' : '+/'}`;
  const slow = bitCode({ letters, bits: 6, group: 4, padded: true });
  const formed = url ? /^[\w-]*={0,2}$/ : /^[A-Za-z0-9+/]*={0,2}$/;
  return {
    letters: slow.letters,
    encode: (bytes) => {
      const text = bytes.toString('base64');
      return url ? text.replaceAll('+', '-').replaceAll('/', '_') : text;
    },
    decode: (text) =>
      text.length % 4 === 0 && formed.test(text)
        ? { bytes: Buffer.from(text, 'base64'), valid: true }
        : slow.decode(text),
  };
}

const base16: Code = {
  letters: '0123456789ABCDEF',
  encode: (bytes) => bytes.toString('hex').toUpperCase(),
  decode: (text) => {
    const clean = /^(?:[0-9A-F]{2})*/.exec(text)?.[0] ?? '';
    return { bytes: Buffer.from(clean, 'hex'), valid: clean.length === text.length };
  },
};

/** Each byte as eight digits; `least` has the lowest bit first. */
function base2(least: boolean): Code {
  const turned = (digits: string): string => (least ? [...digits].reverse().join('') : digits);
  return {
    letters: '01',
    encode: (bytes) =>
      Array.from(bytes, (byte) => turned(byte.toString(2).padStart(8, '0'))).join(''),
    decode: (text) => {
      const clean = /^(?:[01]{8})*/.exec(text)?.[0] ?? '';
      const bytes = (clean.match(/.{8}/g) ?? []).map((digits) => parseInt(turned(digits), 2));
      return { bytes: Buffer.from(bytes), valid: clean.length === text.length };
    },
  };
}

const Z85 = `0123456789${UPPER.toLowerCase()}${UPPER}.-:+=^!/*?&<>()[]{}@%$#`;

const z85: Code = {
  letters: Z85,
  encode: (bytes) => {
    let out = '';
    for (let at = 0; at < bytes.length; at += 4) {
      let value = bytes.readUInt32BE(at);
      let piece = '';
      for (let i = 0; i < 5; i++) {
        piece = (Z85[value % 85] ?? '') + piece;
        value = Math.floor(value / 85);
      }
      out += piece;
    }
    return out;
  },
  decode: (text) => {
    const out: number[] = [];
    for (let at = 0; at < text.length; at += 5) {
      const digits = [...text.slice(at, at + 5)].map((letter) => Z85.indexOf(letter));
      const value = digits.reduce((sum, digit) => sum * 85 + digit, 0);
      if (digits.length < 5 || digits.includes(-1) || value > 0xffffffff)
        return { bytes: Buffer.from(out), valid: false };
      out.push(value >>> 24, (value >>> 16) & 0xff, (value >>> 8) & 0xff, value & 0xff);
    }
    return { bytes: Buffer.from(out), valid: true };
  },
};

const base32 = (letters: string): Code => bitCode({ letters, bits: 5, group: 8, padded: true });

/** By the name of basenc's option. */
export const CODES: Readonly<Record<string, Code>> = {
  base64: base64Code(false),
  base64url: base64Code(true),
  base32: base32(`${UPPER}234567`),
  base32hex: base32(`0123456789${UPPER.slice(0, 22)}`),
  base16,
  base2msbf: base2(false),
  base2lsbf: base2(true),
  z85,
};
