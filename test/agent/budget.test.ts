/** What turns, sessions, agents, principals and days may cost: nothing is sent that would break a limit. */
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import {
  Budget,
  BudgetExceeded,
  type BudgetPart,
  type BudgetSpent,
} from '../../src/agent/budget.ts';
import type { ModelFacts } from '../../src/agent/catalogue/facts.ts';
import { Ledger } from '../../src/agent/ledger.ts';
import type { BudgetLimits } from '../../src/agent/limits.ts';
import { calls, says } from '../stand-ins/model/index.ts';
import { temporaryDirectory } from '../world/harness.ts';
import { agentNamed, budgetFor, testAgent } from './support.ts';

const usage = { input: 3_000, output: 1_000 };
const step = { ...calls(['bash', { command: 'true' }]), usage };
const MODEL: ModelFacts = { output: 1_000, prices: { input: 1, output: 10 } };

interface Asked {
  agent?: string;
  principal?: string;
  session?: string;
  turn?: string;
  facts?: ModelFacts;
  part?: BudgetPart;
}

/** A budget over a ledger that tests share. */
const budgetOn = (ledger: Ledger, limits: BudgetLimits, asked: Asked = {}): Budget => {
  const { facts = MODEL, part = null, ...who } = asked;
  const sources = { limits, ledger, part, facts: async () => facts, requests: () => 0 };
  const account = { agent: 'a', principal: 'p', session: 's', turn: 't', ...who };
  return new Budget(sources, account);
};

test('a day is shared by all processes of a state directory, and begins anew at midnight UTC', async () => {
  const file = join(temporaryDirectory(), 'changes.sqlite');
  let now = new Date('2026-11-21T23:59:59Z');
  const budget = () => budgetOn(new Ledger(file, () => now), { tokensPerDay: 4_000 });
  const one = budget();
  const grant = await one.reserve('m', 2_000);
  await grant.settle({ inputTokens: 2_000, outputTokens: 500 });
  expect(one.exceeded()).toBeNull();
  const two = budget();
  await expect(two.reserve('m', 2_000)).rejects.toThrow(
    /this day has used 2500 of its 4000 tokens/,
  );
  await (await two.reserve('m', 500)).settle({ inputTokens: 1_000, outputTokens: 500 });
  expect(one.exceeded()).toContain('4000 of its 4000 tokens');
  now = new Date('2026-11-22T00:00:00Z');
  expect(one.exceeded()).toBeNull();
  expect(new Ledger(file, () => now).byDay(0)).toMatchObject([
    { day: '2026-11-21', tokens: 4_000 },
  ]);
});

test('what is begun side by side counts before it has ended: N at once do not pass a limit', async () => {
  const ledger = new Ledger(':memory:');
  const budget = budgetOn(ledger, { tokensPerDay: 10_000 });
  const begun = await Promise.allSettled(
    Array.from({ length: 20 }, () => budget.reserve('m', 1_500)),
  );
  const granted = begun.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : []));
  // 2,500 at most each.
  expect(granted).toHaveLength(4);
  expect(ledger.sum({ day: true })).toMatchObject({ tokens: 10_000, heldTokens: 10_000 });
  for (const grant of granted) await grant.settle({ inputTokens: 1_400, outputTokens: 100 });
  expect(ledger.sum({ day: true })).toMatchObject({ tokens: 6_000, heldTokens: 0 });
});

test('processes that begin at the same moment are held to one limit', async () => {
  const file = join(temporaryDirectory(), 'changes.sqlite');
  const module = (name: string) =>
    JSON.stringify(join(import.meta.dirname, '../../src/agent', name));
  const script = `
    import { Budget } from ${module('budget.ts')};
    import { Ledger } from ${module('ledger.ts')};
    const sources = { limits: { modelRequestsPerDay: 7 }, ledger: new Ledger(${JSON.stringify(file)}),
      facts: async () => ({}), requests: () => 0 };
    const budget = new Budget(sources, { agent: 'a', principal: 'p', session: 's', turn: 't' });
    process.stdin.once('data', async () => {
      let granted = 0;
      for (let i = 0; i < 5; i++) await budget.reserve('m', 10).then(() => granted++, () => undefined);
      console.log(granted);
      process.exit();
    });
    console.log('ready');
  `;
  const children = Array.from({ length: 3 }, () =>
    spawn(process.execPath, ['--input-type=module-typescript', '-e', script], {
      stdio: ['pipe', 'pipe', 'inherit'],
    }),
  );
  const lines = children.map((child) => child.stdout[Symbol.asyncIterator]());
  const next = async (index: number) => String((await lines[index]?.next())?.value).trim();
  expect(await Promise.all(children.map((_, index) => next(index)))).toEqual([
    'ready',
    'ready',
    'ready',
  ]);
  for (const child of children) child.stdin.write('go\n');
  const granted = await Promise.all(children.map((_, index) => next(index)));
  expect(granted.map(Number).reduce((a, b) => a + b)).toBe(7);
});

test('each agent and each principal has limits of its own, and * is whoever is not named', async () => {
  const ledger = new Ledger(':memory:');
  const limits: BudgetLimits = {
    agents: { reader: { modelRequestsPerDay: 1 } },
    principals: { anna: { tokensPerDay: 5_000 }, '*': { tokensPerDay: 2_500 } },
  };
  const ask = (who: Asked) => budgetOn(ledger, limits, who).reserve('m', 1_000);
  await ask({ agent: 'reader', principal: 'anna' });
  await expect(ask({ agent: 'reader', principal: 'anna' })).rejects.toThrow(
    /agent reader on this day has used 1 of its 1 requests to models/,
  );
  await ask({ principal: 'anna' });
  await expect(ask({ principal: 'anna' })).rejects.toThrow(
    /anna on this day has used 4000 of its 5000/,
  );
  await ask({ principal: 'ben' });
  await expect(ask({ principal: 'ben' })).rejects.toThrow(/ben on this day/);
  await ask({ principal: 'cleo' });
});

test('money is held by the catalogue’s prices; an answer is no longer than what is left pays for', async () => {
  const ledger = new Ledger(':memory:');
  const budget = budgetOn(ledger, { moneyPerSession: 0.02 });
  const first = await budget.reserve('m', 5_000);
  expect(first.outputTokens).toBe(1_000);
  await first.settle({ inputTokens: 5_000, outputTokens: 500, cachedInputTokens: 5_000 });
  expect(ledger.sum({ session: 's' }).micros).toBe(10_000);
  expect((await budget.reserve('m', 5_000)).outputTokens).toBe(500);
  await expect(budget.reserve('m', 1)).rejects.toThrow(
    /this session has used \$0\.0200 of its \$0\.0200/,
  );
  const unpriced = budgetOn(ledger, { moneyPerTurn: 1 }, { facts: {} });
  await expect(unpriced.reserve('x/y', 1)).rejects.toThrow(
    /the price of x\/y is not known.*models\.yaml/,
  );
});

test('a turn stops before the request that would break a limit, politely; what it spent is settled', async () => {
  const ledger = new Ledger(':memory:');
  const agent = await testAgent((_, index) => (index < 9 ? step : says('done')), {
    config: {},
    budget: budgetFor({ limits: { tokensPerDay: 20_000 }, ledger }),
    facts: async () => ({ output: 4_000 }),
  });
  const result = await agent.run('x');
  expect(result).toMatchObject({ status: 'budget' });
  expect(result.text).toContain('the next day (UTC) begins with a new budget');
  const { tokens, heldTokens, requests } = ledger.sum({ day: true });
  expect([tokens, heldTokens]).toEqual([agent.model.requests.length * 4_000, 0]);
  expect([requests, result.steps]).toEqual([
    agent.model.requests.length,
    agent.model.requests.length,
  ]);
  expect(tokens).toBeLessThanOrEqual(20_000);
  expect((agent.model.requests[0] as { max_tokens?: number }).max_tokens).toBe(4_000);
  const usageJson = JSON.parse((await agent.world.exec('cat /session/usage.json')).stdout);
  expect(usageJson.tokens).toEqual({
    input: 3_000 * requests,
    output: 1_000 * requests,
    cachedInput: 0,
    reasoning: 0,
  });
});

test('a turn stops at its requests to services', async () => {
  let sent = 0;
  const asking = await testAgent((_, index) => (index < 9 ? step : says('done')), {
    budget: budgetFor({ limits: { requestsPerTurn: 4 }, requests: () => sent++ }),
  });
  const asked = await asking.run('x');
  expect(asked.status).toBe('budget');
  expect(asked.text).toMatch(/this turn has sent \d of its 4 requests to services/);
});

test('a sub-agent spends what its turn may spend, on its own account', async () => {
  const ledger = new Ledger(':memory:');
  const agents = new Map([
    ['assistant', agentNamed('assistant')],
    ['reader', agentNamed('reader')],
  ]);
  const agent = await testAgent(
    ({ messages }) => {
      const results = messages.filter(({ role }) => role === 'tool').length;
      if (String(messages[0]?.content).includes('agent "reader"'))
        return { ...says('read'), usage };
      const delegate = calls(['delegate', { agent: 'reader', task: 'look' }]);
      return results === 0 ? { ...delegate, usage } : { ...says('done'), usage };
    },
    { view: { agents }, budget: budgetFor({ ledger }) },
  );
  expect((await agent.run('x')).status).toBe('done');
  expect(ledger.sum({ agent: 'reader' })).toMatchObject({ requests: 1, tokens: 4_000 });
  expect(ledger.sum({ agent: 'assistant', session: agent.session.id })).toMatchObject({
    requests: 2,
  });
});

test('a request that the server refuses costs nothing; of one that broke off the most that it could', async () => {
  const ledger = new Ledger(':memory:');
  const refused = await testAgent(() => ({ status: 400 }), {
    budget: budgetFor({ ledger }),
    maxRetries: 0,
  });
  expect((await refused.run('x')).status).toBe('error');
  expect(ledger.sum({})).toMatchObject({ requests: 0, tokens: 0 });
  const broken = await testAgent(() => ({ parts: [{ text: 'half' }, { cut: true }] }), {
    budget: budgetFor({ ledger }),
    facts: async () => ({ output: 2_000 }),
    maxRetries: 0,
  });
  expect((await broken.run('x')).status).toBe('error');
  expect(ledger.sum({}).tokens).toBeGreaterThan(2_000);
  expect(ledger.sum({}).heldTokens).toBe(0);
});

test('a budget of the deployment’s own is asked besides, told what came of it, and refuses where it fails', async () => {
  const ledger = new Ledger(':memory:');
  const spent: BudgetSpent[] = [];
  let left = 2;
  const part: BudgetPart = {
    reserve: ({ principal, money }) => {
      if (left === 0) return { refused: `${principal} has no credit for $${money}` };
      left -= 1;
      return { settle: (each) => void spent.push(each) };
    },
  };
  const budget = budgetOn(ledger, {}, { part });
  await (await budget.reserve('m', 1_000)).settle({ inputTokens: 900, outputTokens: 10 });
  await (await budget.reserve('m', 1_000)).release();
  await expect(budget.reserve('m', 1_000)).rejects.toThrow('p has no credit for $0.011');
  expect(spent).toEqual([
    { inputTokens: 900, outputTokens: 10, money: 0.001 },
    { inputTokens: 0, outputTokens: 0, money: 0 },
  ]);
  const throwing = { reserve: () => Promise.reject(new Error('down')) };
  const silly = { reserve: () => 7 as never };
  for (const each of [throwing, silly])
    await expect(budgetOn(ledger, {}, { part: each }).reserve('m', 1)).rejects.toThrow(
      BudgetExceeded,
    );
  // Nothing of what was refused is counted.
  expect(ledger.sum({})).toMatchObject({ requests: 1, tokens: 910 });
});
