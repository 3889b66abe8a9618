/** od. */
import type { ShimFactory } from '../../src/shell/command.ts';
import { type Options, UsageError, wrongWord } from '../support/getopt.ts';
import { defineTool, parseSize, type Tool, toBuffer } from '../support/tool.ts';

const ENDIANS = ['little', 'big'];

/** How one unit of input is shown. */
interface Format {
  size: number;
  width: number;
  show(data: Buffer, at: number): string;
  /** -tz: the printable characters at the end of the line. */
  text: boolean;
}

const CHARS: Readonly<Record<number, string>> = {
  0: '\\0',
  7: '\\a',
  8: '\\b',
  9: '\\t',
  10: '\\n',
  11: '\\v',
  12: '\\f',
  13: '\\r',
};
const NAMES =
  'nul soh stx etx eot enq ack bel bs ht nl vt ff cr so si dle dc1 dc2 dc3 dc4 nak syn etb can em sub esc fs gs rs us sp'.split(
    ' ',
  );

function integer(data: Buffer, at: number, size: number, signed: boolean): bigint {
  let value = 0n;
  for (let i = size - 1; i >= 0; i--) value = (value << 8n) | BigInt(data[at + i] ?? 0);
  return signed ? BigInt.asIntN(size * 8, value) : value;
}

const SIZES: Readonly<Record<string, number>> = { C: 1, S: 2, I: 4, L: 8 };
const FLOAT_SIZES: Readonly<Record<string, number>> = { F: 4, D: 8, L: 16 };

/** Digits that every number of that many bytes has at least, and at most; and the least that is normal. */
const FLOATS: Readonly<Record<number, readonly [least: number, most: number, normal: number]>> = {
  4: [6, 9, 2 ** -126],
  8: [15, 17, 2 ** -1022],
};

/** A number with as many digits as give the same one again, as C's `%g` writes them. */
function shortest(value: number, size: number): string {
  if (Number.isNaN(value)) return 'nan';
  if (Object.is(value, -0)) return '-0';
  if (!Number.isFinite(value)) return value > 0 ? 'inf' : '-inf';
  const [least, most, normal] = FLOATS[size] ?? [15, 17, 0];
  const isSame = (text: string): boolean =>
    (size === 4 ? Math.fround(Number(text)) : Number(text)) === value;
  let digits = Math.abs(value) < normal ? 1 : least;
  while (digits < most && !isSame(value.toExponential(digits - 1))) digits++;
  const [mantissa = '', exponent = '0'] = value.toExponential(digits - 1).split('e');
  const power = Number(exponent);
  const bare = (text: string): string => (text.includes('.') ? text.replace(/\.?0+$/, '') : text);
  if (power >= -4 && power < digits) return bare(value.toFixed(digits - 1 - power));
  const sign = power < 0 ? '-' : '+';
  return `${bare(mantissa)}e${sign}${String(Math.abs(power)).padStart(2, '0')}`;
}

function format(type: string, sizeText: string, text: boolean): Format {
  const named = type === 'f' ? FLOAT_SIZES : SIZES;
  const size = sizeText === '' ? (type === 'f' ? 8 : 4) : (named[sizeText] ?? Number(sizeText));
  const known = type === 'f' ? [4, 8] : [1, 2, 4, 8];
  if (!known.includes(size)) {
    const what = type === 'f' ? 'floating point' : 'integral';
    throw new UsageError(
      `invalid type string '${type}${sizeText}';\nthis system doesn't provide a ${size}-byte ${what} type`,
      { hint: false },
    );
  }
  if (type === 'c') {
    const show = (data: Buffer, at: number): string => {
      const code = data[at] ?? 0;
      if (CHARS[code] !== undefined) return CHARS[code];
      return code >= 32 && code < 127
        ? String.fromCharCode(code)
        : code.toString(8).padStart(3, '0');
    };
    return { size: 1, width: 3, show, text };
  }
  if (type === 'a') {
    const show = (data: Buffer, at: number): string => {
      const code = (data[at] ?? 0) & 127;
      return NAMES[code] ?? (code === 127 ? 'del' : String.fromCharCode(code));
    };
    return { size: 1, width: 3, show, text };
  }
  if (type === 'f') {
    const show = (data: Buffer, at: number): string => {
      const cell = Buffer.alloc(8);
      data.copy(cell, 0, at, at + size);
      const value = size === 4 ? cell.readFloatLE(0) : cell.readDoubleLE(0);
      return shortest(value, size);
    };
    return { size, width: size === 4 ? 15 : 24, show, text };
  }
  const bits = size * 8;
  const top = 2n ** BigInt(bits);
  if (type === 'x' || type === 'o') {
    const base = type === 'x' ? 16 : 8;
    const width = (top - 1n).toString(base).length;
    const show = (data: Buffer, at: number): string =>
      integer(data, at, size, false).toString(base).padStart(width, '0');
    return { size, width, show, text };
  }
  const signed = type === 'd';
  const width = signed ? (-(top / 2n)).toString().length : (top - 1n).toString().length;
  return { size, width, show: (data, at) => integer(data, at, size, signed).toString(), text };
}

const SHORT: Readonly<Record<string, string>> = {
  B: 'o2',
  D: 'u4',
  F: 'fD',
  H: 'x4',
  I: 'dL',
  L: 'dL',
  O: 'o4',
  X: 'x4',
  a: 'a',
  b: 'o1',
  c: 'c',
  d: 'u2',
  e: 'fD',
  f: 'fF',
  h: 'x2',
  i: 'dI',
  l: 'dL',
  o: 'o2',
  s: 'd2',
  x: 'x2',
};

function formats(options: Options): Format[] {
  const out: Format[] = [];
  for (const [key, value] of options.seen) {
    const spec = key === 't' ? value : SHORT[key];
    if (spec === undefined) continue;
    const parts = [...spec.matchAll(/([ac])(z)?|(f)([FDL]|\d+)?(z)?|([doux])([CSIL]|\d+)?(z)?/gy)];
    const wrong = spec[parts.map(([whole]) => whole).join('').length];
    if (wrong !== undefined)
      throw new UsageError(`invalid character '${wrong}' in type string '${spec}'`, {
        hint: false,
      });
    for (const [, plain, plainText, float, floatSize, floatText, type, size, text] of parts)
      out.push(
        format(
          plain ?? float ?? type ?? '',
          floatSize ?? size ?? '',
          (plainText ?? floatText ?? text) !== undefined,
        ),
      );
  }
  return out.length === 0 ? [format('o', '2', false)] : out;
}

function numeric(options: Options, key: string, fallback: number): number {
  const text = options.get(key);
  if (text === undefined) return fallback;
  const [, digits, suffix = ''] = /^(0x[\da-f]+|0[0-7]*|[1-9]\d*)(.*)$/i.exec(text) ?? [];
  if (digits === undefined)
    throw new UsageError(`invalid -${key} argument '${text}'`, { hint: false });
  const unit = parseSize(`1${suffix}`);
  if (unit === undefined || /^\d/.test(suffix))
    throw new UsageError(`invalid suffix in -${key} argument '${text}'`, { hint: false });
  return unit * (/^0\d/.test(digits) ? parseInt(digits, 8) : Number(digits));
}

function address(at: number, radix: string): string {
  if (radix === 'n') return '';
  const base = radix === 'd' ? 10 : radix === 'x' ? 16 : 8;
  return at.toString(base).padStart(radix === 'x' ? 6 : 7, '0');
}

/** How many bytes a line shows: whole numbers of every format. */
function columnsOf(tool: Tool, options: Options, chosen: readonly Format[]): number {
  const least = Math.max(...chosen.map(({ size }) => size));
  if (!options.has('w')) return 16;
  const width = options.get('w') === '' ? 32 : numeric(options, 'w', 32);
  if (width > 0 && width % least === 0) return width;
  tool.warn(`warning: invalid width ${width}; using ${least} instead`);
  return least;
}

/** The bytes of each number the other way around. */
function reversed(chunk: Buffer, size: number): Buffer {
  const whole = Buffer.alloc(Math.ceil(chunk.length / size) * size);
  chunk.copy(whole);
  for (let at = 0; at < whole.length; at += size) whole.subarray(at, at + size).reverse();
  return whole;
}

/** The first letter of what `-A` says. */
function radixOf(options: Options): string {
  const [radix = ''] = options.get('A') ?? 'o';
  if (/^[doxn]$/.test(radix)) return radix;
  throw new UsageError(
    `invalid output address radix '${radix}'; it must be one character from [doxn]`,
    { hint: false },
  );
}

async function emit(tool: Tool, data: Buffer, skip: number, options: Options): Promise<void> {
  const chosen = formats(options);
  const columns = columnsOf(tool, options, chosen);
  const isBig = options.get('endian')?.startsWith('b') === true;
  const radix = radixOf(options);
  // All formats get the width a byte that the widest of them needs, so that columns stand under each other.
  const perByte = Math.max(...chosen.map(({ width, size }) => (width + 1) / size));
  let before: string | undefined;
  let starred = false;
  for (let at = 0; at < data.length; at += columns) {
    const chunk = data.subarray(at, at + columns);
    const raw = chunk.toString('latin1');
    if (raw === before && chunk.length === columns && !options.has('v')) {
      if (!starred) tool.print('*\n');
      starred = true;
      continue;
    }
    before = raw;
    starred = false;
    for (const [i, { size, show, text }] of chosen.entries()) {
      let line = i === 0 ? address(at + skip, radix) : ' '.repeat(address(0, radix).length);
      const numbers = isBig ? reversed(chunk, size) : chunk;
      for (let k = 0; k < chunk.length; k += size)
        line += show(numbers, k).padStart(Math.round(perByte * size));
      if (text) {
        line = line.padEnd(address(0, radix).length + Math.round(perByte * columns));
        line += `  >${raw.replace(/[^\x20-\x7e]/g, '.')}<`;
      }
      tool.print(`${line}\n`);
    }
    await tool.pulse();
  }
  if (radix !== 'n') tool.print(`${address(data.length + skip, radix)}\n`);
}

async function od(tool: Tool): Promise<undefined> {
  const options = tool.options({
    short: 'A:aBbcDdeFfHhIij:LlN:Oost:vw::Xx',
    long: {
      'address-radix': 'A:',
      'skip-bytes': 'j:',
      'read-bytes': 'N:',
      format: 't:',
      'output-duplicates': 'v',
      width: 'w::',
      endian: 'endian:',
      traditional: 'ignored',
    },
  });
  radixOf(options);
  const endian = options.get('endian') ?? 'little';
  if (!ENDIANS.some((word) => word.startsWith(endian)))
    throw wrongWord('--endian', endian, ENDIANS);
  const names = options.operands.length === 0 ? ['-'] : options.operands;
  const skip = numeric(options, 'j', 0);
  const limit = numeric(options, 'N', Infinity);
  const parts: string[] = [];
  let length = 0;
  for (const name of names) {
    // What comes after the last byte that is asked for is not even opened.
    if (length > 0 && length >= skip + limit) break;
    const content = await tool.tryRead(name);
    if (content === undefined) continue;
    parts.push(content);
    length += content.length;
  }
  if (parts.length === 0) return;
  const all = toBuffer(parts.join(''));
  if (skip > all.length) {
    tool.fail('cannot skip past end of combined input');
    return;
  }
  if (skip + limit <= all.length) tool.enough();
  await emit(tool, all.subarray(skip, Math.min(all.length, skip + limit)), skip, options);
}

/** od. */
export const odShims: ShimFactory = (host) => [
  defineTool(host, { name: 'od', usage: 'Usage: od [OPTION]... [FILE]...' }, od),
];
