/** What is read is asked for again behind the reads; what rests, is not. */
import { AsyncLocalStorage } from 'node:async_hooks';
import { describe, expect, it } from 'vitest';
import { ServiceFailure } from '../client/failure.ts';
import { Meter } from '../client/meter.ts';
import { Freshness, type FreshnessOptions } from './freshness.ts';
import type { Question } from './question.ts';

const FRESH_MS = 10_000;

/** A question whose asking is counted, and ends when it is told to. */
function counted(now: () => number) {
  let held: number | null = null;
  let asked = 0;
  let gate: Promise<void> = Promise.resolve();
  const question: Question = {
    key: 'things a b',
    heldSince: () => held,
    ask: async () => {
      asked += 1;
      await gate;
      held = now();
    },
  };
  return { question, asked: () => asked, wait: (until: Promise<void>) => (gate = until) };
}

function fresh(may: () => boolean = () => true, more: Partial<FreshnessOptions> = {}) {
  let time = Date.parse('2025-01-01T00:00:00Z');
  const freshness = new Freshness({
    freshMs: FRESH_MS,
    now: () => new Date(time),
    onNotice: () => undefined,
    background: true,
    mayRefresh: may,
    ...more,
  });
  return { freshness, now: () => time, move: (ms: number) => (time += ms) };
}

describe('the refresh in the background', () => {
  it('keeps fresh what was read lately, so that the next read asks nothing', async () => {
    const { freshness, now, move } = fresh();
    const { question, asked } = counted(now);
    await freshness.ensure(question);
    await freshness.refreshRead();
    expect(asked()).toBe(1);
    for (let round = 0; round < 4; round++) {
      move(FRESH_MS / 2);
      await freshness.refreshRead();
      await freshness.ensure(question);
    }
    expect(asked()).toBe(5);
    freshness.stop();
  });

  it('is waited for by no read: what is held is served while it goes on', async () => {
    const { freshness, now, move } = fresh();
    const { question, asked, wait } = counted(now);
    await freshness.ensure(question);
    const { promise, resolve } = Promise.withResolvers<void>();
    wait(promise);
    move(2 * FRESH_MS);
    const behind = freshness.refreshRead();
    await freshness.ensure(question);
    expect(asked()).toBe(2);
    expect(freshness.activity.list()).toMatchObject([{ what: 'things a b' }]);
    resolve();
    await behind;
    expect(freshness.activity.list()).toEqual([]);
    expect(freshness.known()).toEqual([{ what: 'things a b', heldSince: now() }]);
    freshness.stop();
  });

  it('is counted apart: what a read waits for is its own', async () => {
    const behind = new AsyncLocalStorage<true>();
    const meter = new Meter(() => behind.getStore() === true);
    const { freshness, now, move } = fresh(undefined, {
      runBehind: (work) => behind.run(true, work),
    });
    let held: number | null = null;
    const question: Question = {
      key: 'things',
      heldSince: () => held,
      ask: async () => {
        meter.request(10);
        await Promise.resolve();
        meter.received(100);
        held = now();
      },
    };
    await freshness.ensure(question);
    expect(meter.usage().behind).toEqual({ requests: 0, bytes: 0 });
    move(FRESH_MS);
    await freshness.refreshRead();
    expect(meter.usage()).toEqual({
      requests: 2,
      bytes: 220,
      behind: { requests: 1, bytes: 110 },
    });
    freshness.stop();
  });

  it('rests when nobody reads, when requests are to be saved, and once it is stopped', async () => {
    let may = false;
    const { freshness, now, move } = fresh(() => may);
    const { question, asked } = counted(now);
    await freshness.ensure(question);
    move(FRESH_MS);
    await freshness.refreshRead();
    expect(asked()).toBe(1);
    may = true;
    move(300_000);
    await freshness.refreshRead();
    expect(asked()).toBe(1);
    await freshness.ensure(question);
    move(FRESH_MS);
    freshness.stop();
    await freshness.refreshRead();
    expect(asked()).toBe(2);
  });

  it('keeps a failure to itself: the read that comes after asks again', async () => {
    const { freshness, now, move } = fresh();
    const { question, asked, wait } = counted(now);
    await freshness.ensure(question);
    wait(Promise.reject(new ServiceFailure('server', 'Service answered 502')));
    move(FRESH_MS);
    await freshness.refreshRead();
    wait(Promise.resolve());
    await freshness.ensure(question);
    expect(asked()).toBe(3);
    freshness.stop();
  });
});
