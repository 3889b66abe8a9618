/** The world's tools in a loop of one's own, on the AI SDK. */
import { createOpenAI } from '@ai-sdk/openai';
import { generateText, isStepCount } from 'ai';
import { expect, test } from 'vitest';
import { calls, says } from '../stand-ins/model/index.ts';
import { testWorld } from '../world/harness.ts';
import { testModel } from './support.ts';

test('world.tools() work in generateText, with the session behind them', async () => {
  const world = testWorld();
  const stand = await testModel([
    calls(['write', { path: 'f', content: 'hello' }], ['bash', { command: 'cat nosuch' }]),
    says('done'),
  ]);
  const model = createOpenAI({ baseURL: stand.url, apiKey: 'none' }).chat('m');
  const tools = await world.tools();
  const { text } = await generateText({ model, tools, prompt: 'x', stopWhen: isStepCount(5) });
  expect(text).toBe('done');
  expect((await world.exec('cat f')).stdout).toBe('hello');
  const results = stand.requests[1]?.messages.filter(({ role }) => role === 'tool') ?? [];
  expect(results[1]?.content).toContain(
    '[failed]\n[stderr]\ncat: nosuch: No such file or directory',
  );
  expect(world.session.entries().filter((entry) => entry['name'] === 'turn/call')).toHaveLength(2);
});
