/** Numbers as text, and printf's conversions. */
import { formatFloat, formatInteger } from '../support/format.ts';
import { FatalError } from './errors.ts';
import { lengthOf, slice } from './text.ts';
import { comparable, toNumber, type Value } from './values.ts';

/** inf and nan always show their sign, so that they can be told from words. */
function special(value: number): string {
  if (Number.isNaN(value)) return '-nan';
  return value < 0 ? '-inf' : '+inf';
}

/** A number as text: integers in full, all others by CONVFMT or OFMT. */
export function formatNumber(value: number, format: string): string {
  if (Number.isInteger(value)) {
    return Number.isSafeInteger(value) ? String(value === 0 ? 0 : value) : `${BigInt(value)}`;
  }
  if (!Number.isFinite(value)) return special(value);
  if (format === '%.6g') return formatFloat(format, value);
  return formatText(format, [value], '%.6g');
}

/** @param format CONVFMT or OFMT */
export function toText(value: Value, format: string): string {
  if (typeof value === 'string') return value;
  if (typeof value === 'number') return formatNumber(value, format);
  return value === undefined ? '' : value.text;
}

interface Conversion {
  flags: string;
  /** A number, `*`, or none. */
  width: string;
  /** Likewise; undefined without a point. */
  precision: string | undefined;
  type: string;
  /** The argument asked for by position, from 1; 0 for the next one. */
  position: number;
  text: string;
}

const CONVERSION =
  /%(?:(\d+)\$)?([-+ #0']*)(\*|\d+)?(?:\.(\*|-?\d*))?[hlLqjzt]*([diouxXeEfFgGaAcs%])/g;

/** The pieces of a format: text, and conversions. */
function parse(format: string): Array<string | Conversion> {
  const pieces: Array<string | Conversion> = [];
  let done = 0;
  for (const found of format.matchAll(CONVERSION)) {
    const [text, position = '0', flags = '', width = '', precision, type = ''] = found;
    if (found.index > done) pieces.push(format.slice(done, found.index));
    done = found.index + text.length;
    pieces.push(
      type === '%' ? '%' : { flags, width, precision, type, position: Number(position), text },
    );
  }
  if (done < format.length) pieces.push(format.slice(done));
  return pieces;
}

class Arguments {
  readonly #values: readonly Value[];
  readonly #format: string;
  #next = 0;

  constructor(values: readonly Value[], format: string) {
    this.#values = values;
    this.#format = format;
  }

  take(position: number): Value {
    const index = position > 0 ? position - 1 : this.#next++;
    if (index >= this.#values.length) {
      throw new FatalError(
        `not enough arguments to satisfy format string\n\t\`${this.#format}'\n` +
          `give printf one argument for each conversion; to print a text as it is use printf "%s", text`,
      );
    }
    return this.#values[index];
  }
}

const MAX_CACHED = 200;

/** Formats that were taken apart, for one run of a program. */
export type FormatCache = Map<string, Array<string | Conversion>>;

/**
 * sprintf.
 * @param convfmt how a number becomes text for %s
 */
export function formatText(
  format: string,
  values: readonly Value[],
  convfmt: string,
  cache?: FormatCache,
): string {
  let pieces = cache?.get(format);
  if (pieces === undefined) {
    pieces = parse(format);
    if (cache !== undefined && cache.size < MAX_CACHED) cache.set(format, pieces);
  }
  const args = new Arguments(values, format);
  let out = '';
  for (const piece of pieces) {
    out += typeof piece === 'string' ? piece : convert(piece, args, convfmt);
  }
  return out;
}

function convert(piece: Conversion, args: Arguments, convfmt: string): string {
  let { flags } = piece;
  if (flags.includes("'")) {
    throw new FatalError(
      `printf cannot group digits here (${piece.text}): put the commas in with a loop, as in ` +
        `while (match(s, /[0-9][0-9][0-9][0-9]($|,)/)) s = substr(s, 1, RSTART) "," substr(s, RSTART + 1)`,
    );
  }
  let width = piece.width === '*' ? Math.trunc(toNumber(args.take(0))) : Number(piece.width);
  if (width < 0) {
    flags += '-';
    width = -width;
  }
  let precision = -1;
  if (piece.precision === '*') precision = Math.trunc(toNumber(args.take(0)));
  else if (piece.precision !== undefined) precision = Number(piece.precision);
  const value = args.take(piece.position);
  const point = precision >= 0 ? `.${precision}` : '';
  const spec = `%${flags}${width === 0 ? '' : width}${point}`;
  switch (piece.type) {
    case 'c':
      return padText(character(value), flags, width);
    case 's': {
      const text = toText(value, convfmt);
      return padText(precision >= 0 ? slice(text, 0, precision) : text, flags, width);
    }
    case 'd':
    case 'i':
    case 'o':
    case 'u':
    case 'x':
    case 'X':
      return integer(`${spec}${piece.type}`, toNumber(value), flags, width);
    case 'a':
    case 'A':
      throw new FatalError(`printf has no hexadecimal fractions here (${piece.text}): use %e`);
    default: {
      const number = toNumber(value);
      return Number.isFinite(number)
        ? formatFloat(`${spec}${piece.type}`, number)
        : padText(special(number), flags, width);
    }
  }
}

function integer(spec: string, number: number, flags: string, width: number): string {
  if (!Number.isFinite(number)) return padText(special(number), flags, width);
  const whole = BigInt(Math.trunc(number));
  // What 64 bits do not hold comes out in decimal, whatever the base.
  const fits = whole < 2n ** 64n && whole >= -(2n ** 63n);
  return formatInteger(fits ? spec : `${spec.slice(0, -1)}d`, whole);
}

function character(value: Value): string {
  const number = comparable(value);
  if (number === null || value === undefined) {
    const [first = '\0'] = toText(value, '%.6g');
    return first;
  }
  const code = Math.trunc(number);
  const valid = code >= 0 && code <= 0x10ffff && !(code >= 0xd800 && code <= 0xdfff);
  if (valid) return String.fromCodePoint(code);
  return String.fromCharCode(code & 0xff);
}

function padText(text: string, flags: string, width: number): string {
  const missing = width - lengthOf(text);
  if (missing <= 0) return text;
  return flags.includes('-') ? text + ' '.repeat(missing) : ' '.repeat(missing) + text;
}
