/** The clock of a deadline: it stands still while a person is asked. */
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { PausableClock } from './clock.ts';

beforeEach(() => {
  vi.useFakeTimers({ now: 5_000 });
});
afterEach(() => {
  vi.useRealTimers();
});

test('a pause is no time: however often it begins, it ends once', () => {
  const clock = new PausableClock();
  const read = (ms: number): number => {
    vi.advanceTimersByTime(ms);
    return clock.now();
  };
  expect(read(0)).toBe(5_000);
  clock.resume();
  expect(read(100)).toBe(5_100);
  clock.pause();
  expect(read(100)).toBe(5_100);
  clock.pause();
  expect(read(300)).toBe(5_100);
  clock.resume();
  clock.resume();
  expect(read(50)).toBe(5_150);
  clock.pause();
  expect(read(1_000)).toBe(5_150);
  clock.resume();
  expect(read(1)).toBe(5_151);
});

test('what is due comes once its time has come, and never while the clock stands', () => {
  const clock = new PausableClock();
  const due: string[] = [];
  clock.at(5_500, () => due.push('half a second'));
  clock.at(4_000, () => due.push('past'));
  const stop = clock.at(5_200, () => due.push('stopped'));
  vi.advanceTimersByTime(1);
  expect(due).toEqual(['past']);
  stop();
  vi.advanceTimersByTime(398);
  clock.pause();
  vi.advanceTimersByTime(10_000);
  expect(due).toEqual(['past']);
  clock.resume();
  vi.advanceTimersByTime(90);
  expect(due).toEqual(['past']);
  vi.advanceTimersByTime(260);
  expect(due).toEqual(['past', 'half a second']);
  vi.advanceTimersByTime(10_000);
  expect(due).toEqual(['past', 'half a second']);
});

test('a time far beyond what a timer can wait is waited for', () => {
  const clock = new PausableClock();
  let due = 0;
  clock.at(5_000 + 2 ** 31 + 1_000, () => {
    due += 1;
  });
  vi.advanceTimersByTime(2 ** 31);
  expect(due).toBe(0);
  vi.advanceTimersByTime(1_000);
  expect(due).toBe(1);
});
