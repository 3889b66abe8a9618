/** What a world has spent, over the workers that it had. */
import type { MountUsage } from '../mount/contract/contract.ts';
import { addUsage } from '../mount/contract/usage.ts';
import type { Usage } from './protocol.ts';

const NOTHING: MountUsage = { requests: 0, bytes: 0 };

/** What was spent in all: before the worker began, and since. */
export function totalUsage(before: Usage, now: Usage): Usage {
  const sum: Usage = { ...before };
  for (const [point, spent] of Object.entries(now)) {
    sum[point] = addUsage(before[point] ?? NOTHING, spent);
  }
  return sum;
}
