/** The refresh behind the reads, on every service: no read waits for it, and its age is shown. */
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { SERVICES, startService } from './each-service.ts';
import { text } from './testing.ts';

const FRESH_MS = 10_000;

it.each(SERVICES)(
  '%s: what was read is asked for again, and the next read finds it',
  async (name) => {
    await using service = await startService(name);
    using bench = await service.bench();
    const { record } = service.places;
    bench.stopClock();
    // Its timer goes by real time, half a window apart; the bench's clock says what is fresh.
    const mount = bench.mount({ freshMs: FRESH_MS, background: true });
    try {
      const before = await text(mount, record);
      await service.retitle('Renamed by someone else');
      await service.asked();
      bench.move(FRESH_MS * 0.75);
      expect(await text(mount, record), 'within the window').toBe(before);
      expect(await service.asked()).toEqual([]);
      // Until the refresh has brought it, a read gives what is held, and asks nothing itself.
      while (!(await text(mount, record)).includes('Renamed by someone else')) await sleep(50);
      const asked = await service.asked();
      expect(asked.length).toBeGreaterThan(0);
      expect(asked.filter(({ write, status }) => write || status === null)).toEqual([]);
      const age = bench.now().toISOString().slice(11, 19);
      expect(await text(mount, '/README.md')).toContain(`as of ${age} UTC`);
    } finally {
      await mount.close?.();
    }
  },
);

it.each(SERVICES)(
  '%s: a read past the window waits for no refresh that is under way',
  async (name) => {
    await using service = await startService(name);
    using bench = await service.bench();
    const { record } = service.places;
    bench.stopClock();
    const mount = bench.mount({ freshMs: FRESH_MS, background: true, timeoutMs: 600_000 });
    try {
      const before = await text(mount, record);
      await service.retitle('Renamed by someone else');
      await service.asked();
      // So slow that whoever waited for it would be waiting still when the test is over.
      await service.fault({ kind: 'slow', ms: 3_600_000 });
      bench.move(FRESH_MS * 0.75);
      while ((await service.asked()).length === 0) await sleep(50);
      bench.move(FRESH_MS);
      expect(await text(mount, record)).toBe(before);
      expect(mount.progress?.()).not.toEqual([]);
    } finally {
      await mount.close?.();
    }
  },
);
