/** Providers that are known by name: their keys are found, and their real packages used. */
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { chooseModel, defaultModelId, resolveModel } from '../../src/agent/models.ts';
import { ollamaAddress } from '../../src/agent/ollama.ts';
import { isMissing, KNOWN_PROVIDERS, knownModel } from '../../src/agent/providers.ts';
import { cli } from '../cli/run-cli.ts';
import { credential } from '../credentials/tokens.ts';
import { type ProviderStandIn, startProvider } from '../stand-ins/model/providers.ts';
import { temporaryDirectory } from '../world/harness.ts';

const KEY = credential('sk-', 'of_a_provider');
/** What Ollama tells of its models. */
const OLLAMA = {
  '/api/tags': { models: [{ name: 'qwen3:8b' }] },
  '/api/show': { capabilities: ['completion', 'tools'] },
};

let server: ProviderStandIn;
beforeEach(async () => {
  server = await startProvider(OLLAMA);
});
afterEach(() => server.close());

describe.each([
  ['anthropic', 'POST /v1/messages'],
  ['google', 'POST /v1beta/models/gemini-flash-latest:streamGenerateContent'],
  ['openrouter', 'POST /api/v1/chat/completions'],
])('%s', (name, request) => {
  const provider = KNOWN_PROVIDERS.find((each) => each.name === name);
  if (provider === undefined) throw new Error(`${name} is not known`);

  test('is the model of auto where its key is there, and a turn calls tools by its own API', async () => {
    const env = { [provider.key]: KEY, [provider.address]: server.url };
    expect(defaultModelId({ env })).toBe(`${name}/${provider.model}`);
    const state = { XDG_STATE_HOME: temporaryDirectory() };
    const ran = await cli(['run', '--json', 'say hi'], { env: { ...env, ...state } });
    expect([ran.stderr, ran.status]).toEqual(['', 0]);
    const report = JSON.parse(ran.stdout.toString());
    expect(report).toMatchObject({ status: 'done', text: 'It said hi.', steps: 2 });
    expect(server.requests).toEqual([`${request} ${KEY}`, `${request} ${KEY}`]);
    expect(ran.stdout.includes(KEY)).toBe(false);
  });

  test('without its key says which variable is missing', async () => {
    const { key, address } = provider;
    await expect(resolveModel(`${name}/m`, { env: {}, base: '/' })).rejects.toThrow(
      `${name}/m needs ${key}, or ${address} for a server of your own; builtin/extract needs neither`,
    );
    await expect(resolveModel(`${name}/m`, { env: { [key]: '' }, base: '/' })).rejects.toThrow(key);
  });

  test('without its package says what to install, and hides no other failure', async () => {
    const missing = Object.assign(new Error(`Cannot find package '${provider.package}'`), {
      code: 'ERR_MODULE_NOT_FOUND',
    });
    const create = () => Promise.reject(missing);
    const env = { [provider.key]: KEY };
    await expect(knownModel({ ...provider, create }, 'm', env)).rejects.toThrow(
      `npm install ${provider.package} beside dirigent`,
    );
    const inside = Object.assign(new Error("Cannot find package 'zod'"), { code: missing.code });
    expect(isMissing(inside, provider.package ?? '')).toBe(false);
  });
});

test('Ollama is used where it runs and no key is there, with a model that calls tools', async () => {
  const env = { OLLAMA_HOST: server.url, XDG_STATE_HOME: temporaryDirectory() };
  expect(await chooseModel({ env })).toBe('ollama/qwen3:8b');
  const ran = await cli(['run', '--json', 'say hi'], { env });
  expect(JSON.parse(ran.stdout.toString())).toMatchObject({ text: 'It said hi.', steps: 2 });
  expect(server.requests.at(-1)).toBe('POST /v1/chat/completions ollama');
  // A key, a name in the environment and a config go before it.
  const asked = server.requests.length;
  expect(await chooseModel({ env: { ...env, OPENAI_API_KEY: KEY } })).toBe('openai/gpt-5.1');
  const named = { ...env, DIRIGENT_MODEL: 'builtin/extract' };
  expect(await chooseModel({ env: named })).toBe('builtin/extract');
  expect(server.requests).toHaveLength(asked);
});

test('where Ollama has nothing that calls tools, or nobody answers, the built-in model runs', async () => {
  const other = await startProvider({ ...OLLAMA, '/api/show': { capabilities: ['embedding'] } });
  expect(await chooseModel({ env: { OLLAMA_HOST: other.url } })).toBe('builtin/extract');
  await other.close();
  expect(await chooseModel({ env: { OLLAMA_HOST: other.url } })).toBe('builtin/extract');
  const stranger = await startProvider({ '/api/tags': 'not Ollama' });
  expect(await chooseModel({ env: { OLLAMA_HOST: stranger.url } })).toBe('builtin/extract');
  await stranger.close();
});

test.each([
  ['', 'http://127.0.0.1:11434'],
  ['0.0.0.0', 'http://127.0.0.1:11434'],
  [':1234', 'http://127.0.0.1:1234'],
  ['box:1234', 'http://box:1234'],
  ['http://box', 'http://box'],
  ['https://box:1/ollama/', 'https://box:1/ollama'],
  ['[::1]:1234', 'http://[::1]:1234'],
])('OLLAMA_HOST=%s is called at %s', (given, address) => {
  expect(ollamaAddress({ OLLAMA_HOST: given })).toBe(address);
});

test('of several keys the first of the table is taken', () => {
  const env = Object.fromEntries(KNOWN_PROVIDERS.map(({ key }) => [key, KEY]));
  for (const { name, model, key } of KNOWN_PROVIDERS) {
    expect(defaultModelId({ env })).toBe(`${name}/${model}`);
    delete env[key];
  }
  expect(defaultModelId({ env })).toBe('builtin/extract');
});
