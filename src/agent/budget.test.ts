/** What a turn may spend, and what a budget of the deployment's own has to say to it. */
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import {
  Budget,
  BudgetExceeded,
  type BudgetPart,
  type BudgetRequest,
  type BudgetSpent,
} from './budget.ts';
import { costOf, type ModelFacts } from './catalogue/facts.ts';
import { type Account, Ledger } from './ledger.ts';
import type { BudgetLimits } from './limits.ts';

const ACCOUNT: Account = { agent: 'a', principal: 'p', session: 's', turn: 't' };
const PRICED: ModelFacts = { output: 1_000, prices: { input: 2, output: 10, cached: 1 } };

interface Given {
  limits?: BudgetLimits;
  facts?: ModelFacts;
  part?: BudgetPart | null;
}

function open({ limits = {}, facts = PRICED, part = null }: Given = {}) {
  const sent = { count: 10 };
  const ledger = new Ledger(':memory:', () => new Date('2026-01-02T03:00:00Z'));
  onTestFinished(() => ledger.close());
  const sources = { limits, ledger, part, facts: async () => facts, requests: () => sent.count };
  return { budget: new Budget(sources, ACCOUNT), ledger, sent };
}

describe('requests to services', () => {
  test('are those of the turn, and the last that is allowed is its end', () => {
    const { budget, sent } = open({ limits: { requestsPerTurn: 3 } });
    sent.count += 2;
    expect(budget.exceeded()).toBeNull();
    sent.count += 1;
    expect(budget.exceeded()).toContain('this turn has sent 3 of its 3 requests to services');
    expect(open().budget.exceeded()).toBeNull();
  });
});

describe('a request to a model', () => {
  test('is held with the most that it may come to, and settled with what it did', async () => {
    const { budget, ledger } = open();
    const grant = await budget.reserve('m', 100);
    expect(ledger.sum({})).toEqual({
      ...{ requests: 1, tokens: 1_100, heldTokens: 1_100, micros: 100 * 2 + 1_000 * 10 },
    });
    await grant.settle({ inputTokens: 90, outputTokens: 20, cachedInputTokens: 50 });
    expect(ledger.sum(ACCOUNT)).toEqual({
      ...{ requests: 1, tokens: 110, heldTokens: 0, micros: 40 * 2 + 50 * 1 + 20 * 10 },
    });
  });

  test('of which nobody knows what it came to came to the most; one that was refused to nothing', async () => {
    const { budget, ledger } = open();
    await (await budget.reserve('m', 100)).settle(null);
    expect(ledger.sum({})).toMatchObject({ tokens: 1_100, heldTokens: 0, micros: 10_200 });
    await (await budget.reserve('m', 100)).release();
    expect(ledger.sum({}).requests).toBe(1);
  });

  test.each([
    [{}, 16_384],
    [{ output: 100 }, 100],
    [{ output: 32_768 }, 32_768],
    [{ output: 100_000 }, 32_768],
  ])('of a model of which is known %j has an answer of %j tokens at most', async (facts, most) => {
    const { budget } = open({ facts, limits: { tokensPerDay: 1_000_000 } });
    expect((await budget.reserve('m', 1)).outputTokens).toBe(most);
    // Where nothing is limited it is as long as it likes.
    expect(await open({ facts }).budget.reserve('m', 1)).not.toHaveProperty('outputTokens');
  });

  test('goes on the account of whichever agent of the turn sends it', async () => {
    const { budget, ledger } = open({ facts: {} });
    await budget.of('reader').reserve('m', 1);
    expect(budget.of('reader').account).toEqual({ ...ACCOUNT, agent: 'reader' });
    expect([ledger.sum({ agent: 'reader' }), ledger.sum({ agent: 'a' })]).toMatchObject([
      { requests: 1, micros: 0 },
      { requests: 0 },
    ]);
  });
});

describe('a budget of the deployment’s own', () => {
  const asking = (answer: unknown) => {
    const asked: BudgetRequest[] = [];
    const reserve = async (request: BudgetRequest) => {
      asked.push(request);
      return answer;
    };
    return { asked, part: { reserve } as unknown as BudgetPart };
  };

  test('is asked with the most, and told once it has ended what it came to', async () => {
    const told: BudgetSpent[] = [];
    const settle = (spent: BudgetSpent) => void told.push(spent);
    const { asked, part } = asking({ settle });
    const { budget } = open({ part });
    const most = { inputTokens: 100, outputTokens: 1_000 };
    await (await budget.reserve('m', 100)).settle({ inputTokens: 10, outputTokens: 2 });
    await (await budget.reserve('m', 100)).settle(null);
    await (await budget.reserve('m', 100)).release();
    expect(asked[0]).toEqual({ ...ACCOUNT, model: 'm', ...most, money: 0.0102 });
    expect(told).toEqual([
      { inputTokens: 10, outputTokens: 2, money: 0.00004 },
      { ...most, money: 0.0102 },
      { inputTokens: 0, outputTokens: 0, money: 0 },
    ]);
    const unpriced = open({ part, facts: {} }).budget;
    await (await unpriced.reserve('m', 100)).settle({ inputTokens: 10, outputTokens: 2 });
    expect([asked.at(-1)?.money, told.at(-1)?.money]).toEqual([null, null]);
  });

  test.each([
    [{ refused: 'Not today.' }, 'Not today.'],
    [{ refused: 1 }, 'neither { refused } nor { settle }'],
    [{ settle: true }, 'neither { refused } nor { settle }'],
    [{}, 'neither { refused } nor { settle }'],
    [null, 'neither { refused } nor { settle }'],
    [undefined, 'neither { refused } nor { settle }'],
    ['yes', 'neither { refused } nor { settle }'],
  ])('that answers %j refuses, and nothing stays held', async (answer, said) => {
    const { budget, ledger } = open({ part: asking(answer).part });
    const refused = await budget.reserve('m', 1).catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(BudgetExceeded);
    expect(String(refused)).toContain(said);
    expect(ledger.sum({}).requests).toBe(0);
  });

  test('that cannot be asked refuses, and says why', async () => {
    for (const failure of [new Error('no line'), 'no line']) {
      const part: BudgetPart = { reserve: () => Promise.reject(failure) };
      await expect(open({ part }).budget.reserve('m', 1)).rejects.toThrow(
        'the budget could not be asked, which refuses: no line.',
      );
    }
  });

  test('has five seconds to answer', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
    const outcomes: unknown[] = [];
    const part: BudgetPart = { reserve: () => new Promise(() => undefined) };
    const asked = open({ part })
      .budget.reserve('m', 1)
      .catch((error: unknown) => outcomes.push(error));
    await vi.advanceTimersByTimeAsync(4_999);
    expect(outcomes).toEqual([]);
    await vi.advanceTimersByTimeAsync(1);
    await asked;
    expect(outcomes).toEqual([expect.any(BudgetExceeded)]);
  });
});

test.each([
  [{ inputTokens: 1_000_000 }, 2],
  [{ outputTokens: 1_000_000 }, 10],
  [{ inputTokens: 1_000_000, cachedInputTokens: 400_000 }, 1.6],
  // More cannot come from the cache than was sent.
  [{ inputTokens: 100, cachedInputTokens: 1_000_000 }, 0.0001],
  [{}, 0],
])('%j cost %j USD', (spent, money) => {
  expect(costOf(PRICED.prices, spent)).toBeCloseTo(money, 10);
  expect(costOf(undefined, spent)).toBeNull();
});

test('what is in the cache costs what all costs, where nothing else is said', () => {
  expect(costOf({ input: 2, output: 0 }, { inputTokens: 100, cachedInputTokens: 50 })).toBe(0.0002);
});

test('days are summed from a day on, and requests that run count', () => {
  const clock = { now: Date.parse('2026-01-01T23:59:59Z') };
  const ledger = new Ledger(':memory:', () => new Date(clock.now));
  onTestFinished(() => ledger.close());
  for (const day of [1, 2, 3]) {
    ledger.settle(ledger.hold(ACCOUNT, 'm', { tokens: 9, micros: 9 }), {
      ...{ tokens: day, micros: day * 500_000 },
    });
    ledger.hold(ACCOUNT, 'm', { tokens: 10, micros: 0 });
    clock.now += 24 * 60 * 60 * 1_000;
  }
  expect(ledger.byDay(Date.parse('2026-01-02T12:00:00Z'))).toEqual([
    { day: '2026-01-02', tokens: 12, money: 1 },
    { day: '2026-01-03', tokens: 13, money: 1.5 },
  ]);
  expect(ledger.sum({ day: true })).toEqual({ requests: 0, tokens: 0, micros: 0, heldTokens: 0 });
  ledger.close();
});
