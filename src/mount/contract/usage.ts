/** Sums of what mounts spent. */
import type { MountUsage } from './contract.ts';

/** Spent together. */
export function addUsage(a: MountUsage, b: MountUsage): MountUsage {
  return combined(a, b, 1);
}

/** Spent between two counts. */
export function usageSince(before: MountUsage, after: MountUsage): MountUsage {
  return combined(after, before, -1);
}

/** The part for which somebody waited. */
export function ownUsage({ requests, bytes, behind }: MountUsage): MountUsage {
  return {
    requests: requests - (behind?.requests ?? 0),
    bytes: bytes - (behind?.bytes ?? 0),
  };
}

function combined(a: MountUsage, b: MountUsage, sign: 1 | -1): MountUsage {
  const requests = a.requests + sign * b.requests;
  const bytes = a.bytes + sign * b.bytes;
  const behind = {
    requests: (a.behind?.requests ?? 0) + sign * (b.behind?.requests ?? 0),
    bytes: (a.behind?.bytes ?? 0) + sign * (b.behind?.bytes ?? 0),
  };
  return behind.requests === 0 && behind.bytes === 0
    ? { requests, bytes }
    : { requests, bytes, behind };
}
