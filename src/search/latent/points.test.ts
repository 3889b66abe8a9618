import fc from 'fast-check';
import { expect, it } from 'vitest';
import { normalised } from './normalised.ts';
import { Points } from './points.ts';

const vector = (dimensions: number) =>
  fc
    .array(fc.double({ min: -1, max: 1, noNaN: true }), {
      minLength: dimensions,
      maxLength: dimensions,
    })
    .map((values) => normalised(Float32Array.from(values)));

const sample = fc.integer({ min: 1, max: 150 }).chain((dimensions) =>
  fc.record({
    dimensions: fc.constant(dimensions),
    query: vector(dimensions),
    points: fc.array(vector(dimensions), { minLength: 1, maxLength: 40 }),
  }),
);

it('cosines are those of the rounded coordinates, to the last bit', () => {
  fc.assert(
    fc.property(sample, ({ dimensions, query, points }) => {
      const held = new Points(dimensions);
      for (const [slot, point] of points.entries()) held.set(slot, point);
      const expected = points.map((point) => {
        let sum = 0;
        for (let k = 0; k < dimensions; k++) {
          sum += Math.round((point[k] ?? 0) * 127) * Math.round((query[k] ?? 0) * 16_384);
        }
        return Math.fround(sum / (127 * 16_384));
      });
      expect([...held.cosines(query, points.length)]).toEqual(expected);
      const among = Uint8Array.from(points, (_, slot) => (slot % 3 === 1 || slot > 20 ? 1 : 0));
      expect([...held.cosines(query, points.length, among)]).toEqual(
        expected.map((cosine, slot) => (among[slot] === 1 ? cosine : 0)),
      );
    }),
    { numRuns: 200 },
  );
});

it('room grows with the points, and what was never set is at no angle to anything', () => {
  const held = new Points(64);
  const one = normalised(new Float32Array(64).fill(1));
  held.set(20_000, one);
  const cosines = held.cosines(one, 30_000);
  expect(cosines[20_000]).toBeCloseTo(1, 1);
  expect(cosines.filter((cosine) => cosine !== 0)).toHaveLength(1);
});
