/** How long work takes, whatever else the machine does: for tests of how a time grows. */

/** What this thread computed during `work`, in ms. */
export function cpuMs(work: () => void): number {
  const before = process.threadCpuUsage();
  work();
  const { user, system } = process.threadCpuUsage(before);
  return (user + system) / 1000;
}
