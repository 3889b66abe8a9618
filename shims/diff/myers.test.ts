/** The lines that two files have in common, and what is changed between them. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { changes } from './myers.ts';

const lines = (most: number, letters: string) =>
  fc.array(fc.constantFrom(...letters), { maxLength: most });

/** Most lines that can stand in both, one after the other. */
function mostInCommon(a: readonly string[], b: readonly string[]): number {
  let row = new Array<number>(b.length + 1).fill(0);
  for (const line of a) {
    const next = [0];
    for (const [at, other] of b.entries())
      next.push(line === other ? (row[at] ?? 0) + 1 : Math.max(row[at + 1] ?? 0, next[at] ?? 0));
    row = next;
  }
  return row[b.length] ?? 0;
}

/** What stands between the changes, in both the same; throws where it is not, or they overlap. */
async function kept(a: readonly string[], b: readonly string[]): Promise<string[]> {
  const same: string[] = [];
  let [atA, atB] = [0, 0];
  for (const { startA, endA, startB, endB } of [
    ...(await changes(a, b)),
    { startA: a.length, endA: a.length, startB: b.length, endB: b.length },
  ]) {
    expect(a.slice(atA, startA)).toEqual(b.slice(atB, startB));
    expect(endA - startA + endB - startB).toBeGreaterThanOrEqual(startA === a.length ? 0 : 1);
    same.push(...a.slice(atA, startA));
    [atA, atB] = [endA, endB];
  }
  expect([atA, atB]).toEqual([a.length, b.length]);
  return same;
}

test('beside the changes both files are the same, and no shorter script makes one of the other', async () => {
  const pairs = fc.oneof(
    fc.tuple(lines(12, 'ab'), lines(12, 'ab')),
    fc.tuple(lines(30, 'abcde'), lines(30, 'abcdf')),
    fc.tuple(lines(60, 'abcdefghijkl'), lines(40, 'ijklmnopqrs')),
  );
  await fc.assert(
    fc.asyncProperty(pairs, async ([a, b]) => {
      expect(await kept(a, b)).toHaveLength(mostInCommon(a, b));
    }),
    { numRuns: 400 },
  );
});

test('a few edits of a long file are found as they were made', async () => {
  const long = Array.from({ length: 2000 }, (_, at) => `line ${at}`);
  await fc.assert(
    fc.asyncProperty(
      fc.uniqueArray(fc.integer({ min: 1, max: 999 }), { minLength: 1, maxLength: 8 }),
      async (places) => {
        const at = places.map((each) => each * 2).sort((x, y) => x - y);
        const edited = long.map((line, place) => (at.includes(place) ? `${line}!` : line));
        expect(await changes(long, edited)).toEqual(
          at.map((place) => ({ startA: place, endA: place + 1, startB: place, endB: place + 1 })),
        );
        const without = long.filter((_, place) => !at.includes(place));
        expect(await changes(without, long)).toEqual(
          at.map((place, before) => ({
            startA: place - before,
            endA: place - before,
            startB: place,
            endB: place + 1,
          })),
        );
      },
    ),
    { numRuns: 30 },
  );
});

test('files without a line in common are one change, equal ones none', async () => {
  expect(await changes(['a', 'b'], ['c'])).toEqual([{ startA: 0, endA: 2, startB: 0, endB: 1 }]);
  expect(await changes([], ['c'])).toEqual([{ startA: 0, endA: 0, startB: 0, endB: 1 }]);
  expect(await changes(['c'], [])).toEqual([{ startA: 0, endA: 1, startB: 0, endB: 0 }]);
  expect(await changes(['a', 'b'], ['a', 'b'])).toEqual([]);
  expect(await changes([], [])).toEqual([]);
});
