/** `printf` of texts and whole numbers, without the interpreter. */
import { type Action, LEFT, type Text, valuesOf } from './compiled.ts';

/** One conversion with the text before it. */
interface Conversion {
  before: string;
  type: 's' | 'd' | 'u' | 'x' | 'X' | 'o';
  left: boolean;
  zeros: boolean;
  width: number;
  /** Of a text; Infinity for all of it. */
  precision: number;
}

interface Format {
  conversions: readonly Conversion[];
  after: string;
}

const PIECE = /\\([\s\S])|%(?:%|([-0]?)(\d{0,3})(?:\.(\d{1,3}))?([sdiuxXo]))|([^\\%]+)|[\s\S]/g;
const ESCAPES: Readonly<Record<string, string>> = {
  n: '\n',
  t: '\t',
  r: '\r',
  '\\': '\\',
  '"': '"',
};
const NUMBER = /^-?(?:0|[1-9]\d{0,14})$/;
const ASCII = /^[\x00-\x7f]*$/;
/** A command that would print more than this is left to the interpreter, which counts. */
const MOST_ARGUMENTS = 1000;

/** `printf FORMAT [ARGUMENT…]` */
export function printf(texts: readonly Text[]): Action {
  let last: { written: string; format: Format | null } | null = null;
  return ({ state }, print) => {
    const values = valuesOf(texts, state);
    if (values === null || values.length === 0 || values.length > MOST_ARGUMENTS) return LEFT;
    const [written = '', ...rest] = values;
    if (last?.written !== written) last = { written, format: formatOf(written) };
    const text = last.format && printed(last.format, rest);
    if (text === null) return LEFT;
    print(text);
    state.lastArg = values.at(-1) ?? 'printf';
    return 0;
  };
}

/** Null for a format with anything that is rarer. */
function formatOf(written: string): Format | null {
  if (written.startsWith('-')) return null;
  const conversions: Conversion[] = [];
  let before = '';
  for (const [whole, escaped, flag, width, precision, type, plain] of written.matchAll(PIECE)) {
    if (plain !== undefined) before += plain;
    else if (whole === '%%') before += '%';
    else if (escaped !== undefined) {
      const char = ESCAPES[escaped];
      if (char === undefined) return null;
      before += char;
    } else if (type !== undefined) {
      const isText = type === 's';
      if ((precision !== undefined && !isText) || (flag === '0' && isText)) return null;
      conversions.push({
        before,
        type: type === 'i' ? 'd' : (type as Conversion['type']),
        left: flag === '-',
        zeros: flag === '0',
        width: Number(width),
        precision: precision === undefined ? Number.POSITIVE_INFINITY : Number(precision),
      });
      before = '';
    } else return null;
  }
  return { conversions, after: before };
}

function printed({ conversions, after }: Format, values: readonly string[]): string | null {
  if (conversions.length === 0) return after;
  let text = '';
  let at = 0;
  do {
    for (const conversion of conversions) {
      const made = converted(conversion, values[at++]);
      if (made === null) return null;
      text += conversion.before + made;
    }
    text += after;
  } while (at < values.length);
  return text;
}

function converted(conversion: Conversion, value: string | undefined): string | null {
  const { type, left, zeros, width, precision } = conversion;
  if (type === 's') {
    const text = value ?? '';
    const whole = precision === Number.POSITIVE_INFINITY;
    if (whole && width === 0) return text;
    // Both count bytes.
    if (!ASCII.test(text)) return null;
    const cut = whole ? text : text.slice(0, precision);
    return left ? cut.padEnd(width) : cut.padStart(width);
  }
  const given = value ?? '0';
  // Below 0 the others have 64 bits.
  if (!NUMBER.test(given) || (type !== 'd' && given.startsWith('-'))) return null;
  const digits = digitsOf(Number(given), type);
  if (zeros) {
    const sign = digits.startsWith('-') ? '-' : '';
    return sign + digits.slice(sign.length).padStart(width - sign.length, '0');
  }
  return left ? digits.padEnd(width) : digits.padStart(width);
}

function digitsOf(value: number, type: Conversion['type']): string {
  if (type === 'd' || type === 'u') return String(value);
  if (type === 'o') return value.toString(8);
  const digits = value.toString(16);
  return type === 'X' ? digits.toUpperCase() : digits;
}
