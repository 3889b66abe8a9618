/** Dated prompts: who takes them, what comes again, what is kept. */
import { hostname } from 'node:os';
import { expect, onTestFinished, test } from 'vitest';
import { isUnderWay, type ScheduleEntry, ScheduleJournal } from './journal.ts';

function open() {
  const clock = { now: 1_000 };
  const journal = new ScheduleJournal(':memory:', () => clock.now);
  onTestFinished(() => journal.close());
  const told: string[] = [];
  journal.onStep(({ name, state, outcome = '' }) =>
    told.push(`${name} ${state} ${outcome}`.trim()),
  );
  const waiting = (name: string): ScheduleEntry => {
    const found = journal.find('waiting', name);
    if (found === null) throw new Error(`${name} does not wait`);
    return found;
  };
  const shown = () => journal.list().map(({ name, state, text }) => `${name} ${state} ${text}`);
  return { clock, journal, told, waiting, shown };
}

test('a file that waits is written whole, added to, renamed over another, and removed; each step is told', () => {
  const { journal, told, waiting, shown } = open();
  journal.write('a', '');
  journal.append('a', 'one');
  journal.append('a', ' two');
  journal.append('b', 'new');
  expect(shown()).toEqual(['a waiting one two', 'b waiting new']);
  journal.write('a', 'whole');
  journal.rename(waiting('a'), 'a');
  journal.rename(waiting('a'), 'b');
  expect(shown()).toEqual(['b waiting whole']);
  const entry = waiting('b');
  journal.remove(entry);
  journal.remove(entry);
  expect([shown(), journal.find('waiting', 'b')]).toEqual([[], null]);
  expect(told).toEqual([
    'a waiting',
    'a waiting',
    'b waiting',
    'a waiting',
    'b removed',
    'a removed',
    'b waiting',
    'b removed',
  ]);
});

test('what waits is taken once, and not if it was written meanwhile; a new file may have its name', () => {
  const { clock, journal, told, waiting } = open();
  journal.write('a', 'one');
  const stale = waiting('a');
  clock.now += 1;
  journal.write('a', 'two');
  expect(journal.take(stale)).toBe(false);
  const entry = waiting('a');
  expect([journal.take(entry), journal.take(entry)]).toEqual([true, false]);
  journal.write('a', 'three');
  const running = journal.find('running', 'a');
  expect(running).toMatchObject({ text: 'two', owner: journal.owner });
  journal.end(entry, 'ok');
  expect(journal.find('done', 'a')).toMatchObject({ outcome: 'ok', endedAt: 1_001 });
  expect(told.slice(-3)).toEqual(['a running', 'a waiting', 'a done ok']);
});

test('a time that has come is an entry of its own, one at a time, and the next is later than now', () => {
  const { clock, journal, told, waiting } = open();
  journal.write('a', 'daily');
  expect(waiting('a')).toMatchObject({ since: 1_000, dueAt: null, series: null });
  clock.now = 5_000;
  const first = waiting('a');
  const fallen = journal.fall(first, 2_000);
  expect(fallen).toMatchObject({
    name: 'a',
    state: 'due',
    text: 'daily',
    dueAt: 2_000,
    series: first.id,
  });
  expect(waiting('a').since).toBe(5_000);
  // Another process that saw the same, and the time after it.
  expect([journal.fall(first, 2_000), journal.fall(waiting('a'), 6_000)]).toEqual([null, null]);
  expect(fallen !== null && journal.take(fallen)).toBe(true);
  expect(journal.fall(waiting('a'), 6_000)?.dueAt).toBe(6_000);
  expect(waiting('a').since).toBe(6_000);
  expect(told).toEqual(['a waiting', 'a due', 'a running', 'a due']);
  journal.remove(waiting('a'));
  expect(journal.list().map(({ state }) => state)).toEqual(['running']);
});

test('a prompt that was written anew has its first time later than that', () => {
  const { clock, journal, waiting } = open();
  journal.write('a', 'daily');
  journal.fall(waiting('a'), 9_000);
  clock.now = 2_000;
  const stale = waiting('a');
  journal.write('a', 'daily');
  expect(waiting('a').since).toBe(2_000);
  expect(journal.fall(stale, 3_000)).toBeNull();
});

test('of the times that were carried out the last hundred are kept, of each prompt its own', () => {
  const { clock, journal, waiting } = open();
  journal.write('once', 'x');
  const once = waiting('once');
  journal.take(once);
  journal.end(once, 'ok');
  journal.write('a', 'daily');
  for (let at = 0; at < 102; at++) {
    clock.now += 1;
    const fallen = journal.fall(waiting('a'), clock.now);
    if (fallen !== null && journal.take(fallen)) journal.end(fallen, `${at}`);
  }
  const done = journal.list().filter(({ state }) => state === 'done');
  expect(done.map(({ outcome }) => outcome).slice(0, 3)).toEqual(['ok', '2', '3']);
  expect(done).toHaveLength(101);
});

test('what runs is under way while its process is there; of another machine it is assumed', () => {
  const entry = (owner: string | null, state = 'running'): ScheduleEntry =>
    ({ state, owner }) as ScheduleEntry;
  expect(isUnderWay(entry(`${hostname()} ${process.pid} x`))).toBe(true);
  expect(isUnderWay(entry(`${hostname()} ${process.pid} x`, 'done'))).toBe(false);
  expect(isUnderWay(entry(null))).toBe(false);
  expect(isUnderWay(entry(`${hostname()} 4194305 x`))).toBe(false);
  expect(isUnderWay(entry('elsewhere 4194305 x'))).toBe(true);
});
