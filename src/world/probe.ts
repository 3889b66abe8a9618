/** Asking each service of a world whether it can be reached, for whoever wants to know that and nothing else. */
import { setTimeout as delay } from 'node:timers/promises';
import { sentenceOf } from '../errors.ts';
import type { Probe } from '../mount/contract/contract.ts';
import { fsErrorOf } from '../namespace/foreign-errors.ts';
import type { MountTable } from '../namespace/table.ts';
import type { HeldMount } from '../replica/replica.ts';

/** What is known of one mount that has a service behind it. */
export interface ProbedMount extends Partial<Probe> {
  point: string;
  kind: string;
  /** Why it cannot be reached; absent where it can. */
  error?: string;
  /** What the replica has of it; null where it has nothing. */
  held: Omit<HeldMount, 'mount'> | null;
}

/**
 * Probes all mounts that have a service behind them, side by side.
 * @param timeoutMs nobody is waited for longer
 */
export async function probeMounts(
  table: MountTable,
  held: readonly HeldMount[],
  timeoutMs: number,
): Promise<ProbedMount[]> {
  const services = table.attachments.filter(({ mount }) => mount.probe !== undefined);
  return Promise.all(
    services.map(async ({ point, mount }): Promise<ProbedMount> => {
      const name = 'name' in mount ? mount.name : undefined;
      const { mount: _, ...own } = held.find((each) => each.mount === name) ?? { mount: null };
      const known = { point, kind: mount.kind, held: 'records' in own ? own : null };
      const stop = new AbortController();
      const late = delay(timeoutMs, null, { signal: stop.signal });
      // Stopping it is no failure of anybody's.
      late.catch(() => undefined);
      try {
        const probe = await Promise.race([mount.probe?.(), late]);
        if (probe === null) return { ...known, error: `no answer within ${timeoutMs / 1000} s` };
        return { ...known, ...probe };
      } catch (cause) {
        const failure = fsErrorOf(cause, { path: point, op: 'probe' });
        return { ...known, error: sentenceOf(failure ?? cause) };
      } finally {
        stop.abort();
      }
    }),
  );
}
