import fc from 'fast-check';
import { expect, it } from 'vitest';
import { ByteVectors, ofBlob, toBlob, toBytes } from './byte-vectors.ts';

const vectors = (dimensions: number) =>
  fc
    .array(fc.double({ min: -1, max: 1, noNaN: true }), {
      minLength: dimensions,
      maxLength: dimensions,
    })
    .map((values) => Float32Array.from(values))
    .filter((vector) => norm(vector) > 1e-3);

const norm = (vector: Float32Array): number =>
  Math.sqrt(vector.reduce((sum, value) => sum + value * value, 0));
const cosine = (one: Float32Array, other: Float32Array): number =>
  one.reduce((sum, value, k) => sum + value * (other[k] ?? 0), 0) / (norm(one) * norm(other));

it('bytes keep the cosines of vectors of any length and any number of dimensions', () => {
  const any = fc.integer({ min: 1, max: 70 }).chain((dimensions) =>
    fc.record({
      held: fc.array(vectors(dimensions), { minLength: 1, maxLength: 8 }),
      query: vectors(dimensions),
      factor: fc.double({ min: 1e-3, max: 1e3, noNaN: true }),
    }),
  );
  fc.assert(
    fc.property(any, ({ held, query, factor }) => {
      const all = new ByteVectors(query.length);
      for (const [index, vector] of held.entries()) {
        // Kept as SQLite keeps it, and every second slot has none.
        all.set(2 * index, ofBlob(toBlob(toBytes(vector.map((value) => value * factor)))));
      }
      const found = all.cosines(
        query.map((value) => value * factor),
        2 * held.length + 1,
      );
      for (const [index, vector] of held.entries()) {
        expect(Math.abs((found[2 * index] ?? 0) - cosine(vector, query))).toBeLessThan(0.02);
        expect(found[2 * index + 1]).toBe(-1);
        expect(all.has(2 * index + 1)).toBe(false);
      }
    }),
    { numRuns: 100 },
  );
});

it('sums of products do not run over, however long the vectors are', () => {
  const dimensions = 4_096;
  const all = new ByteVectors(dimensions);
  const ones = new Float32Array(dimensions).fill(1);
  all.set(0, toBytes(ones));
  all.set(1, toBytes(ones.map(() => -1)));
  const [same, opposite] = all.cosines(ones, 2);
  expect(same).toBeCloseTo(1, 3);
  expect(opposite).toBeCloseTo(-1, 3);
});
