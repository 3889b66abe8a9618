import type { Worker } from 'node:worker_threads';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { DEFAULT_MAX_BYTES } from '../memory-tree/limit.ts';
import { MemoryWatch, memoryLimits } from './memory-watch.ts';
import type { MountSpec } from './protocol.ts';

const LIMITS = { heap: 1_000, buffers: 2_000 };

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

/** The limits that are told within so many questions to a worker that takes so much; of it, garbage goes when it is asked to. */
async function toldOf(
  heap: number,
  buffers: number,
  questions: number,
  garbage = 0,
): Promise<number[]> {
  const told: number[] = [];
  const taken = { used_heap_size: heap, external_memory: buffers };
  const watch = new MemoryWatch(
    LIMITS,
    (limit) => told.push(limit),
    () => {
      taken.used_heap_size = heap - garbage;
    },
  );
  const worker = { getHeapStatistics: async () => taken } as unknown as Worker;
  watch.begin(() => worker);
  await vi.advanceTimersByTimeAsync(50 * questions);
  watch.end();
  return told;
}

it('who is far over a limit at two questions in a row is ended', async () => {
  expect(await toldOf(1_600, 0, 1)).toEqual([]);
  expect(await toldOf(1_600, 0, 2)).toEqual([1_000]);
  expect(await toldOf(0, 3_100, 2)).toEqual([2_000]);
});

it('who is over a limit by garbage alone is asked to collect it, and goes on', async () => {
  expect(await toldOf(1_600, 0, 100, 700)).toEqual([]);
  expect(await toldOf(1_200, 0, 100, 200)).toEqual([]);
  expect(await toldOf(1_600, 0, 2, 50)).toEqual([1_000]);
});

it('who is a little over a limit has a second to come back', async () => {
  expect(await toldOf(1_200, 0, 19)).toEqual([]);
  expect(await toldOf(1_200, 0, 20)).toEqual([1_000]);
  expect(await toldOf(0, 2_100, 20)).toEqual([2_000]);
});

it('who stays within the limits is never ended', async () => {
  expect(await toldOf(1_000, 2_000, 100)).toEqual([]);
});

it('a world may take 1 GiB, or what it is told, and its files in memory besides', () => {
  const mount = (source: object) => ({ point: '/x', source }) as unknown as MountSpec;
  const mounts = [
    mount({ kind: 'memory', maxBytes: 5 }),
    mount({ kind: 'memory' }),
    mount({ kind: 'disk', root: '/' }),
  ];
  expect(memoryLimits(undefined, [])).toEqual({ heap: 2 ** 30, buffers: 2 ** 30 });
  expect(memoryLimits(100, mounts)).toEqual({ heap: 100, buffers: 105 + DEFAULT_MAX_BYTES });
});
