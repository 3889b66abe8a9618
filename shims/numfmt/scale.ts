/** numfmt's numbers: read, scaled, rounded and written. */
import { UsageError } from '../support/getopt.ts';

export const SCALES = ['none', 'auto', 'si', 'iec', 'iec-i'] as const;
export type Scale = (typeof SCALES)[number];
export const ROUNDINGS = ['up', 'down', 'from-zero', 'towards-zero', 'nearest'] as const;
export type Rounding = (typeof ROUNDINGS)[number];

const SUFFIXES = 'KMGTPEZY';

/** How numbers are read. */
export interface Reading {
  from: Scale;
  fromUnit: number;
  suffix: string;
}

/** How numbers are written. */
export interface Writing {
  to: Scale;
  toUnit: number;
  round: Rounding;
  suffix: string;
  grouping: boolean;
  /** Digits after the point; undefined: those of the input, or one where a scaled number is below ten. */
  precision: number | undefined;
}

/** A number as it was read, and how many digits it had after its point. */
export interface Parsed {
  value: number;
  places: number;
  /** Its digits, where nothing scales them: a number holds no more than some sixteen of them. */
  digits: string | undefined;
}

/** A field that is no number; the message is numfmt's. */
export class InvalidNumber extends Error {
  override readonly name = 'InvalidNumber';
}

const INVALID = 'invalid number';

/** Reads a field. Fails with {@link InvalidNumber}. */
export function parseNumber(given: string, { from, fromUnit, suffix }: Reading): Parsed {
  const text = suffix !== '' && given.endsWith(suffix) ? given.slice(0, -suffix.length) : given;
  const match = /^[ \t]*(-?)(\d*)(?:\.(\d+))?[ \t]*([^\d \t].*)?$/s.exec(text);
  const whole = match?.[2] ?? '';
  const isCut = match?.[3] === undefined && match?.[4]?.startsWith('.') === true;
  if (match === null || isCut || (whole === '' && match[3] === undefined))
    throw new InvalidNumber(`${INVALID}: '${given}'`);
  if (whole.length > 18 && from === 'none' && BigInt(whole) > 10n ** 33n)
    throw new InvalidNumber(`value too large to be converted: '${given}'`);
  const number = Number(`${match[1]}${whole === '' ? '0' : whole}.${match[3] ?? '0'}`);
  const unit = match[4] ?? '';
  const places = unit === '' ? (match[3]?.length ?? 0) : 0;
  const bare = `${match[1]}${whole.replace(/^0+(?=\d)/, '') || '0'}`;
  const digits = match[3] === undefined ? bare : `${bare}.${match[3]}`;
  return {
    value: number * unitOf(unit, from, given) * fromUnit,
    places,
    digits: unit === '' && fromUnit === 1 ? digits : undefined,
  };
}

function unitOf(unit: string, from: Scale, given: string): number {
  if (unit === '') {
    if (from === 'iec-i')
      throw new InvalidNumber(`missing 'i' suffix in input: '${given}' (e.g Ki/Mi/Gi)`);
    return 1;
  }
  const power = SUFFIXES.indexOf(unit[0] ?? '') + 1;
  const rest = unit.slice(1);
  if (power === 0)
    throw new InvalidNumber(`invalid suffix in input: '${given.replaceAll('\r', '\\r')}'`);
  if (from === 'none')
    throw new InvalidNumber(`rejecting suffix in input: '${given}' (consider using --from)`);
  if (from === 'iec-i' && !rest.startsWith('i'))
    throw new InvalidNumber(`missing 'i' suffix in input: '${given}' (e.g Ki/Mi/Gi)`);
  const binary = from === 'iec' || from === 'iec-i' || (from === 'auto' && rest.startsWith('i'));
  const after = from === 'iec-i' || (from === 'auto' && binary) ? rest.slice(1) : rest;
  if (after !== '') throw new InvalidNumber(`invalid suffix in input '${given}': '${after}'`);
  return (binary ? 1024 : 1000) ** power;
}

function rounded(value: number, how: Rounding): number {
  // What is a whole number but for the error of the division stays one.
  const near = Math.round(value);
  if (Math.abs(value - near) < Math.max(1, Math.abs(value)) * 1e-12) return near;
  const away = value < 0 ? Math.floor(value) : Math.ceil(value);
  switch (how) {
    case 'up':
      return Math.ceil(value);
    case 'down':
      return Math.floor(value);
    case 'towards-zero':
      return Math.trunc(value);
    case 'nearest':
      return Math.sign(value) * Math.round(Math.abs(value));
    case 'from-zero':
      return away;
  }
}

function roundedTo(value: number, places: number, how: Rounding): number {
  const by = 10 ** places;
  return rounded(value * by, how) / by;
}

/** As C's `%g` writes it. */
function general(value: number): string {
  const [mantissa = '', exponent = '0'] = value.toExponential(5).split('e');
  const power = Number(exponent);
  if (power >= -4 && power < 6) return String(Number(value.toPrecision(6)));
  const sign = power < 0 ? '-' : '+';
  return `${Number(mantissa)}e${sign}${String(Math.abs(power)).padStart(2, '0')}`;
}

/** Digits that are right in a number as it is held by the real one. */
const MOST_DIGITS = 18;

/** As C's `%.Nf`: what is half-way goes to the even one. */
function fixed(value: number, digits: number): string {
  const isHalf = digits === 0 && Math.abs(value) % 1 === 0.5;
  const text = (isHalf ? 2 * Math.round(value / 2) : value).toFixed(digits);
  return value < 0 && !text.startsWith('-') ? `-${text}` : text;
}

/** Writes a number, without its suffix. Fails with {@link InvalidNumber}. */
export function formatNumber(parsed: Parsed, writing: Writing): string {
  const { value: given, places } = parsed;
  const { to, toUnit, round, precision, grouping } = writing;
  const value = given / toUnit;
  if (to === 'none') {
    const digits = precision ?? (toUnit === 1 ? places : 0);
    if (Math.floor(Math.log10(Math.abs(value))) + digits > MOST_DIGITS) {
      const what = digits === 0 ? 'value' : 'value/precision';
      const shown = digits === 0 ? general(value) : `${general(value)}/${digits}`;
      throw new InvalidNumber(`${what} too large to be printed: '${shown}' (consider using --to)`);
    }
    const text =
      parsed.digits !== undefined && toUnit === 1 && digits === places
        ? parsed.digits
        : roundedTo(value, digits, round).toFixed(digits);
    return grouping ? text.replace(/\B(?<!\.\d*)(?=(\d{3})+(?!\d))/g, groupSeparator()) : text;
  }
  const base = to === 'si' ? 1000 : 1024;
  let power = 0;
  let scaled = value;
  while (Math.abs(scaled) >= base && power < SUFFIXES.length) {
    scaled /= base;
    power++;
  }
  // What is below ten keeps a place while it is rounded, also where that place is not shown.
  const kept =
    precision === undefined ? Number(Math.abs(scaled) < 10) : Math.min(power * 3, precision);
  let amount = roundedTo(scaled, kept, round);
  if (Math.abs(amount) >= base) {
    amount /= base;
    power++;
  }
  const isShort = power > 0 && amount !== 0 && Math.abs(amount) < 10;
  const text = fixed(amount, precision ?? Number(isShort));
  return `${text}${power === 0 ? '' : SUFFIXES[power - 1]}${to === 'iec-i' && power > 0 ? 'i' : ''}`;
}

/** The C locale groups nothing. */
const groupSeparator = (): string => '';

/** The amount that `--from-unit` and `--to-unit` take: 1024, 1K, 1Ki. */
export function parseUnit(text: string): number {
  const match = /^(\d+)?(?:([KMGTPEZY])(i)?)?$/.exec(text);
  const value =
    match === null || text === ''
      ? 0
      : Number(match[1] ?? 1) *
        (match[3] === undefined ? 1000 : 1024) **
          (match[2] === undefined ? 0 : SUFFIXES.indexOf(match[2]) + 1);
  if (value === 0) throw new UsageError(`invalid unit size: '${text}'`, { hint: false });
  return value;
}
