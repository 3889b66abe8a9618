/** Chance of `crypto`: bytes of the host, and numbers and ids that are made of them. */
import type { Bytes, CryptoTools } from './crypto-tools.ts';
import type { Codes } from './loose.ts';
import { bytesOf } from './text.ts';

export function randomCalls(
  { host, Buffer, codes }: CryptoTools,
  later: (run: () => void) => void,
) {
  const random = (count: number): Bytes => host('randomBytes', count) as Bytes;
  const randomBytes = (count: number, done?: (error: null, bytes: unknown) => void): unknown => {
    const bytes = Buffer.from(random(count));
    if (done === undefined) return bytes;
    later(() => done(null, bytes));
    return undefined;
  };
  const fillRandom = (view: Bytes, offset = 0, size = view.byteLength - offset): unknown => {
    bytesOf(view).set(random(size), offset);
    return view;
  };
  const randomInt = (
    first: number,
    second?: unknown,
    third?: (error: null, value: number) => void,
  ): unknown => {
    const [low, high] = typeof second === 'number' ? [first, second] : [0, first];
    const done = typeof second === 'function' ? (second as typeof third) : third;
    if (!Number.isSafeInteger(low) || !Number.isSafeInteger(high) || high <= low) {
      const Wrong = codes['ERR_OUT_OF_RANGE'] ?? (RangeError as Codes[string]);
      throw new Wrong('max', `greater than the value of "min" (${low})`, high);
    }
    const range = high - low;
    const limit = 2 ** 48 - (2 ** 48 % range);
    let value = limit;
    while (value >= limit) value = [...random(6)].reduce((sum, byte) => sum * 256 + byte, 0);
    const result = low + (value % range);
    if (done === undefined) return result;
    later(() => done(null, result));
    return undefined;
  };
  const randomUUID = (): string => {
    const bytes = random(16);
    bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x40;
    bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80;
    const hex = [...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('');
    return [
      hex.slice(0, 8),
      hex.slice(8, 12),
      hex.slice(12, 16),
      hex.slice(16, 20),
      hex.slice(20),
    ].join('-');
  };
  return { randomBytes, fillRandom, randomInt, randomUUID };
}
