/** How long work takes, whatever else the machine does: for tests of how a time grows. */

/** What this thread computed during `work`, in ms. */
function cpuMs(work: () => void): number {
  const before = process.threadCpuUsage();
  work();
  const { user, system } = process.threadCpuUsage(before);
  return (user + system) / 1000;
}

/** The most often that is tried: a machine may stall, and what grows too fast does so each time. */
const TRIES = 5;

/**
 * How many times as long work takes for the large size as for the small one, at best.
 * @param enough below this it is not tried again
 */
export function growth(
  work: (size: number) => () => void,
  { small, large, enough }: { small: number; large: number; enough: number },
): number {
  const [short, long] = [work(small), work(large)];
  short();
  let best = Infinity;
  for (let attempt = 0; attempt < TRIES && best >= enough; attempt++)
    best = Math.min(best, cpuMs(long) / Math.max(cpuMs(short), 1));
  return best;
}
