/** What turns have read and changed is known for as long as they can act. */
import { expect, test } from 'vitest';
import { contextOf } from './context.ts';
import { Turns } from './turns.ts';

const HOUR = 60 * 60 * 1000;

test('a turn is remembered however many others there are, and for days while it acts', () => {
  let now = 0;
  const turns = new Turns(() => now);
  const context = contextOf({ actor: 'assistant', turn: 'first' });
  turns.of(context).untrustedRead = true;
  turns.noteChange(context, '/mnt/x');
  for (let index = 0; index < 10_000; index++) turns.of(contextOf({ turn: `other ${index}` }));
  for (let day = 1; day <= 5; day++) {
    now = day * 24 * HOUR;
    // Its commands come with contexts of their own.
    expect(turns.of({ ...context }).untrustedRead).toBe(true);
    expect(turns.changes({ ...context }, '/mnt/x')).toBe(1);
  }
  now += 3 * 24 * HOUR;
  turns.of(contextOf({ turn: 'another' }));
  expect(turns.of(context).untrustedRead).toBe(false);
});

test('what belongs to no turn is one of its own, and is not ended by the next one', () => {
  const turns = new Turns();
  const [one, two] = [contextOf(), contextOf()];
  turns.of(one).untrustedRead = true;
  expect(turns.of(two).untrustedRead).toBe(false);
  expect(turns.of(one).untrustedRead).toBe(true);
});

test('of a client without turns, the changes of the last hour count', () => {
  let now = 0;
  const turns = new Turns(() => now);
  const context = contextOf({ turn: 'client', countedMs: HOUR });
  for (const minute of [0, 30, 59]) {
    now = minute * 60_000;
    turns.noteChange(context, '/mnt/x');
  }
  expect([turns.changes(context, '/mnt/x'), turns.changes(context, '/mnt/y')]).toEqual([3, 0]);
  now = 61 * 60_000;
  expect(turns.changes(context, '/mnt/x')).toBe(2);
  now = 600 * 60_000;
  expect(turns.changes(context, '/mnt/x')).toBe(0);
});
