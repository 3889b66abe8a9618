/** What is granted to a request within the limits of turns, sessions and days. */
import { expect, onTestFinished, test } from 'vitest';
import { type Account, Ledger } from './ledger.ts';
import {
  type BudgetLimits,
  type Estimate,
  hold,
  limitsAnswers,
  microsOf,
  usedUpNow,
} from './limits.ts';

const ACCOUNT: Account = { agent: 'reader', principal: 'ana', session: 's1', turn: 't1' };

function open() {
  const clock = { now: Date.UTC(2026, 0, 1, 12) };
  const ledger = new Ledger(':memory:', () => new Date(clock.now));
  onTestFinished(() => ledger.close());
  /** Notes a request that has ended. */
  const spend = (tokens: number, usd = 0, account: Partial<Account> = {}): void => {
    const id = ledger.hold({ ...ACCOUNT, ...account }, 'm', { tokens: 0, micros: 0 });
    ledger.settle(id, { tokens, micros: microsOf(usd) });
  };
  const ask = (limits: BudgetLimits, estimate: Partial<Estimate> = {}) =>
    hold(ledger, limits, ACCOUNT, {
      model: 'm',
      inputTokens: 100,
      outputTokens: 1_000,
      prices: null,
      ...estimate,
    });
  return { ledger, clock, spend, ask };
}

const granted = (outputTokens: number) => ({
  id: expect.any(Number) as number,
  outputTokens,
});

const refused = (part: string) => ({ refused: expect.stringContaining(part) as string });

test('without a limit all is granted, and counted', () => {
  const { ledger, ask } = open();
  expect(ask({})).toEqual(granted(1_000));
  expect(ledger.sum({})).toMatchObject({ requests: 1, tokens: 1_100, heldTokens: 1_100 });
  const prices = { input: 0.001, output: 0.002 };
  expect(ask({}, { prices })).toEqual(granted(1_000));
  expect(ledger.sum({}).micros).toBe(100 * 1_000 + 1_000 * 2_000);
});

test('an answer is as long as the closest limit leaves room for, and refused where that is of no use', () => {
  const { spend, ask } = open();
  spend(1_000);
  const limits = (tokensPerTurn: number): BudgetLimits => ({ tokensPerTurn, tokensPerDay: 9_999 });
  expect(ask(limits(1_000 + 100 + 255))).toEqual(
    refused('I stop here: this turn has used 1000 of its 1355 tokens, and the next request'),
  );
  expect(ask(limits(1_000 + 100 + 255), { outputTokens: 255 })).toEqual(granted(255));
  // What was granted is held against the next request.
  expect(ask(limits(1_000 + 355 + 100 + 256))).toEqual(granted(256));
  expect(ask(limits(2_000))).toEqual(
    refused('used 1711 of its 2000 tokens (711 of them held for requests that run now)'),
  );
});

test('money is limited by what models cost; where that is not known nothing is granted', () => {
  const { spend, ask } = open();
  spend(0, 1);
  const limits: BudgetLimits = { moneyPerSession: 1.5 };
  expect(ask(limits)).toEqual(refused('the price of m is not known: give it in models.yaml'));
  expect(ask(limits, { prices: { input: 0.001, output: 0.001 } })).toEqual(granted(400));
  const { spend: spendMore, ask: askMore } = open();
  spendMore(0, 1);
  const free = { input: 0.001, output: 0 };
  expect(askMore(limits, { prices: free })).toEqual(granted(1_000));
  expect(askMore(limits, { prices: { input: 0.005, output: 0 } })).toEqual(
    refused('this session has used $1.10 of its $1.50, and'),
  );
  expect(askMore({ moneyPerTurn: 0.05 }, { prices: free })).toEqual(refused('of its $0.0500,'));
  expect(askMore({ moneyPerTurn: 0.1 }, { prices: { input: 1, output: 0 } })).toEqual(
    refused('of its $0.10,'),
  );
});

test('requests are counted by the day, one granted for each that is left', () => {
  const { spend, ask } = open();
  spend(1);
  expect(ask({ modelRequestsPerDay: 2 })).toEqual(granted(1_000));
  expect(ask({ modelRequestsPerDay: 2 })).toEqual(
    refused('this day has used 2 of its 2 requests to models, and'),
  );
});

test('each limit counts its own: the turn, the session, the day, the agent, and who asked', () => {
  const { spend, ask, clock } = open();
  const full = { tokensPerDay: 1_000 };
  const none = { tokensPerDay: 0 };
  spend(900);
  const refusals: [BudgetLimits, string][] = [
    [{ tokensPerTurn: 1_000 }, 'this turn has used 900 of its 1000 tokens'],
    [{ tokensPerSession: 1_000 }, 'this session has used 900'],
    [full, 'this day has used 900'],
    [{ agents: { reader: full, '*': none } }, 'agent reader on this day has used 900'],
    [{ agents: { other: none, '*': full } }, 'agent reader on this day has used 900'],
    [{ principals: { ana: full } }, 'ana on this day has used 900'],
  ];
  for (const [limits, sentence] of refusals) expect(ask(limits)).toEqual(refused(sentence));
  expect(ask({ tokensPerTurn: 0 })).toEqual(refused('say "go on" to continue in a new turn.'));
  expect(ask({ tokensPerSession: 0 })).toEqual(refused('a new session begins with a new budget.'));
  expect(ask(none)).toEqual(refused('the next day (UTC) begins with a new budget.'));
  expect(ask({ agents: { other: none }, principals: { bob: none } })).toEqual(granted(1_000));
  // Nobody is called like a method of objects.
  expect(ask({ agents: { '*': none } })).toEqual(refused('agent reader'));
  clock.now += 24 * 60 * 60 * 1000;
  expect(ask(full)).toEqual(granted(900));
  expect(ask({ tokensPerTurn: 1_000 })).toEqual(refused('this turn'));
});

test('what others spend counts against no limit of this turn, session, agent or principal', () => {
  const { spend, ask } = open();
  spend(900, 0, { turn: 't2', session: 's2', agent: 'writer', principal: 'bob' });
  const full = { tokensPerDay: 1_100 };
  expect(ask({ tokensPerTurn: 1_100, tokensPerSession: 1_100 })).toEqual(granted(1_000));
  const { spend: spendMore, ask: askMore } = open();
  spendMore(900, 0, { turn: 't2', session: 's2', agent: 'writer', principal: 'bob' });
  expect(askMore({ agents: { '*': full }, principals: { '*': full } })).toEqual(granted(1_000));
});

test('what is used up already is told before anything is sent; while anything is left, nothing is', () => {
  const { ledger, spend } = open();
  const now = (limits: BudgetLimits) => usedUpNow(ledger, limits, ACCOUNT);
  spend(900, 0.5);
  expect(now({ tokensPerTurn: 901, moneyPerTurn: 0.51, modelRequestsPerDay: 2 })).toBeNull();
  expect(now({ tokensPerTurn: 900 })).toContain('this turn has used 900 of its 900 tokens');
  expect(now({ moneyPerSession: 0.5 })).toContain('used $0.50 of its $0.50,');
  expect(now({ modelRequestsPerDay: 1 })).toContain('used 1 of its 1 requests to models');
});

test('an answer is limited where tokens or money are, not where requests alone are', () => {
  expect(limitsAnswers({}, ACCOUNT)).toBe(false);
  expect(limitsAnswers({ modelRequestsPerDay: 1, requestsPerTurn: 1 }, ACCOUNT)).toBe(false);
  expect(limitsAnswers({ moneyPerDay: 1 }, ACCOUNT)).toBe(true);
  expect(limitsAnswers({ principals: { '*': { tokensPerDay: 1 } } }, ACCOUNT)).toBe(true);
});
