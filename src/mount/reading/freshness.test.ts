import { describe, expect, it } from 'vitest';
import { ServiceFailure } from '../client/failure.ts';
import { Patience } from '../client/patience.ts';
import { Freshness } from './freshness.ts';
import type { Question } from './question.ts';

const HOUR = 3_600_000;

function setup(freshMs: number) {
  const state = {
    time: 1_000_000,
    held: null as number | null,
    asked: 0,
    fails: null as Error | null,
  };
  const notices: string[] = [];
  const freshness = new Freshness({
    freshMs,
    now: () => new Date(state.time),
    onNotice: (text) => notices.push(text),
  });
  const question = {
    key: 'q',
    heldSince: () => state.held,
    ask: async () => {
      state.asked++;
      await Promise.resolve();
      if (state.fails !== null) throw state.fails;
      state.held = state.time;
    },
  };
  return { state, notices, freshness, question };
}

describe('freshness', () => {
  it('asks once for everybody who asks at the same time', async () => {
    const { state, freshness, question } = setup(10_000);
    await Promise.all(Array.from({ length: 20 }, () => freshness.ensure(question)));
    expect(state.asked).toBe(1);
    state.time += 9_999;
    await freshness.ensure(question, 'list');
    expect(state.asked).toBe(1);
    state.time += 1;
    await freshness.ensure(question, 'list');
    expect(state.asked).toBe(2);
  });

  it('counts what a prefetch covered as fresh for the walk that follows', async () => {
    const { state, freshness, question } = setup(0);
    await freshness.ensure(question, 'prefetch');
    state.time += 1_500;
    await freshness.ensure(question, 'list');
    await freshness.ensure(question, 'cover');
    expect(state.asked).toBe(1);
    state.time += 600;
    await freshness.ensure(question, 'list');
    expect(state.asked).toBe(2);
  });

  it('serves what is held when asking fails, says so each time, and does not ask for each file', async () => {
    const { state, notices, freshness, question } = setup(1_000);
    await freshness.ensure(question);
    state.time += 60_000;
    state.fails = new ServiceFailure('server', 'Thing answered 502');
    for (let i = 0; i < 5; i++) await freshness.ensure(question);
    expect(state.asked).toBe(2);
    expect(notices).toHaveLength(5);
    expect(new Set(notices)).toEqual(
      new Set(['showing data from 00:16:40 UTC: Thing answered 502']),
    );
  });

  it('fails when nothing is held, and when the service says that it is gone', async () => {
    const { state, freshness, question } = setup(0);
    state.fails = new ServiceFailure('network', 'no line');
    await expect(freshness.ensure(question)).rejects.toBe(state.fails);
    state.held = 1;
    state.fails = new ServiceFailure('missing', 'gone');
    await expect(freshness.ensure(question)).rejects.toBe(state.fails);
  });

  it('does not take a bug for an outage', async () => {
    const { state, freshness, question } = setup(0);
    state.held = 1;
    state.fails = new TypeError('a bug');
    await expect(freshness.ensure(question)).rejects.toBe(state.fails);
  });
});

describe('an operation that is given up after a time', () => {
  function slow(held: number | null, patience: Patience) {
    const notices: string[] = [];
    let end = (): void => undefined;
    let asked = 0;
    const answered = new Promise<void>((resolve) => {
      end = resolve;
    });
    let since = held;
    const begun = {
      ...{ what: 'things', owner: null, beganAt: 0, touchedAt: 0, cursor: '4' },
      ...{ records: 300, pages: 3, total: null },
    };
    const question: Question = {
      key: 'things',
      heldSince: () => since,
      ask: async () => {
        asked += 1;
        await answered;
        since = Date.now();
      },
    };
    const freshness = new Freshness({
      freshMs: 10,
      now: () => new Date(),
      onNotice: (text) => notices.push(text),
      patience,
      underWay: () => [begun],
    });
    return { freshness, question, notices, end, asked: () => asked };
  }

  it('is refused before, and the question goes on behind it, asked once', async () => {
    const patience = new Patience();
    const { freshness, question, end, asked } = slow(null, patience);
    const ensure = () => patience.within(100, () => freshness.ensure(question));
    await expect(ensure()).rejects.toThrow(
      'things: being listed, 300 records so far, 3 pages; that',
    );
    await expect(ensure()).rejects.toMatchObject({ kind: 'unfinished' });
    const last = ensure();
    end();
    await last;
    expect(asked()).toBe(1);
  });

  it('makes do with what is held, and does not wait for it again', async () => {
    const patience = new Patience();
    const { freshness, question, notices, end, asked } = slow(Date.now() - HOUR, patience);
    const ensure = () => patience.within(100, () => freshness.ensure(question));
    await ensure();
    expect(notices).toHaveLength(1);
    expect(notices[0]).toMatch(/^showing data from .* goes on behind this answer/);
    // What is held is served at once while it goes on.
    await freshness.ensure(question);
    expect(asked()).toBe(1);
    end();
  });
});
