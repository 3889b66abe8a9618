/** Long work in slices, so that whoever shares the thread is not held up. */
import { setImmediate as turn } from 'node:timers/promises';

/** Work that yields wherever it may pause: after each piece of some ms at most. */
export type Work<T> = Generator<void, T>;

/** The longest that a slice goes on before others have their turn. ms. */
const SLICE_MS = 15;

/** Does the work, and lets others have their turn between its slices. */
export async function inSlices<T>(work: Work<T>): Promise<T> {
  let end = performance.now() + SLICE_MS;
  for (;;) {
    const { done, value } = work.next();
    if (done === true) return value;
    if (performance.now() < end) continue;
    await turn();
    end = performance.now() + SLICE_MS;
  }
}

/** Does the work at once, where nobody else waits. */
export function atOnce<T>(work: Work<T>): T {
  for (;;) {
    const { done, value } = work.next();
    if (done === true) return value;
  }
}
