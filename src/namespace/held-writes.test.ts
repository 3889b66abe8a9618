/** Files that are open for writing and have no data yet. */
import { expect, test } from 'vitest';
import { HeldWrites } from './held-writes.ts';
import { Strands } from './strands.ts';
import type { Place } from './table.ts';

const place = (path: string): Place => ({ path }) as Place;
const paths = (rows: readonly { place: Place }[]): string[] => rows.map((row) => row.place.path);

test('what is held is an empty file, until its data comes or it is forgotten', () => {
  const held = new HeldWrites(new Strands());
  expect([held.stat('/a'), held.has('/a'), held.isFresh('/a')]).toEqual([null, false, false]);
  held.hold(place('/a'), true);
  held.hold(place('/b'), false);
  expect(held.stat('/a')).toMatchObject({ type: 'file', mode: 0o644, size: 0 });
  expect([held.has('/a'), held.isFresh('/a'), held.isFresh('/b')]).toEqual([true, true, false]);
  // To open it once more changes nothing of that.
  held.hold(place('/b'), true);
  expect(held.isFresh('/b')).toBe(false);
  held.release('/a');
  expect([held.has('/a'), held.isFresh('/a'), held.has('/b')]).toEqual([false, false, true]);
  held.made('/c');
  expect([held.has('/c'), held.isFresh('/c')]).toEqual([false, true]);
  held.release('/c');
  expect(held.isFresh('/c')).toBe(false);
  held.made('/c');
  held.forget();
  expect([held.has('/b'), held.isFresh('/c')]).toEqual([false, false]);
});

test('what is held is found by the directory that it is in', () => {
  const held = new HeldWrites(new Strands());
  expect(held.within('/')).toEqual([]);
  for (const path of ['/d/a', '/d/e/b', '/dd', '/d']) held.hold(place(path), true);
  expect(held.within('/d').map(({ path }) => path)).toEqual(['/d/a', '/d/e/b', '/d']);
  expect(held.within('/d/a')).toHaveLength(1);
});

test('what is to be written empty is what was opened since a mark, by whoever asks, once', () => {
  const strands = new Strands();
  const held = new HeldWrites(strands);
  held.hold(place('/before'), true);
  held.made('/made-before');
  const mark = held.mark();
  held.hold(place('/after'), false);
  held.made('/made-after');
  strands.begin(() => held.hold(place('/beside'), true));
  expect(held.drain(mark)).toMatchObject([{ place: { path: '/after' }, fresh: false }]);
  expect([held.isFresh('/made-before'), held.isFresh('/made-after')]).toEqual([true, false]);
  expect(held.drain(mark)).toEqual([]);
  expect(paths(held.drain())).toEqual(['/before']);
  expect([held.has('/beside'), held.isFresh('/made-before')]).toEqual([true, false]);
});
