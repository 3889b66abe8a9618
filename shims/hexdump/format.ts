/** hexdump's format strings: iterations, bytes and printf conversions. */
import { UsageError } from '../support/getopt.ts';

/** One conversion or a piece of text of a format. */
type Part =
  | { kind: 'text'; text: string }
  | { kind: 'address'; base: 'd' | 'o' | 'x'; flags: string; last: boolean }
  | { kind: 'value'; letter: string; flags: string; precision: string; bytes: number };

/** `3/2 "%04x "`: a format that is used so many times. */
interface Unit {
  repeat: number;
  bytes: number;
  parts: Part[];
}

/** One format string: it is applied to each block of input anew. */
export interface Format {
  units: Unit[];
  /** What it takes of a block. Bytes. */
  size: number;
}

const ESCAPES: Readonly<Record<string, string>> = {
  '0': '\0',
  a: '\x07',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
  v: '\v',
};

const unescaped = (text: string): string =>
  text.replace(/\\(.)/gs, (_all, char: string) => ESCAPES[char] ?? char);

const CONVERSION = /%([-+ #0]*)(\d*)(?:\.(\d*))?(?:(_a|_A)([dox])|(_c|_p|_u)|([diouxXeEfgGcs%]))/g;

/** What each conversion takes where no count was given. Bytes. */
function defaultBytes(letter: string, precision: string): number {
  if (/^(?:_.|c)$/.test(letter)) return 1;
  if (letter === 's') return precision === '' ? 1 : Number(precision);
  return /[eEfgG]/.test(letter) ? 8 : 4;
}

function partsOf(text: string, bytes: number): Part[] {
  const parts: Part[] = [];
  let at = 0;
  const literal = (piece: string): void => {
    if (piece !== '') parts.push({ kind: 'text', text: unescaped(piece) });
  };
  for (const match of text.matchAll(CONVERSION)) {
    literal(text.slice(at, match.index));
    at = match.index + match[0].length;
    const [, flags = '', width = '', precision = '', address, base, special, plain] = match;
    if (plain === '%') parts.push({ kind: 'text', text: '%' });
    else if (address !== undefined) {
      const last = address === '_A';
      parts.push({ kind: 'address', base: base as 'd' | 'o' | 'x', flags: flags + width, last });
    } else {
      const letter = special ?? plain ?? '';
      const taken = bytes === 0 ? defaultBytes(letter, precision) : bytes;
      const known = /[eEfgG]/.test(letter)
        ? [4, 8]
        : letter === 's'
          ? [taken]
          : /[_c]/.test(letter)
            ? [1]
            : [1, 2, 4, 8];
      if (!known.includes(taken))
        throw new UsageError(`bad byte count for conversion character ${letter}`, { hint: false });
      parts.push({ kind: 'value', letter, flags: flags + width, precision, bytes: taken });
    }
  }
  const rest = text.slice(at);
  if (/%/.test(rest))
    throw new UsageError(`bad conversion character %${rest.split('%')[1]?.[0] ?? ''}`, {
      hint: false,
    });
  literal(rest);
  return parts;
}

/** Reads a format string as `-e` takes it. */
export function parseFormat(source: string): Format {
  const units: Unit[] = [];
  const pattern = /\s*(?:(\d+)?(?:\/(\d+))?\s*)"((?:[^"\\]|\\.)*)"\s*/gsy;
  let at = 0;
  while (at < source.length) {
    pattern.lastIndex = at;
    const match = pattern.exec(source);
    if (match === null) throw new UsageError(`bad format {${source}}`, { hint: false });
    at = pattern.lastIndex;
    const bytes = Number(match[2] ?? 0);
    const parts = partsOf(match[3] ?? '', bytes);
    const own = parts.reduce((sum, part) => sum + (part.kind === 'value' ? part.bytes : 0), 0);
    units.push({ repeat: Number(match[1] ?? 1), bytes: own === 0 ? bytes : own, parts });
  }
  return { units, size: units.reduce((sum, unit) => sum + unit.repeat * unit.bytes, 0) };
}

/** Formats that take less than a block repeat their last unit, as long as it fits. */
export function stretched(format: Format, block: number): Format {
  const last = format.units.at(-1);
  if (last === undefined || last.bytes === 0 || last.repeat !== 1) return format;
  const more = Math.floor((block - format.size) / last.bytes);
  if (more <= 0) return format;
  const units = [...format.units.slice(0, -1), { ...last, repeat: 1 + more }];
  return { units, size: format.size + more * last.bytes };
}

function padded(text: string, flags: string): string {
  const [, marks = '', width = ''] = /^([-+ #0]*?)([1-9]\d*)?$/.exec(flags) ?? [];
  const size = Number(width);
  if (marks.includes('-')) return text.padEnd(size);
  if (!marks.includes('0')) return text.padStart(size);
  const sign = /^[-+]/.exec(text)?.[0] ?? '';
  return sign + text.slice(sign.length).padStart(size - sign.length, '0');
}

const NAMES =
  'nul soh stx etx eot enq ack bel bs ht lf vt ff cr so si dle dc1 dc2 dc3 dc4 nak syn etb can em sub esc fs gs rs us'.split(
    ' ',
  );
const C_ESCAPES: Readonly<Record<number, string>> = {
  0: '\\0',
  7: '\\a',
  8: '\\b',
  9: '\\t',
  10: '\\n',
  11: '\\v',
  12: '\\f',
  13: '\\r',
};

function character(letter: string, byte: number): string {
  const prints = byte >= 0x20 && byte < 0x7f;
  if (letter === '_p') return prints ? String.fromCharCode(byte) : '.';
  if (letter === 'c') return String.fromCharCode(byte);
  if (prints) return String.fromCharCode(byte);
  if (letter === '_u') return byte === 0x7f ? 'del' : (NAMES[byte] ?? byte.toString(16));
  return C_ESCAPES[byte] ?? byte.toString(8).padStart(3, '0');
}

function integer(bytes: Buffer, letter: string): string {
  let value = 0n;
  for (const byte of [...bytes].reverse()) value = (value << 8n) | BigInt(byte);
  if (/[di]/.test(letter)) return BigInt.asIntN(bytes.length * 8, value).toString();
  if (letter === 'u') return value.toString();
  const text = value.toString(letter === 'o' ? 8 : 16);
  return letter === 'X' ? text.toUpperCase() : text;
}

function float(bytes: Buffer, letter: string, precision: string): string {
  const value = bytes.length === 4 ? bytes.readFloatLE(0) : bytes.readDoubleLE(0);
  const places = precision === '' ? 6 : Number(precision);
  if (/f/i.test(letter)) return value.toFixed(places);
  const scientific = (text: string): string => text.replace(/e([+-])(\d)$/, 'e$10$2');
  if (/e/i.test(letter)) return scientific(value.toExponential(places));
  const short = Number(value.toPrecision(places || 1));
  const exponent = short === 0 ? 0 : Math.floor(Math.log10(Math.abs(short)));
  return exponent < -4 || exponent >= places ? scientific(short.toExponential()) : String(short);
}

/** How wide a value is at least, so that what is missing can be filled with blanks. */
function blank(part: Extract<Part, { kind: 'value' }>): string {
  return ' '.repeat(Number(/[1-9]\d*$/.exec(part.flags)?.[0] ?? 0));
}

/**
 * One block by one format. Bytes that are not there any more print as blanks.
 * @param skipped the offset of the block's first byte, as it is shown
 * @returns a byte string
 */
export function render(format: Format, block: Buffer, skipped: number): string {
  let out = '';
  let at = 0;
  for (const unit of format.units) {
    for (let turn = 0; turn < unit.repeat; turn++) {
      for (const [index, part] of unit.parts.entries()) {
        if (part.kind === 'address') {
          if (!part.last)
            out += padded((skipped + at).toString({ d: 10, o: 8, x: 16 }[part.base]), part.flags);
        } else if (part.kind === 'text') {
          // The last repetition leaves out the blanks that part it from the next.
          const final =
            turn === unit.repeat - 1 && unit.repeat > 1 && index === unit.parts.length - 1;
          out += final ? part.text.replace(/\s+$/, '') : part.text;
        } else {
          const bytes = block.subarray(at, at + part.bytes);
          at += part.bytes;
          if (bytes.length === 0) out += blank(part);
          else out += padded(valueText(part, bytes), part.flags);
        }
      }
    }
  }
  return out;
}

function valueText(part: Extract<Part, { kind: 'value' }>, bytes: Buffer): string {
  const { letter, precision } = part;
  if (letter === 's') return bytes.toString('latin1').replace(/\0.*$/s, '');
  if (/^(?:_.|c)$/.test(letter)) return character(letter, bytes[0] ?? 0);
  // Of a value that is cut off the rest is zeros.
  const whole = Buffer.concat([bytes, Buffer.alloc(part.bytes - bytes.length)]);
  if (/[eEfgG]/.test(letter)) return float(whole, letter, precision);
  const text = integer(whole, letter);
  return precision === '' ? text : text.padStart(Number(precision), '0');
}

/** The line that tells the offset of the end, from formats that ask for one. */
export function renderEnd(formats: readonly Format[], end: number): string {
  for (const { units } of formats) {
    const parts = units.flatMap((unit) => unit.parts);
    const address = parts.find((part) => part.kind === 'address' && part.last);
    if (address?.kind !== 'address') continue;
    return parts
      .map((part) =>
        part.kind === 'text'
          ? part.text
          : part.kind === 'address'
            ? padded(end.toString({ d: 10, o: 8, x: 16 }[part.base]), part.flags)
            : '',
      )
      .join('');
  }
  return '';
}
