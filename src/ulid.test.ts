/** Identifiers sort by when they were made. */
import { expect, test } from 'vitest';
import { createUlidFactory } from './ulid.ts';

const FORM = /^[0-7][0-9A-HJKMNP-TV-Z]{25}$/;

test('an identifier begins with its time as the standard writes it', () => {
  // The example of https://github.com/ulid/spec: 01ARYZ6S41 is 1469918176385.
  expect(createUlidFactory(() => 1_469_918_176_385)()).toMatch(/^01ARYZ6S41/);
  const make = createUlidFactory();
  expect(make()).toMatch(FORM);
  expect(make()).not.toBe(createUlidFactory()());
});

test('each is greater than the one before, within a millisecond and where the clock goes back', () => {
  let now = 1_000;
  const make = createUlidFactory(() => now);
  const first = make();
  const second = make();
  now = 999;
  const third = make();
  now = 1_001;
  const fourth = make();
  expect([first, second, third, fourth].toSorted()).toEqual([first, second, third, fourth]);
  expect([first, second, third].map((id) => id.slice(0, 10))).toEqual(Array(3).fill('00000000Z8'));
  expect(fourth).toMatch(/^00000000Z9/);
  expect(fourth).toMatch(FORM);
});

test('they go on behind one that was made earlier', () => {
  const last = '00000000Z8000000000000000Z';
  expect(createUlidFactory(() => 500, last)()).toBe('00000000Z80000000000000010');
  expect(createUlidFactory(() => 1_000, last)()).toBe('00000000Z80000000000000010');
  expect(createUlidFactory(() => 1_001, last)()).toMatch(/^00000000Z9/);
  const full = createUlidFactory(() => 0, '00000000Z8ZZZZZZZZZZZZZZZY');
  expect(full()).toBe('00000000Z8ZZZZZZZZZZZZZZZZ');
});
