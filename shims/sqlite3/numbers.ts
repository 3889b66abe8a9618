/**
 * Fractions as sqlite3 prints them where they are to be read back: `%!.20g`, whose last
 * digits are those of numbers with a mantissa of 64 bits.
 */

/** m × 2^e, where m has 64 bits. */
interface Long {
  m: bigint;
  e: number;
}

const BITS = 64;
const DIGITS = 20;

/** The nearest number of that form; half way goes to the even one. */
function rounded(m: bigint, e: number, isInexact = false): Long {
  if (m === 0n) return { m, e: 0 };
  const excess = m.toString(2).length - BITS;
  if (excess <= 0) return { m: m << BigInt(-excess), e: e + excess };
  const cut = BigInt(excess);
  const rest = m & ((1n << cut) - 1n);
  const half = 1n << (cut - 1n);
  let kept = m >> cut;
  if (rest > half || (rest === half && (isInexact || (kept & 1n) === 1n))) kept += 1n;
  return kept.toString(2).length > BITS
    ? { m: kept >> 1n, e: e + excess + 1 }
    : { m: kept, e: e + excess };
}

function fromNumber(value: number): Long {
  const [high = 0, low = 0] = new Uint32Array(new Float64Array([value]).buffer).reverse();
  const exponent = (high >>> 20) & 0x7ff;
  const fraction = (BigInt(high & 0xfffff) << 32n) | BigInt(low);
  return exponent === 0
    ? rounded(fraction, -1074)
    : rounded(fraction | (1n << 52n), exponent - 1075);
}

function multiply(a: Long, b: Long): Long {
  return rounded(a.m * b.m, a.e + b.e);
}

function divide(a: Long, b: Long): Long {
  const shifted = a.m << 80n;
  return rounded(shifted / b.m, a.e - 80 - b.e, shifted % b.m !== 0n);
}

function isLess(a: Long, b: Long): boolean {
  const shift = a.e - b.e;
  return shift >= 0 ? a.m << BigInt(shift) < b.m : a.m < b.m << BigInt(-shift);
}

/** A fraction in SQL or JSON: 20 digits at most, and always a point. */
export function exactReal(value: number): string {
  if (value === Number.POSITIVE_INFINITY) return '1e999';
  if (value === Number.NEGATIVE_INFINITY) return '-1e999';
  if (value === 0) return '0.0';
  const sign = value < 0 ? '-' : '';
  const { digits, exponent } = decimal(Math.abs(value));
  const isPlain = exponent >= -4 && exponent < DIGITS;
  const point = isPlain ? exponent : 0;
  const padded = point < 0 ? '0'.repeat(-point) + digits : digits;
  const whole = padded.slice(0, Math.max(0, point) + 1).padEnd(Math.max(0, point) + 1, '0');
  const part = padded.slice(Math.max(0, point) + 1).replace(/0+$/, '') || '0';
  if (isPlain) return `${sign}${whole}.${part}`;
  const power = String(Math.abs(exponent)).padStart(2, '0');
  return `${sign}${whole}.${part}e${exponent < 0 ? '-' : '+'}${power}`;
}

/** The digits of a positive number, the first before the point, and the power of ten. */
function decimal(value: number): { digits: string; exponent: number } {
  const ten = fromNumber(10);
  let exponent = 0;
  let scale = fromNumber(1);
  let long = fromNumber(value);
  for (const power of [100, 10, 1]) {
    const step = fromNumber(10 ** power);
    while (!isLess(long, multiply(step, scale))) {
      scale = multiply(scale, step);
      exponent += power;
    }
  }
  long = divide(long, scale);
  for (const [below, by, power] of [
    [1e-8, 1e8, 8],
    [1, 10, 1],
  ] as const) {
    while (isLess(long, fromNumber(below))) {
      long = multiply(long, fromNumber(by));
      exponent -= power;
    }
  }
  let digits = '';
  for (let i = 0; i < DIGITS; i++) {
    const digit = long.e >= 0 ? long.m << BigInt(long.e) : long.m >> BigInt(-long.e);
    digits += digit;
    const rest = long.m - (digit << BigInt(Math.max(0, -long.e)));
    long = multiply(rounded(rest, long.e), ten);
  }
  return { digits, exponent };
}
