/** Bringing what is mounted in step with its services, for whoever waits for that and for nothing else. */

import { sentenceOf } from '../errors.ts';
import type { Progress } from '../mount/contract/activity.ts';
import type { MountUsage } from '../mount/contract/contract.ts';
import { fsErrorOf } from '../namespace/foreign-errors.ts';
import type { MountTable } from '../namespace/table.ts';

/** What came of one mount. */
export interface Synced {
  /** The path in the world. */
  path: string;
  /** `Tracker as of 12:03:04 UTC, complete`; null where nothing was to be asked. */
  coverage: string | null;
  /** What it cost. */
  usage: MountUsage;
  /** Why it is not in step. */
  error?: string;
}

/** What came of a sync: each mount, and what is to be said besides. */
export interface SyncResult {
  synced: Synced[];
  notices: string[];
}

/** How far it is. */
export interface SyncProgress {
  running: Progress[];
  /** Since the world began, over all mounts. */
  requests: number;
  bytes: number;
}

/**
 * Fetches what lies at and below a path, mount by mount. No time-out bounds it: that is what
 * the caller came to wait for.
 */
export async function syncMounts(table: MountTable, path: string): Promise<Synced[]> {
  const places = [path, ...table.below(path).map(({ point }) => point)];
  const results: Synced[] = [];
  for (const place of places) {
    const { at, inside } = table.place(place);
    const { mount } = at;
    if (mount.prefetch === undefined || mount.usage === undefined) continue;
    const before = mount.usage();
    let error: string | undefined;
    try {
      await mount.prefetch(inside);
    } catch (cause) {
      const failure = fsErrorOf(cause, { path: place, op: 'prefetch' });
      error = sentenceOf(failure ?? cause);
    }
    const after = mount.usage();
    const usage = {
      requests: after.requests - before.requests,
      bytes: after.bytes - before.bytes,
    };
    const coverage = mount.coverage?.(inside) ?? null;
    results.push({ path: place, coverage, usage, ...(error === undefined ? {} : { error }) });
  }
  return results;
}

/** What is fetched now. */
export function syncProgress(table: MountTable): SyncProgress {
  const running = table.attachments.flatMap(({ mount }) => mount.progress?.() ?? []);
  const spent = table.attachments.map(({ mount }) => mount.usage?.() ?? { requests: 0, bytes: 0 });
  return {
    running,
    requests: spent.reduce((sum, { requests }) => sum + requests, 0),
    bytes: spent.reduce((sum, { bytes }) => sum + bytes, 0),
  };
}
