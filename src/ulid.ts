/** Sortable identifiers, as https://github.com/ulid/spec has them: 48 bits of time, 80 of chance, Crockford's base 32. */
import { randomBytes } from 'node:crypto';

const DIGITS = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
const CHANCE_BYTES = 10;

function base32(value: bigint, length: number): string {
  let text = '';
  for (let rest = value, index = 0; index < length; index++, rest >>= 5n) {
    text = (DIGITS[Number(rest & 31n)] ?? '0') + text;
  }
  return text;
}

const fromBase32 = (text: string): bigint =>
  [...text].reduce((sum, digit) => (sum << 5n) + BigInt(Math.max(0, DIGITS.indexOf(digit))), 0n);

/**
 * Makes identifiers, 26 characters each, every one greater than the one before,
 * also within one millisecond and when the clock goes back.
 * @param last an identifier made earlier, which all are to be greater than
 */
export function createUlidFactory(now: () => number = Date.now, last?: string): () => string {
  let lastTime = last === undefined ? 0 : Number(fromBase32(last.slice(0, 10)));
  let chance = last === undefined ? 0n : fromBase32(last.slice(10));
  return () => {
    const time = now();
    if (time > lastTime) {
      lastTime = time;
      chance = BigInt(`0x${randomBytes(CHANCE_BYTES).toString('hex')}`);
    } else {
      chance += 1n;
    }
    return base32(BigInt(lastTime), 10) + base32(chance, 16);
  };
}
