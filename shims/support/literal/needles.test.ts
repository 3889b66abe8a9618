import fc from 'fast-check';
import { expect, test } from 'vitest';
import { NeedleScan } from './needles.ts';

const word = fc.string({ unit: fc.constantFrom('a', 'b'), minLength: 2, maxLength: 9 });
/** Stretches in which the words are everywhere, and stretches in which they are nowhere. */
const text = fc
  .array(
    fc.oneof(
      word.map((piece) => piece.repeat(40)),
      word,
      fc.nat({ max: 1500 }).map((length) => '.'.repeat(length)),
    ),
    { maxLength: 12 },
  )
  .map((pieces) => pieces.join(''));

test('every place of every text is found, in order, however dense they stand', () => {
  let found = 0;
  fc.assert(
    fc.property(fc.array(word, { minLength: 1, maxLength: 3 }), text, (words, whole) => {
      const buf = Buffer.from(whole);
      const scan = new NeedleScan(words.map((each) => Buffer.from(each)));
      const places: number[] = [];
      for (let at = scan.find(buf, 0); at !== -1; at = scan.find(buf, at + 1)) places.push(at);
      const expected: number[] = [];
      for (let at = 0; at < whole.length; at++)
        if (words.some((each) => whole.startsWith(each, at))) expected.push(at);
      expect(places).toEqual(expected);
      found += places.length;
    }),
    { numRuns: 300 },
  );
  expect(found).toBeGreaterThan(1000);
});
