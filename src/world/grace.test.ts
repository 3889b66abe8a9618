import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { afterGrace } from './grace.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** A worker that is seen to run when the test says so. */
function worker(runs = true) {
  const waiting: (() => void)[] = [];
  const state = { runs };
  return {
    getHeapStatistics: () =>
      new Promise<never>((resolve) => {
        const seen = resolve as () => void;
        if (state.runs) seen();
        else waiting.push(seen);
      }),
    run() {
      state.runs = true;
      for (const seen of waiting.splice(0)) seen();
    },
  };
}

test('a command whose worker runs has 300 ms to end', async () => {
  const due = vi.fn();
  afterGrace(worker(), due);
  await vi.advanceTimersByTimeAsync(299);
  expect(due).not.toHaveBeenCalled();
  await vi.advanceTimersByTimeAsync(1);
  expect(due).toHaveBeenCalledOnce();
  await vi.advanceTimersByTimeAsync(10_000);
  expect(due).toHaveBeenCalledOnce();
});

test('the time in which a busy machine keeps the worker from running is not the command’s', async () => {
  const due = vi.fn();
  const starved = worker(false);
  afterGrace(starved, due);
  await vi.advanceTimersByTimeAsync(2_000);
  expect(due).not.toHaveBeenCalled();
  starved.run();
  await vi.advanceTimersByTimeAsync(274);
  expect(due).not.toHaveBeenCalled();
  await vi.advanceTimersByTimeAsync(1);
  expect(due).toHaveBeenCalledOnce();
});

test('a worker that is never seen is ended all the same', async () => {
  const due = vi.fn();
  afterGrace(worker(false), due);
  await vi.advanceTimersByTimeAsync(3_000);
  expect(due).toHaveBeenCalledOnce();
});

test('a command that ends in time is left alone', async () => {
  const due = vi.fn();
  const stop = afterGrace(worker(), due);
  await vi.advanceTimersByTimeAsync(100);
  stop();
  await vi.advanceTimersByTimeAsync(10_000);
  expect(due).not.toHaveBeenCalled();
});
