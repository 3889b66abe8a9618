/** What a command cost, in words. */

/** Requests and bytes by mount point. */
export type Spent = Readonly<Record<string, { requests: number; bytes: number }>>;

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

/** `3 requests, 12 kB`, or null when nothing was spent. */
export function formatCost(before: Spent, after: Spent): string | null {
  const requests = total(after, 'requests') - total(before, 'requests');
  const bytes = total(after, 'bytes') - total(before, 'bytes');
  if (requests <= 0) return null;
  return `${requests} request${requests === 1 ? '' : 's'}, ${formatBytes(bytes)}`;
}

const total = (spent: Spent, field: 'requests' | 'bytes'): number =>
  Object.values(spent).reduce((sum, each) => sum + each[field], 0);
