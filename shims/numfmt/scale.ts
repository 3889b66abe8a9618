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
}

/** A field that is no number; the message is numfmt's. */
export class InvalidNumber extends Error {
  override readonly name = 'InvalidNumber';
}

const INVALID = 'invalid number';

/** Reads a field. Fails with {@link InvalidNumber}. */
export function parseNumber(given: string, { from, fromUnit, suffix }: Reading): Parsed {
  const text = suffix !== '' && given.endsWith(suffix) ? given.slice(0, -suffix.length) : given;
  const match = /^\s*(-?)(\d*)(?:\.(\d+))?\s*([^\d\s].*)?$/s.exec(text);
  const whole = match?.[2] ?? '';
  if (match === null || (whole === '' && match[3] === undefined))
    throw new InvalidNumber(`${INVALID}: '${given}'`);
  if (whole.length > 18 && from === 'none' && BigInt(whole) > 10n ** 33n)
    throw new InvalidNumber(`value too large to be converted: '${given}'`);
  const number = Number(`${match[1]}${whole === '' ? '0' : whole}.${match[3] ?? '0'}`);
  const unit = match[4] ?? '';
  const places = unit === '' ? (match[3]?.length ?? 0) : 0;
  return { value: number * unitOf(unit, from, given) * fromUnit, places };
}

function unitOf(unit: string, from: Scale, given: string): number {
  if (unit === '') {
    return 1;
  }
  const power = SUFFIXES.indexOf(unit[0] === 'k' ? 'K' : (unit[0] ?? '')) + 1;
  const rest = unit.slice(1);
  if (power === 0) throw new InvalidNumber(`invalid suffix in input: '${given}'`);
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

/** Writes a number, without its suffix. */
export function formatNumber({ value: given, places }: Parsed, writing: Writing): string {
  const { to, toUnit, round, precision, grouping } = writing;
  const value = given / toUnit;
  if (to === 'none') {
    const digits = precision ?? (toUnit === 1 ? places : 0);
    const text = roundedTo(value, digits, round).toFixed(digits);
    return grouping ? text.replace(/\B(?<!\.\d*)(?=(\d{3})+(?!\d))/g, groupSeparator()) : text;
  }
  const base = to === 'si' ? 1000 : 1024;
  let power = 0;
  let scaled = value;
  while (Math.abs(scaled) >= base && power < SUFFIXES.length) {
    scaled /= base;
    power++;
  }
  const digits = (amount: number): number =>
    precision ?? (power > 0 && Math.abs(amount) < 10 ? 1 : 0);
  let amount = roundedTo(scaled, digits(scaled), round);
  if (Math.abs(amount) >= base) {
    amount /= base;
    power++;
  }
  const text = amount.toFixed(digits(amount));
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
