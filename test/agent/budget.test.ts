/** What a turn and a day may cost: at a limit the turn stops between two steps, and says so. */
import { expect, test } from 'vitest';
import { createBudget } from '../../src/agent/budget.ts';
import { fileLedger } from '../../src/agent/ledger.ts';
import { calls, says } from '../stand-ins/model/index.ts';
import { temporaryDirectory } from '../world/harness.ts';
import { testAgent } from './support.ts';

const step = calls(['bash', { command: 'true' }]);

test('a day is shared by all processes of a state directory, and begins anew at midnight UTC', () => {
  const state = temporaryDirectory();
  let now = new Date('2026-11-21T23:59:59Z');
  const ledger = () => fileLedger(state, () => now);
  const budget = () => createBudget({ tokensPerDay: 100 }, ledger(), () => 0);
  const one = budget();
  one.spend({ inputTokens: 50, outputTokens: 10 });
  expect(one.exceeded()).toBeNull();
  const two = budget();
  two.spend({ inputTokens: 40 });
  expect(two.exceeded()).toContain('100 of the 100 tokens of this day are used');
  expect(one.exceeded()).not.toBeNull();
  now = new Date('2026-11-22T00:00:00Z');
  expect([one.exceeded(), ledger().today()]).toEqual([null, 0]);
});

test('a turn stops at the tokens of its day, or its requests to services, politely; usage.json has what it spent', async () => {
  const state = temporaryDirectory();
  const agent = await testAgent((_, index) => (index < 9 ? step : says('done')), {
    config: {},
    limits: { tokensPerDay: 45 },
    ledger: fileLedger(state),
  });
  const result = await agent.run('x');
  expect(result).toMatchObject({ status: 'budget', steps: 3 });
  expect(result.text).toContain('the next day (UTC) begins with a new budget');
  expect((await agent.run('y')).steps).toBe(0);
  const usage = JSON.parse((await agent.world.exec('cat /session/usage.json')).stdout);
  expect(usage).toMatchObject({
    tokens: { input: 30, output: 15 },
    models: { 'openai/scripted': { input: 30, output: 15 } },
    messages: { user: 2, tool: 3 },
  });
  let sent = 0;
  const asking = await testAgent((_, index) => (index < 9 ? step : says('done')), {
    limits: { requestsPerTurn: 4 },
    requests: () => sent++,
  });
  const asked = await asking.run('x');
  expect(asked.status).toBe('budget');
  expect(asked.text).toMatch(/this turn has sent \d of its 4 requests to services/);
});
