/** Which model is meant, how its server is reached, and what is known of it. */

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { temporaryDirectory } from '../../test/temporary-directory.ts';
import { openModels } from './catalogue/catalogue.ts';
import type { ModelCatalogue } from './catalogue/facts.ts';
import { chooseModel, defaultModelId, resolveModel } from './models.ts';
import { ollamaAddress, ollamaDefault, ollamaModels } from './ollama.ts';
import { probeModel } from './probe-model.ts';
import { isMissing, KNOWN_PROVIDERS, reach } from './providers.ts';

const NOWHERE = 'http://127.0.0.1:1';

/** A server that answers by path: a status, or a value as JSON. */
async function server(answers: (path: string, body: string) => unknown) {
  const asked: { path: string; headers: NodeJS.Dict<string | string[]> }[] = [];
  const http = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const path = request.url ?? '';
      asked.push({ path, headers: request.headers });
      const answer = answers(path, Buffer.concat(chunks).toString());
      if (answer === null) return;
      if (typeof answer === 'number')
        response.writeHead(answer, answer === 302 ? { location: '/x' } : {}).end();
      else response.end(typeof answer === 'string' ? answer : JSON.stringify(answer));
    });
  });
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    http.closeAllConnections();
    http.close();
  });
  return { url: `http://127.0.0.1:${(http.address() as AddressInfo).port}`, asked };
}

/** However busy the machine is, whoever answers is waited for; whoever does not, `late` ms. */
function waiting(late?: number) {
  const timeout = AbortSignal.timeout.bind(AbortSignal);
  const spy = vi.spyOn(AbortSignal, 'timeout');
  spy.mockImplementation((ms) => {
    expect(ms).toBe(500);
    return late === undefined ? new AbortController().signal : timeout(late);
  });
  onTestFinished(() => spy.mockRestore());
}

test.each([
  ['', 'http://127.0.0.1:11434'],
  ['0.0.0.0', 'http://127.0.0.1:11434'],
  ['0.0.0.0:80', 'http://127.0.0.1:80'],
  [' host ', 'http://host:11434'],
  ['host:1', 'http://host:1'],
  ['http://host', 'http://host'],
  ['https://host/', 'https://host'],
  ['https://host:8443/ollama/', 'https://host:8443/ollama'],
  ['host/ollama', 'http://host:11434/ollama'],
  ['[::1]', 'http://[::1]:11434'],
  ['[::]:5', 'http://127.0.0.1:5'],
])('OLLAMA_HOST %j is %s', (given, address) => {
  expect(ollamaAddress({ OLLAMA_HOST: given })).toBe(address);
});

describe('an Ollama', () => {
  const open = (tools: readonly string[], names = ['a', 'b']) =>
    server((path, body) =>
      path === '/api/tags'
        ? { models: names.map((name) => ({ name })) }
        : {
            capabilities: tools.includes(JSON.parse(body).model)
              ? ['completion', 'tools']
              : ['completion'],
          },
    );

  test('has models, of which the first that can call tools is that of auto', async () => {
    waiting();
    const { url, asked } = await open(['b']);
    const env = { OLLAMA_HOST: url };
    expect([await ollamaModels(env), await ollamaDefault(env)]).toEqual([['a', 'b'], 'b']);
    expect(asked.map(({ path }) => path)).toEqual([
      '/api/tags',
      '/api/tags',
      '/api/show',
      '/api/show',
    ]);
    expect(await chooseModel({ env })).toBe('ollama/b');
    expect(await chooseModel({ env: { ...env, DIRIGENT_MODEL: 'm/x' } })).toBe('m/x');
    expect(await chooseModel({ env: { ...env, OPENAI_API_KEY: 'k' } })).toBe('openai/gpt-5.1');
    expect(await chooseModel({ env: { ...env, DIRIGENT_MODEL: 'builtin/extract' } })).toBe(
      'builtin/extract',
    );
  });

  test('is asked of five of them at most, and need have none', async () => {
    waiting();
    const { url } = await open(['6'], ['1', '2', '3', '4', '5', '6']);
    expect(await ollamaDefault({ OLLAMA_HOST: url })).toBeNull();
    const five = await open(['5'], ['1', '2', '3', '4', '5', '6']);
    expect(await ollamaDefault({ OLLAMA_HOST: five.url })).toBe('5');
    expect(await chooseModel({ env: { OLLAMA_HOST: url } })).toBe('builtin/extract');
  });

  test('is none where nobody answers, or somebody else does', async () => {
    waiting();
    expect(await ollamaModels({ OLLAMA_HOST: NOWHERE })).toBeNull();
    for (const answer of [404, 302, '<html>', { models: 'x' }]) {
      const { url } = await server(() => answer);
      expect(await ollamaModels({ OLLAMA_HOST: url })).toBeNull();
      expect(await ollamaDefault({ OLLAMA_HOST: url })).toBeNull();
    }
  });

  test('that does not answer soon is none', async () => {
    waiting(5);
    const { url } = await server(() => null);
    expect(await ollamaModels({ OLLAMA_HOST: url })).toBeNull();
  });
});

test('auto is the first provider that there is a key for', () => {
  const keys = Object.fromEntries(KNOWN_PROVIDERS.map(({ key }) => [key, 'k']));
  const ids: string[] = [];
  for (const { key } of KNOWN_PROVIDERS) {
    ids.push(defaultModelId({ env: keys }));
    keys[key] = '';
  }
  expect(ids).toEqual([
    ...['openai/gpt-5.1', 'anthropic/claude-sonnet-5-5', 'google/gemini-flash-latest'],
    'openrouter/openrouter/auto',
  ]);
  expect(defaultModelId({ env: keys })).toBe('builtin/extract');
  expect(defaultModelId({ env: { ...keys, DIRIGENT_MODEL: '' } })).toBe('builtin/extract');
});

describe('a provider', () => {
  const [OPENAI] = KNOWN_PROVIDERS;
  test('is reached by its key, at its own address or another one; a server of one’s own needs none', () => {
    const provider = OPENAI ?? expect.fail();
    const by = (env: Record<string, string>) => reach(provider, 'm', env);
    expect(by({ OPENAI_API_KEY: 'k' })).toEqual({ apiKey: 'k' });
    expect(by({ OPENAI_API_KEY: 'k', OPENAI_BASE_URL: 'http://h' })).toEqual({
      apiKey: 'k',
      baseURL: 'http://h',
    });
    expect(by({ OPENAI_BASE_URL: 'http://h' })).toEqual({ apiKey: 'none', baseURL: 'http://h' });
    expect(() => by({ OPENAI_API_KEY: 'k', OPENAI_BASE_URL: '' })).toThrow(
      'OPENAI_BASE_URL is empty',
    );
    expect(() => by({})).toThrow('openai/m needs OPENAI_API_KEY, or OPENAI_BASE_URL');
  });

  test.each([
    ['openai', 'http://h//', 'http://h'],
    ['anthropic', 'http://h', 'http://h/v1'],
    ['anthropic', 'http://h/proxy/', 'http://h/proxy'],
    ['google', 'http://h/', 'http://h/v1beta'],
    ['openrouter', 'http://h', 'http://h/api/v1'],
    ['anthropic', 'no address', 'no address'],
  ])('%s at %s has its API at %s', (name, address, base) => {
    expect(KNOWN_PROVIDERS.find((each) => each.name === name)?.base(address)).toBe(base);
  });

  test('whose package is missing is told from one that lacks something itself', () => {
    const error = (code: string, message: string) => Object.assign(new Error(message), { code });
    const missing = "Cannot find package '@x/y' imported from z";
    expect(isMissing(error('ERR_MODULE_NOT_FOUND', missing), '@x/y')).toBe(true);
    expect(isMissing(error('ERR_MODULE_NOT_FOUND', missing), '@x/z')).toBe(false);
    expect(isMissing(error('ERR_OTHER', missing), '@x/y')).toBe(false);
    expect([isMissing(new Error(missing), '@x/y'), isMissing('x', '@x/y')]).toEqual([false, false]);
  });
});

describe('a model', () => {
  const base = mkdtempSync(join(tmpdir(), 'dirigent-test-'));
  afterAll(() => rmSync(base, { recursive: true }));
  const module = (name: string, text: string) => {
    writeFileSync(join(base, name), text);
    return `./${name}`;
  };
  const MODEL =
    "({ specificationVersion: 'v3', provider: 'p', modelId: name, doGenerate() {}, doStream() {} })";

  test('of a module is what its default, or an export of its name, makes', async () => {
    const providers = {
      one: module('one.mjs', `export default (name) => ${MODEL};`),
      two: module('two.mjs', `export const two = { languageModel: (name) => ${MODEL} };`),
    };
    const ids = await Promise.all(
      ['one/a/b', 'two/c'].map((id) => resolveModel(id, { env: {}, base, providers })),
    );
    expect(ids.map((model) => typeof model === 'object' && model.modelId)).toEqual(['a/b', 'c']);
  });

  test.each([
    ['nothing.mjs', 'export const x = 1;', 'should export a provider'],
    ['text.mjs', "export default () => 'gpt';", 'gave the text "gpt" instead of a model'],
    ['broken.mjs', 'export default', 'could not be loaded'],
  ])('of a module that is %s is refused', async (name, text, said) => {
    const providers = { own: module(name, text) };
    await expect(resolveModel('own/m', { env: {}, base, providers })).rejects.toThrow(said);
  });

  test('of nobody is refused, with who is known', async () => {
    const asked = resolveModel('other/m', { env: {}, base, providers: { own: './x.mjs' } });
    await expect(asked).rejects.toThrow(
      'a provider of openai, anthropic, google, openrouter, ollama, own, or builtin/extract',
    );
    await expect(resolveModel('noslash', { env: {}, base })).rejects.toThrow(
      '"noslash" is no model',
    );
    const extract = await resolveModel('builtin/extract', { env: {}, base });
    expect(typeof extract === 'object' && extract.provider).toBe('builtin');
  });

  test('of Ollama is spoken to by the chat protocol', async () => {
    const model = await resolveModel('ollama/m', { env: { OLLAMA_HOST: NOWHERE }, base });
    expect(typeof model === 'object' && [model.modelId, model.provider]).toEqual([
      'm',
      'openai.chat',
    ]);
  });
});

describe('whether a model can be reached', () => {
  const probe = (id: string, env: Record<string, string>, ms = 60_000) =>
    probeModel(id, env, { own: './x' }, ms);

  test.each([
    ['openai', '/models', { authorization: 'Bearer k' }],
    ['anthropic', '/v1/models', { 'x-api-key': 'k', 'anthropic-version': '2023-06-01' }],
    ['google', '/v1beta/models', { 'x-goog-api-key': 'k' }],
    ['openrouter', '/api/v1/key', { authorization: 'Bearer k' }],
  ])('is asked of %s by a list that only those with a key may see', async (name, path, headers) => {
    const { url, asked } = await server(() => ({}));
    const provider = KNOWN_PROVIDERS.find((each) => each.name === name) ?? expect.fail();
    const env = { [provider.address]: url, [provider.key]: 'k' };
    expect(await probe(`${name}/m`, env)).toEqual({
      ...{ id: `${name}/m`, host: new URL(url).host, key: provider.key, error: null },
    });
    expect(asked).toEqual([{ path, headers: expect.objectContaining(headers) }]);
  });

  test.each([
    [200, null],
    [404, null],
    [401, 'the key in OPENAI_API_KEY is refused (401)'],
    [403, 'the key in OPENAI_API_KEY is refused (403)'],
    [429, 'it takes no requests now (429)'],
    [499, null],
    [500, 'it answers 500'],
    [302, 'nobody answers'],
  ])('a status of %s is: %s', async (status, error) => {
    const { url } = await server(() => status);
    expect((await probe('openai/m', { OPENAI_BASE_URL: url, OPENAI_API_KEY: 'k' })).error).toBe(
      error,
    );
  });

  test('is told of those that answer late, or not at all, or have no address', async () => {
    const { url } = await server(() => null);
    expect((await probe('openai/m', { OPENAI_BASE_URL: url }, 20)).error).toBe(
      'no answer in 0.02 s',
    );
    expect(await probe('openai/m', { OPENAI_BASE_URL: NOWHERE })).toMatchObject({
      error: 'nobody answers',
      key: null,
    });
    expect((await probe('openai/m', { OPENAI_BASE_URL: 'nowhere' })).error).toBe(
      'OPENAI_BASE_URL is no address',
    );
    expect((await probe('openai/m', {})).error).toContain('needs OPENAI_API_KEY');
    expect((await probe('other/m', {})).error).toBe('there is no such provider here');
    for (const id of ['builtin/extract', 'own/m'])
      expect(await probe(id, {})).toEqual({ id, host: null, key: null, error: null });
  });

  test('is told of Ollama by the models that it has', async () => {
    waiting();
    const { url } = await server(() => ({ models: [{ name: 'a:latest' }, { name: 'b:7b' }] }));
    const env = { OLLAMA_HOST: url };
    const errors = await Promise.all(
      ['a', 'a:latest', 'b:7b', 'b'].map(async (id) => (await probe(`ollama/${id}`, env)).error),
    );
    expect(errors).toEqual([null, null, null, 'Ollama has no model b']);
    expect(await probe('ollama/a', { OLLAMA_HOST: NOWHERE })).toMatchObject({
      ...{ host: '127.0.0.1:1', error: 'no Ollama answers there' },
    });
  });
});

describe('what is known of models', () => {
  const file = (text: string) => {
    const directory = temporaryDirectory();
    writeFileSync(join(directory, 'models.yaml'), text);
    return join(directory, 'models.yaml');
  };

  test('is the table of the package, by the name or the longest beginning of it', async () => {
    const { facts, names } = openModels(null, null);
    expect(names).toContain('openai/gpt-5.1');
    const abilities = ['tools', 'images', 'documents', 'reasoning'];
    expect(await facts('anthropic/claude-x')).toEqual({
      window: 200_000,
      output: 64_000,
      abilities,
    });
    expect(await facts('anthropic/claude-haiku-4-5-x')).toMatchObject({
      prices: { input: 1, output: 5, cached: 0.1 },
    });
    expect(await facts('openai/gpt-5')).toEqual({
      ...{ window: 272_000, output: 128_000, abilities },
      prices: { input: 1.25, output: 10, cached: 0.125 },
    });
    expect(await facts('google/gemini-y')).toMatchObject({
      window: 1_048_576,
      output: 65_536,
      abilities,
    });
    expect(await facts('builtin/extract')).toEqual({
      abilities: ['tools'],
      prices: { input: 0, output: 0 },
    });
    expect([await facts('other/x'), await facts('constructor')]).toEqual([{}, {}]);
  });

  test('is what models.yaml says, field by field, before it', async () => {
    const own = file('openai/gpt-5: {window: 5}\nanthropic/*: {output: 7}\nx/y: {abilities: []}\n');
    const { facts, names } = openModels(own, null);
    expect(await facts('openai/gpt-5')).toMatchObject({ window: 5, output: 128_000 });
    expect(await facts('anthropic/claude-x')).toMatchObject({ window: 200_000, output: 7 });
    expect(names.slice(0, 1)).toEqual(['anthropic/*']);
    expect(openModels('/none/models.yaml', null).names).not.toContain('x/y');
    expect(openModels(file(''), null).names).not.toContain('x/y');
  });

  test.each([
    ['a: {window: 1}', 'must be PROVIDER/NAME'],
    ['a/b: {window: 0}', 'a/b.window'],
    ['a/b: {output: 1.5}', 'a/b.output'],
    ['a/b: {abilities: [fly]}', 'a/b.abilities'],
    ['a/b: {prices: {input: -1, output: 0}}', 'a/b.prices.input'],
    ['a/b: {prices: {input: 1}}', 'a/b.prices.output'],
    ['a/b: {more: 1}', 'more'],
    ['a/b: [', ''],
  ])('a models.yaml that says %s is refused', (text, said) => {
    expect(() => openModels(file(text), null)).toThrow(said);
  });

  test('is a catalogue of the deployment’s in place of the table', async () => {
    const part: ModelCatalogue = { model: async (id) => (id === 'a/b' ? { window: 9 } : null) };
    const { facts, names } = openModels(file('a/b: {output: 3}'), part);
    expect([await facts('a/b'), await facts('openai/gpt-5'), names]).toEqual([
      { window: 9, output: 3 },
      {},
      ['a/b'],
    ]);
    const wrong = openModels(null, { model: () => ({ window: 'x' }) as never });
    await expect(wrong.facts('a/b')).rejects.toThrow(
      'parts.models: the catalogue says nothing usable of a/b',
    );
    const failing = openModels(null, { model: () => Promise.reject(new Error('no line')) });
    await expect(failing.facts('a/b')).rejects.toThrow('no line');
  });
});
