import type { Worker } from 'node:worker_threads';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { MemoryWatch } from './memory-watch.ts';

const LIMITS = { heap: 1_000, buffers: 2_000 };

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

/** The limits that are told within so many questions to a worker that takes so much. */
async function toldOf(heap: number, buffers: number, questions: number): Promise<number[]> {
  const told: number[] = [];
  const watch = new MemoryWatch(LIMITS, (limit) => told.push(limit));
  const worker = {
    getHeapStatistics: async () => ({ used_heap_size: heap, external_memory: buffers }),
  } as unknown as Worker;
  watch.begin(() => worker);
  await vi.advanceTimersByTimeAsync(50 * questions);
  watch.end();
  return told;
}

it('who is far over a limit is ended at the first question', async () => {
  expect(await toldOf(1_600, 0, 1)).toEqual([1_000]);
  expect(await toldOf(0, 3_100, 1)).toEqual([2_000]);
});

it('who is a little over a limit has a second to come back', async () => {
  expect(await toldOf(1_200, 0, 19)).toEqual([]);
  expect(await toldOf(1_200, 0, 20)).toEqual([1_000]);
  expect(await toldOf(0, 2_100, 20)).toEqual([2_000]);
});

it('who stays within the limits is never ended', async () => {
  expect(await toldOf(1_000, 2_000, 100)).toEqual([]);
});
