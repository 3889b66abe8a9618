/**
 * How long a command that was asked to end has for it. Counted is the time in which its worker was
 * seen to run: a busy machine keeps a thread waiting for longer than a command needs, and ending
 * that thread would take the shell's variables with it.
 */
import type { Worker } from 'node:worker_threads';
import { isNotRunning } from './memory-watch.ts';

/** The worker has to be seen so many times, … */
const TIMES = 12;
/** … so many ms apart. One that spins is seen as well: it answers between two steps. */
const APART_MS = 25;
/** One that is not seen at all hangs where nothing can be asked of it. In ms. */
const LONGEST_MS = 3_000;

/**
 * Calls back once, when the time of grace is over.
 * @returns how to stop it
 */
export function afterGrace(worker: Pick<Worker, 'getHeapStatistics'>, due: () => void): () => void {
  let isOver = false;
  let left = TIMES;
  let timer: NodeJS.Timeout | undefined;
  const stop = (): void => {
    isOver = true;
    clearTimeout(timer);
    clearTimeout(longest);
  };
  const end = (): void => {
    if (isOver) return;
    stop();
    due();
  };
  const look = async (): Promise<void> => {
    try {
      await worker.getHeapStatistics();
    } catch (error) {
      // It has ended, or not begun yet: whoever waits for it is told of that elsewhere.
      if (!isNotRunning(error)) throw error;
    }
    left -= 1;
    if (left === 0) end();
    else if (!isOver) wait();
  };
  const wait = (): void => {
    timer = setTimeout(() => void look(), APART_MS).unref();
  };
  // Whoever waits for the worker keeps the process; this does not.
  const longest = setTimeout(end, LONGEST_MS).unref();
  wait();
  return stop;
}
