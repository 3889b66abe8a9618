import fc from 'fast-check';
import { expect, test } from 'vitest';
import { LineCounter } from './search.ts';

test('lines are counted as one by one, wherever in memory the text lies', () => {
  const text = fc
    .array(fc.oneof(fc.constant('\n'), fc.constantFrom('\v', 'x', 'é\x8a'), longLine()), {
      maxLength: 30,
    })
    .map((pieces) => pieces.join(''));
  fc.assert(
    fc.property(text, fc.nat({ max: 3 }), fc.array(fc.nat()), (whole, shift, stops) => {
      const bytes = Buffer.from(whole);
      const buf = new Uint8Array(new ArrayBuffer(shift + bytes.length + 3), shift, bytes.length);
      buf.set(bytes);
      const counter = new LineCounter(buf, 10);
      const positions = stops.map((stop) => stop % (buf.length + 1)).sort((a, b) => a - b);
      for (const position of positions) {
        const before = buf
          .subarray(0, position)
          .reduce((sum, byte) => sum + Number(byte === 10), 1);
        expect(counter.number(position)).toBe(before);
      }
    }),
    { numRuns: 300 },
  );
});

function longLine(): fc.Arbitrary<string> {
  return fc.nat({ max: 3000 }).map((length) => '\n'.repeat(length % 7) + 'y\n'.repeat(length / 2));
}
