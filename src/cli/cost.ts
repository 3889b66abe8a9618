/** What a command cost, in words. */

import type { MountUsage } from '../mount/contract/contract.ts';
import { addUsage, ownUsage, usageSince } from '../mount/contract/usage.ts';

/** By mount point. */
export type Spent = Readonly<Record<string, MountUsage>>;

const UNITS = ['B', 'kB', 'MB', 'GB', 'TB'] as const;

/** Bytes as people read them: `0 B`, `999 B`, `1.2 kB`, `12 kB`. */
export function formatBytes(bytes: number): string {
  let value = bytes;
  let unit = 0;
  // From 999.5 on, rounding would give four digits.
  while (value >= 999.5 && unit < UNITS.length - 1) {
    value /= 1000;
    unit++;
  }
  const digits = unit > 0 && value < 9.95 ? 1 : 0;
  return `${value.toFixed(digits)} ${UNITS[unit]}`;
}

/** `3 requests, 12 kB`, and what was asked behind it; null when the command itself spent nothing. */
export function formatCost(before: Spent, after: Spent): string | null {
  const spent = Object.entries(after).map(([point, count]) =>
    usageSince(before[point] ?? { requests: 0, bytes: 0 }, count),
  );
  const own = spent.map(ownUsage).reduce(addUsage, { requests: 0, bytes: 0 });
  if (own.requests <= 0) return null;
  const behind = spent.reduce((sum, each) => sum + (each.behind?.requests ?? 0), 0);
  const more = behind > 0 ? ` (${behind} more behind it)` : '';
  return `${requestCount(own.requests)}, ${formatBytes(own.bytes)}${more}`;
}

const requestCount = (count: number): string => `${count} request${count === 1 ? '' : 's'}`;
