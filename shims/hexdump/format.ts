/** hexdump's format strings: iterations, bytes and printf conversions. */
import { formatFloat, formatInteger } from '../support/format.ts';
import { UsageError } from '../support/getopt.ts';

/** One conversion or a piece of text of a format. */
type Part =
  | { kind: 'text'; text: string }
  | { kind: 'address'; spec: string; last: boolean }
  | Value;

interface Value {
  kind: 'value';
  letter: string;
  /** Of printf, without its letter: `%-08.3`. */
  spec: string;
  width: number;
  bytes: number;
}

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

const CONVERSION = /%([-+ #0]*)(\d*)(?:\.(\d*))?(?:(_a|_A)([dox])|(_c|_p|_u)|([diouxXeEfgGcs]))/g;

const FLOAT = /[eEfgG]/;
const refusal = (text: string): UsageError => new UsageError(text, { hint: false });

/** What a conversion takes: as many bytes as are given for it, or its own number of them. */
function bytesFor(letter: string, precision: string | undefined, given: number): number {
  if (letter === 's') {
    if (given === 0 && precision === undefined)
      throw refusal('%s requires a precision or a byte count');
    return given === 0 ? Number(precision) : given;
  }
  const known = /^(?:_.|c)$/.test(letter) ? [1] : FLOAT.test(letter) ? [8, 4] : [4, 1, 2, 8];
  const [usual = 1] = known;
  if (given !== 0 && !known.includes(given))
    throw refusal(`bad byte count for conversion character ${letter}`);
  return given === 0 ? usual : given;
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
    const [, flags = '', width = '', precision, address, base = '', special, plain] = match;
    const spec = `%${flags}${width}${precision === undefined ? '' : `.${precision}`}`;
    if (address !== undefined) {
      parts.push({ kind: 'address', spec: spec + base, last: address === '_A' });
    } else {
      const letter = special ?? plain ?? '';
      const taken = bytesFor(letter, precision, bytes);
      parts.push({ kind: 'value', letter, spec, width: Number(width), bytes: taken });
    }
  }
  const rest = text.slice(at);
  const [, unknown] = /%(.?)/s.exec(rest) ?? [];
  if (unknown !== undefined) throw refusal(`bad conversion character %${unknown}`);
  literal(rest);
  if (bytes !== 0 && parts.filter(({ kind }) => kind === 'value').length > 1)
    throw refusal('byte count with multiple conversion characters');
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
    if (match === null) throw refusal(`bad format {${source}}`);
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

function integer(bytes: Buffer, spec: string): string {
  let value = 0n;
  for (const byte of [...bytes].reverse()) value = (value << 8n) | BigInt(byte);
  return formatInteger(spec, /[di]$/.test(spec) ? BigInt.asIntN(bytes.length * 8, value) : value);
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
          if (!part.last) out += formatInteger(part.spec, BigInt(skipped + at));
        } else if (part.kind === 'text') {
          // The last repetition leaves out the blanks that part it from the next.
          const final =
            turn === unit.repeat - 1 && unit.repeat > 1 && index === unit.parts.length - 1;
          out += final ? part.text.replace(/\s+$/, '') : part.text;
        } else {
          const bytes = block.subarray(at, at + part.bytes);
          at += part.bytes;
          out += bytes.length === 0 ? ' '.repeat(part.width) : valueText(part, bytes);
        }
      }
    }
  }
  return out;
}

function valueText({ letter, spec, width, bytes: size }: Value, bytes: Buffer): string {
  if (/^(?:_.|[cs])$/.test(letter)) {
    const text =
      letter === 's'
        ? bytes.toString('latin1').replace(/\0.*$/s, '')
        : character(letter, bytes[0] ?? 0);
    return spec.includes('-') ? text.padEnd(width) : text.padStart(width);
  }
  // Of a value that is cut off the rest is zeros.
  const whole = Buffer.concat([bytes, Buffer.alloc(size - bytes.length)]);
  if (!FLOAT.test(letter)) return integer(whole, spec + letter);
  return formatFloat(spec + letter, size === 4 ? whole.readFloatLE(0) : whole.readDoubleLE(0));
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
            ? formatInteger(part.spec, BigInt(end))
            : '',
      )
      .join('');
  }
  return '';
}
