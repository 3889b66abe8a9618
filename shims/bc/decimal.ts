/** Decimal numbers as bc has them: any number of digits, and a scale, the digits after the point. */

/** `digits` / 10^`scale`. */
export interface Decimal {
  digits: bigint;
  scale: number;
}

export const ZERO: Decimal = { digits: 0n, scale: 0 };
export const ONE: Decimal = { digits: 1n, scale: 0 };

const power10 = (exponent: number): bigint => 10n ** BigInt(exponent);

/** The same number with another scale; digits that no longer fit are cut off. */
export function rescaled({ digits, scale }: Decimal, to: number): Decimal {
  if (to >= scale) return { digits: digits * power10(to - scale), scale: to };
  return { digits: digits / power10(scale - to), scale: to };
}

export const integer = (value: number | bigint): Decimal => ({ digits: BigInt(value), scale: 0 });

export function negate({ digits, scale }: Decimal): Decimal {
  return { digits: -digits, scale };
}

export function add(a: Decimal, b: Decimal): Decimal {
  const scale = Math.max(a.scale, b.scale);
  return { digits: rescaled(a, scale).digits + rescaled(b, scale).digits, scale };
}

/** POSIX: as many digits as the operands have together, but no more than `scale` or than either has. */
export function multiply(a: Decimal, b: Decimal, scale: number): Decimal {
  const kept = Math.min(a.scale + b.scale, Math.max(scale, a.scale, b.scale));
  return rescaled({ digits: a.digits * b.digits, scale: a.scale + b.scale }, kept);
}

/** The divisor is not zero. */
export function divide(a: Decimal, b: Decimal, scale: number): Decimal {
  const shift = scale + b.scale - a.scale;
  const digits =
    shift >= 0 ? (a.digits * power10(shift)) / b.digits : a.digits / (b.digits * power10(-shift));
  return { digits, scale };
}

/** What is left of a division carried to `scale` digits. */
export function remainder(a: Decimal, b: Decimal, scale: number): Decimal {
  const quotient = divide(a, b, scale);
  const product = { digits: quotient.digits * b.digits, scale: quotient.scale + b.scale };
  const kept = Math.max(scale + b.scale, a.scale);
  return rescaled(add(a, negate(product)), kept);
}

export function raise(a: Decimal, exponent: number, scale: number): Decimal {
  const size = Math.abs(exponent);
  const power = { digits: a.digits ** BigInt(size), scale: a.scale * size };
  // What is divided by keeps all of its digits, or a small one would be none.
  if (exponent < 0) return divide(ONE, power, scale);
  return rescaled(power, Math.min(power.scale, Math.max(scale, a.scale)));
}

/** The number is not negative. One's own root is a whole number, whatever the scale. */
export function squareRoot(a: Decimal, scale: number): Decimal {
  if (compare(a, ONE) === 0) return ONE;
  const kept = Math.max(scale, a.scale);
  const square = rescaled(a, 2 * kept).digits;
  if (square === 0n) return { digits: 0n, scale: kept };
  let guess = power10(Math.ceil(String(square).length / 2));
  for (;;) {
    const next = (guess + square / guess) / 2n;
    if (next >= guess) return { digits: guess, scale: kept };
    guess = next;
  }
}

export function compare(a: Decimal, b: Decimal): number {
  const difference = add(a, negate(b)).digits;
  return difference < 0n ? -1 : difference > 0n ? 1 : 0;
}

/** Digits as written (0 to 9, A to Z), in a base from 2 to 36. A digit of its own may be higher than the base. */
export function parse(text: string, base: number): Decimal {
  const [whole = '', fraction = ''] = text.split('.');
  const single = text.length === 1;
  const value = (char: string): bigint => {
    const digit = Number.parseInt(char, 36);
    return BigInt(single ? digit : Math.min(digit, base - 1));
  };
  const digits = [...whole, ...fraction].reduce(
    (sum, char) => sum * BigInt(base) + value(char),
    0n,
  );
  if (base === 10) return { digits, scale: fraction.length };
  return divide(integer(digits), integer(BigInt(base) ** BigInt(fraction.length)), fraction.length);
}

/** As bc prints it: no zero before the point. */
export function format(number: Decimal, base: number): string {
  const sign = number.digits < 0n ? '-' : '';
  const digits = number.digits < 0n ? -number.digits : number.digits;
  if (digits === 0n) return '0';
  const unit = power10(number.scale);
  const whole = digits / unit;
  let rest = digits % unit;
  const head = whole === 0n ? '' : inBase(whole, base);
  if (number.scale === 0) return sign + head;
  if (base === 10) return `${sign}${head}.${String(rest).padStart(number.scale, '0')}`;
  let tail = '';
  // As many digits as tell apart what the scale tells apart.
  for (let reach = 1n; reach < unit; reach *= BigInt(base)) {
    rest *= BigInt(base);
    tail += tail === '' ? digitsOf(rest / unit, base).trimStart() : digitsOf(rest / unit, base);
    rest %= unit;
  }
  return `${sign}${head}.${tail}`;
}

function inBase(value: bigint, base: number): string {
  if (base <= 16) return value.toString(base).toUpperCase();
  let text = '';
  for (let left = value; left > 0n; left /= BigInt(base)) {
    text = digitsOf(left % BigInt(base), base) + text;
  }
  return text;
}

/** Above 16 a digit is a decimal number after a blank. */
function digitsOf(digit: bigint, base: number): string {
  if (base <= 16) return digit.toString(base).toUpperCase();
  return ` ${String(digit).padStart(String(base - 1).length, '0')}`;
}
