/** Decimal fractions as bash's printf rounds them: by way of a long double, whose mantissa has 64 bits. */

const DECIMAL = /^([+-]?)(\d*)\.?(\d*)(?:[eE]([+-]?\d+))?$/;
/** Beyond these the numbers that would be worked with get long for nothing. */
const MAX_POWER = 400;
const MAX_PLACES = 400;

const bitsOf = (value: bigint): number => value.toString(2).length;

/** A quotient rounded to the nearest whole number, halves to the even one. */
function rounded(numerator: bigint, denominator: bigint): bigint {
  const quotient = numerator / denominator;
  const twice = (numerator - quotient * denominator) * 2n;
  const up = twice > denominator || (twice === denominator && quotient % 2n === 1n);
  return up ? quotient + 1n : quotient;
}

const shifted = (value: bigint, bits: number): bigint => (bits > 0 ? value << BigInt(bits) : value);

/**
 * Digits of a decimal number with so many places, without its sign; undefined
 * for what is no such number, or too far from 1.
 */
export function fixedDigits(text: string, places: number): string | undefined {
  const [whole, , integer = '', fraction = '', power = '0'] = DECIMAL.exec(text) ?? [];
  if (whole === undefined || integer + fraction === '') return undefined;
  const tens = Number(power) - fraction.length;
  if (Math.abs(tens) > MAX_POWER || places > MAX_PLACES) return undefined;
  const size = BigInt(integer + fraction);
  const numerator = tens > 0 ? size * 10n ** BigInt(tens) : size;
  const denominator = tens < 0 ? 10n ** BigInt(-tens) : 1n;
  // The mantissa, and the power of two that it is multiplied with.
  const exponent = size === 0n ? 0 : bitsOf(numerator) - bitsOf(denominator) - 64;
  const mantissa = rounded(shifted(numerator, -exponent), shifted(denominator, exponent));
  const digits = rounded(
    shifted(mantissa * 10n ** BigInt(places), exponent),
    shifted(1n, -exponent),
  ).toString();
  if (places === 0) return digits;
  const filled = digits.padStart(places + 1, '0');
  return `${filled.slice(0, -places)}.${filled.slice(-places)}`;
}
