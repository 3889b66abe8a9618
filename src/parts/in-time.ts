/** Asking a part of a stranger's: it has so long, and is told when nobody waits for it any more. */

/** A part did not answer. */
class Late extends Error {
  override readonly name = 'Late';
}

/**
 * Asks, and waits no longer than allowed.
 * @param ask is handed a signal that is aborted when nobody waits for the answer any more
 * @throws Late, or whatever it throws
 */
export async function inTime<T>(
  timeoutMs: number,
  ask: (signal: AbortSignal) => T | Promise<T>,
  stop?: AbortSignal,
): Promise<T> {
  const ended = new AbortController();
  const signal = stop === undefined ? ended.signal : AbortSignal.any([ended.signal, stop]);
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    const give = (error: Error): void => {
      reject(error);
      ended.abort(error);
    };
    timer = setTimeout(
      () => give(new Late(`it did not answer within ${timeoutMs / 1000} s`)),
      timeoutMs,
    );
    stop?.addEventListener('abort', () => give(new Late('it was interrupted')), { once: true });
  });
  try {
    return await Promise.race([late, Promise.resolve().then(() => ask(signal))]);
  } finally {
    clearTimeout(timer);
  }
}
