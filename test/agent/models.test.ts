/** Models by name: what is known, what is named by the deployment, and what is refused. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { defaultModelId, resolveModel } from '../../src/agent/models.ts';
import { temporaryDirectory } from '../world/harness.ts';
import { testAgent } from './support.ts';

test('H AI SDK 7: an address of a server gets the chat protocol, OpenAI itself the Responses API', async () => {
  const own = await resolveModel('openai/m', {
    env: { OPENAI_BASE_URL: 'http://127.0.0.1:1/v1' },
    base: '/',
  });
  expect(own).toMatchObject({ provider: 'openai.chat', modelId: 'm' });
  const openai = await resolveModel('openai/m', { env: { OPENAI_API_KEY: 'k' }, base: '/' });
  expect(openai).toMatchObject({ provider: 'openai.responses', modelId: 'm' });
});

test('a name may hold slashes, as on servers that serve many makers', async () => {
  const env = { OPENAI_BASE_URL: 'http://127.0.0.1:1/v1' };
  expect(await resolveModel('openai/qwen/qwen3', { env, base: '/' })).toMatchObject({
    modelId: 'qwen/qwen3',
  });
});

test('a deployment names a module of its own, and a turn runs on its model', async () => {
  const base = temporaryDirectory();
  writeFileSync(
    join(base, 'echo.mjs'),
    `const usage = { inputTokens: {}, outputTokens: {} };
     const finish = { type: 'finish', finishReason: { unified: 'stop' }, usage };
     export default (modelId) => ({
       specificationVersion: 'v4', provider: 'own', modelId, supportedUrls: {},
       doStream: async ({ prompt }) => ({ stream: ReadableStream.from([
         { type: 'text-start', id: '0' },
         { type: 'text-delta', id: '0', delta: modelId + ' heard ' + prompt.at(-1).content[0].text },
         { type: 'text-end', id: '0' }, finish]) }),
     });`,
  );
  const sources = { env: {}, base, providers: { own: './echo.mjs' } };
  const agent = await testAgent([], { model: (id) => resolveModel(id, sources) });
  expect((await agent.run('you', { model: 'own/parrot' })).text).toBe('parrot heard you');
});

test.each([
  [
    'gpt-5.1',
    'use PROVIDER/NAME with a provider of openai, anthropic, google, openrouter, ollama, broken, or builtin/extract',
  ],
  ['openai/m', 'needs OPENAI_API_KEY, or OPENAI_BASE_URL'],
  ['broken/m', 'is not installed in'],
])('%s is refused with what to do', async (id, text) => {
  const sources = { env: {}, base: '/', providers: { broken: 'no-such-package' } };
  await expect(resolveModel(id, sources)).rejects.toThrow(text);
});

test('without a key the default is what runs without one', () => {
  expect(defaultModelId({ env: {} })).toBe('builtin/extract');
  expect(defaultModelId({ env: { OPENAI_API_KEY: 'k' } })).toMatch(/^openai\//);
  expect(defaultModelId({ env: { OPENAI_API_KEY: 'k', DIRIGENT_MODEL: 'own/x' } })).toBe('own/x');
});
