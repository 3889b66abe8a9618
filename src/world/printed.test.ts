import { isUtf8 } from 'node:buffer';
import { expect, test } from 'vitest';
import { atOnce } from '../slices.ts';
import { joined, outputText } from './printed.ts';

const PIECE = 512 * 1024;

test.each([
  ['nothing', Buffer.alloc(0)],
  ['short', Buffer.from('a\u00e4\u20ac\n')],
  ['short, and no UTF-8', Buffer.from([0x61, 0xff])],
  ['long and ASCII', Buffer.alloc(PIECE + 3, 'line\n')],
  ['with characters over the borders of pieces', Buffer.from(`x${'\u{1f600}'.repeat(PIECE / 2)}`)],
  ['with a mark of its encoding', Buffer.from(`\ufeff${'\u20ac'.repeat(PIECE)}`)],
  [
    'long, and no UTF-8 at its end',
    Buffer.concat([Buffer.alloc(PIECE * 2, '\u00e4'), Buffer.of(255)]),
  ],
  ['long, and cut within a character', Buffer.from('\u20ac'.repeat(PIECE)).subarray(0, -1)],
])('the text of what was printed is that of its bytes, however it is sliced: %s', (_, bytes) => {
  const latin1 = !isUtf8(bytes);
  expect(atOnce(outputText(bytes))).toEqual({
    text: bytes.toString(latin1 ? 'latin1' : 'utf8'),
    latin1,
  });
});

test('what was printed in chunks is put together byte by byte', () => {
  const chunks = [
    Buffer.from('a'),
    Buffer.alloc(PIECE * 2 + 1, Buffer.of(0, 128, 255)),
    Buffer.of(10),
  ];
  expect(Buffer.concat(chunks).equals(atOnce(joined(chunks)))).toBe(true);
  expect(atOnce(joined([]))).toEqual(new Uint8Array());
});

test('long output is put together and read in many slices', () => {
  const count = (work: Generator<void, unknown>): number => [...work].length;
  const bytes = Buffer.alloc(PIECE * 20, 'x');
  expect(count(joined([bytes]))).toBeGreaterThanOrEqual(20);
  expect(count(outputText(bytes))).toBeGreaterThanOrEqual(20);
});
