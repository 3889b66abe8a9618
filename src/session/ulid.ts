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

/**
 * Makes identifiers, 26 characters each, every one greater than the one before,
 * also within one millisecond and when the clock goes back.
 */
export function createUlidFactory(now: () => number = Date.now): () => string {
  let lastTime = 0;
  let chance = 0n;
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
