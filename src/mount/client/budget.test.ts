/** Requests within a service's limits: spaced when little is left, the last of it for writes. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Budget } from './budget.ts';
import { Pool } from './flight.ts';

const PER_MINUTE = { points: 900, read: 1, write: 5 };

/** A budget whose waiting moves its clock. */
function budgeted(limit: number, remaining: number, resetInMs: number) {
  let time = Date.parse('2025-01-01T00:00:00Z');
  const start = time;
  const budget = new Budget({
    service: 'Service',
    now: () => new Date(time),
    perMinute: PER_MINUTE,
    wait: async (ms) => {
      time += ms;
    },
  });
  budget.told({ limit, remaining, resetAt: new Date(time + resetInMs) });
  return {
    budget,
    waited: () => time - start,
    move: (ms: number) => {
      time += ms;
    },
  };
}

describe('a budget', () => {
  it('lets reads pass at once while much is left', async () => {
    const { budget, waited } = budgeted(5000, 4000, 3_600_000);
    for (let n = 0; n < 100; n++) await budget.admit('read');
    expect(waited()).toBe(0);
    expect(budget.isLow).toBe(false);
  });

  it('spaces reads when little is left, and never writes', async () => {
    const { budget, waited } = budgeted(5000, 400, 350_000);
    expect(budget.isLow).toBe(true);
    for (let n = 0; n < 11; n++) await budget.admit('read');
    expect(waited()).toBeGreaterThanOrEqual(9_900);
    // No further apart than spends what is left by the time when there is more.
    expect(waited()).toBeLessThanOrEqual(14_000);
    const before = waited();
    for (let n = 0; n < 11; n++) await budget.admit('write');
    expect(waited()).toBe(before);
  });

  it('spaces writes where a service asks for it, those that come at once too, and never reads', async () => {
    let time = 0;
    const budget = new Budget({
      service: 'Service',
      now: () => new Date(time),
      writeGapMs: 1_000,
      wait: async (ms) => {
        time += ms;
      },
    });
    await Promise.all([1, 2, 3].map(() => budget.admit('write')));
    expect(time).toBeGreaterThanOrEqual(2_000);
    const before = time;
    for (let n = 0; n < 5; n++) await budget.admit('read');
    expect(time).toBe(before);
    time += 5_000;
    const later = time;
    await budget.admit('write');
    expect(time).toBe(later);
  });

  it('refuses what does not fit into the minute, where nobody is to wait for that', async () => {
    let time = 0;
    const perMinute = { points: 3, read: 1, write: 1 };
    const now = () => new Date(time);
    const budget = new Budget({ service: 'Search', now, perMinute, refuses: true });
    for (let n = 0; n < 3; n++) await budget.admit('read');
    time = 20_000;
    await expect(budget.admit('read')).rejects.toMatchObject({
      kind: 'limited',
      unsent: true,
      message: expect.stringMatching(/Search allows 3 requests a minute.*\(in 40 s\)/),
    });
    time = 60_000;
    await budget.admit('read');
  });

  it('keeps the last requests for writes, and says when reads may go on', async () => {
    const { budget, move } = budgeted(5000, 50, 90_000);
    await expect(budget.admit('read')).rejects.toMatchObject({
      kind: 'limited',
      unsent: true,
      message: expect.stringMatching(/50 are left.*kept for writes: try again after 00:01:30 UTC/),
    });
    await budget.admit('write');
    move(90_000);
    await budget.admit('read');
  });

  it('spends no more than its points in any minute, whatever is asked in which order', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.constantFrom('read' as const, 'write' as const), { maxLength: 600 }),
        async (kinds) => {
          const { budget, waited } = budgeted(1_000_000, 1_000_000, 3_600_000);
          const sent: { at: number; points: number }[] = [];
          for (const kind of kinds) {
            await budget.admit(kind);
            sent.push({ at: waited(), points: PER_MINUTE[kind] });
            const minute = sent.filter(({ at }) => at > waited() - 60_000);
            expect(minute.reduce((sum, { points }) => sum + points, 0)).toBeLessThanOrEqual(900);
          }
        },
      ),
      { numRuns: 10 },
    );
  });
});

it('a pool takes what is urgent before what has waited longer', async () => {
  const pool = new Pool(1);
  const order: string[] = [];
  const gate = Promise.withResolvers<void>();
  const run = (name: string, urgent?: boolean) =>
    pool.run(async () => void order.push(name), urgent);
  const first = pool.run(() => gate.promise);
  const others = [run('read 1'), run('read 2'), run('write', true)];
  gate.resolve();
  await Promise.all([first, ...others]);
  expect(order).toEqual(['write', 'read 1', 'read 2']);
});
