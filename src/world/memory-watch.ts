/**
 * Watches what a worker takes of memory. A limit of the engine's own for the heap
 * would not do: a single great allocation at such a limit ends the whole process,
 * and it does not count buffers at all. So the worker is asked, which it answers
 * even while it spins, and the supervisor ends it.
 */
import type { Worker } from 'node:worker_threads';
import { DEFAULT_MAX_BYTES } from '../memory-tree/limit.ts';
import type { MountSpec } from './protocol.ts';

/** How often it is asked, in ms: a processor fills some 100 MiB in this time. */
const ASK_MS = 50;

/**
 * A worker that is over its limit may hold no more than the garbage of what ran before, which a thread
 * that waits never collects: it is asked to. One that takes so many times its limit also at the next
 * question is ended …
 */
const FAR_OVER = 1.5;
/** … and one that is over it so many times in a row, which is a second. */
const TIMES_OVER = 20;

/** What a worker may take, in bytes. */
export interface MemoryLimits {
  /** Of JavaScript's own heap: texts, lists, numbers. */
  heap: number;
  /** Outside of it: contents of files, and all else that is bytes. */
  buffers: number;
}

/** What a worker may take unless the config says otherwise: 1 GiB. */
const DEFAULT_BYTES = 1024 * 1024 * 1024;

/**
 * What the worker of a world may take.
 * @param most as the config says it, in bytes
 */
export function memoryLimits(most = DEFAULT_BYTES, mounts: readonly MountSpec[]): MemoryLimits {
  // The files of memory mounts have limits of their own.
  const files = mounts.flatMap(({ source }) =>
    source.kind === 'memory' ? [source.maxBytes ?? DEFAULT_MAX_BYTES] : [],
  );
  return { heap: most, buffers: files.reduce((sum, each) => sum + each, most) };
}

/** Watches one worker at a time, from `begin` to `end`. */
export class MemoryWatch {
  readonly #limits: MemoryLimits;
  readonly #onUsedUp: (limit: number) => void;
  readonly #onOver: () => void;
  #timer: NodeJS.Timeout | undefined;
  /** How often in a row each limit was passed. */
  readonly #over = new Map<number, number>();

  /**
   * @param onUsedUp told the limit that is passed, in bytes
   * @param onOver when a limit was passed just now: the worker is to collect its garbage, if it can
   */
  constructor(limits: MemoryLimits, onUsedUp: (limit: number) => void, onOver: () => void) {
    this.#limits = limits;
    this.#onUsedUp = onUsedUp;
    this.#onOver = onOver;
  }

  /** @param current the worker that is there when it is asked */
  begin(current: () => Worker): void {
    if (this.#timer !== undefined) return;
    let asked: Worker | null = null;
    const ask = async (): Promise<void> => {
      const worker = current();
      // One that has ended may never answer; the next one is another.
      if (asked === worker) return;
      asked = worker;
      try {
        const { used_heap_size: heap, external_memory: buffers } = await worker.getHeapStatistics();
        if (worker !== current() || this.#timer === undefined) return;
        this.#judge(heap / this.#limits.heap, this.#limits.heap);
        this.#judge(buffers / this.#limits.buffers, this.#limits.buffers);
      } catch (error) {
        // One that has not begun, or has ended, takes nothing.
        if (!isNotRunning(error)) throw error;
      } finally {
        if (asked === worker) asked = null;
      }
    };
    // Whoever waits for the worker keeps the process; its watch does not.
    this.#timer = setInterval(() => void ask(), ASK_MS).unref();
  }

  end(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
    this.#over.clear();
  }

  /** @param share of the limit that is taken; what was not collected yet is in it, and may go soon */
  #judge(share: number, limit: number): void {
    const times = share > 1 ? (this.#over.get(limit) ?? 0) + 1 : 0;
    this.#over.set(limit, times);
    if (times === 1) return this.#onOver();
    if (share <= FAR_OVER && times < TIMES_OVER) return;
    this.#over.clear();
    this.#onUsedUp(limit);
  }
}

/** Was something asked of a worker that has not begun, or has ended? */
export const isNotRunning = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && error.code === 'ERR_WORKER_NOT_RUNNING';

/** Did a worker end because its heap was full? */
export const isOutOfMemory = (error: Error): boolean =>
  'code' in error && error.code === 'ERR_WORKER_OUT_OF_MEMORY';
