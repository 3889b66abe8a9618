/** Parts of the agent, each with the example's implementation in the place of the house's. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { createWorld, type WorldConfig } from '../../entry/index.ts';
import { openModels } from '../../src/agent/catalogue/catalogue.ts';
import { loadPart } from '../../src/parts/load.ts';
import { calls, says } from '../stand-ins/model/index.ts';
import { temporaryDirectory } from '../world/harness.ts';
import { agentWith, service } from './support.ts';

const usage = { input: 900, output: 100 };

test('an exporter of the deployment’s own gets the spans of a turn, as a tree, without texts', async () => {
  const zipkin = await service(() => ({}));
  const { agent } = await agentWith(
    (_, index) => (index === 0 ? calls(['bash', { command: 'echo secret-word' }]) : says('done')),
    { parts: { telemetry: { module: './telemetry.ts', options: { url: zipkin.url } } } },
  );
  await agent.run({ prompt: 'secret-prompt' });
  await agent.close();
  const spans = zipkin.received.flatMap(
    ({ body }) => body as { id: string; parentId?: string; name: string; traceId: string }[],
  );
  const childrenOf = (id?: string): unknown[] =>
    spans
      .filter(({ parentId }) => parentId === id)
      .map(({ name, id }) => [name, ...childrenOf(id)]);
  expect(childrenOf()).toEqual([
    [
      'invoke_agent assistant',
      ['step 1', ['chat scripted'], ['execute_tool bash']],
      ['step 2', ['chat scripted']],
    ].map((each) => each),
  ]);
  expect(new Set(spans.map(({ traceId }) => traceId)).size).toBe(1);
  expect(spans.every(({ id, traceId }) => /^[0-9a-f]{16}$/.test(id) && traceId.length === 32)).toBe(
    true,
  );
  expect(JSON.stringify(spans)).not.toContain('secret');
});

test('an exporter that refuses is told of once, and the turn stands', async () => {
  const down = await service((_, response) => {
    response.statusCode = 503;
    return {};
  });
  const { agent, notices } = await agentWith(() => says('done'), {
    parts: { telemetry: { module: './telemetry.ts', options: { url: down.url } } },
  });
  expect((await agent.run({ prompt: 'x' })).status).toBe('done');
  expect((await agent.run({ prompt: 'y' })).status).toBe('done');
  await agent.close();
  expect(notices).toEqual([expect.stringContaining('Zipkin answered 503')]);
});

test('a budget that a service keeps is asked before each request, told what it came to, and stops the turn', async () => {
  let left = 2;
  const quota = await service(({ path }) => {
    if (path === '/settle') return {};
    return left-- > 0 ? { reservation: `r${left}` } : { refused: 'the team has no credit left' };
  });
  const { agent, world } = await agentWith(
    () => ({ ...calls(['bash', { command: 'true' }]), usage }),
    {
      parts: {
        budget: { module: './budget.ts', options: { url: quota.url }, env: ['QUOTA_TOKEN'] },
      },
    },
    { env: { QUOTA_TOKEN: 'quota-token-of-the-test' } },
  );
  const result = await agent.run({ prompt: 'x' });
  expect(result).toMatchObject({ status: 'budget', steps: 2, text: 'the team has no credit left' });
  const told = quota.received.map(({ path, body }) => [path, body]);
  expect(told.map(([path]) => path)).toEqual([
    '/reserve',
    '/settle',
    '/reserve',
    '/settle',
    '/reserve',
  ]);
  expect(told[0]?.[1]).toMatchObject({
    agent: 'assistant',
    principal: 'user',
    session: world.session.id,
    model: 'openai/scripted',
    outputTokens: 16_384,
    money: null,
  });
  expect(told[1]?.[1]).toEqual({
    reservation: 'r1',
    inputTokens: 900,
    outputTokens: 100,
    money: null,
  });
  expect(
    quota.received.every(
      ({ headers }) => headers.authorization === 'Bearer quota-token-of-the-test',
    ),
  ).toBe(true);
  expect((await world.exec('env; cat /session/log.jsonl')).stdout).not.toContain('quota-token');
});

test('a compaction of the deployment’s own says what is told of the past, and what stays', async () => {
  const long = says(`noted ${'word '.repeat(8_000)}`);
  const { agent, world, model } = await agentWith(() => long, {
    agent: { contextWindow: 45_000 },
    parts: { compaction: { module: './compaction.ts', options: { keep: 2 } } },
    // What an agent writes down before a summary is a request of its own.
    memory: false,
  });
  for (let turn = 1; turn <= 5; turn++) await agent.run({ prompt: `remember fact-${turn}` });
  const compactions = world.session.entries().filter(({ type }) => type === 'compaction');
  expect(compactions.length).toBeGreaterThan(0);
  expect(String(compactions.at(-1)?.['summary'])).toMatch(/^The user asked for:\n- /);
  const sent = JSON.stringify(model.requests.at(-1)?.messages);
  expect(sent).toContain('- remember fact-');
  // No request to a model was made for it.
  expect(model.requests).toHaveLength(5);
});

test('a compaction that cuts where no turn begins, keeps too much or fails is told of, and the house summarises', async () => {
  const deployment = temporaryDirectory();
  writeFileSync(
    join(deployment, 'bad.mjs'),
    `let turn = 0;
     export default { compact({ entries }) {
       turn++;
       if (turn === 1) throw new Error('no idea');
       if (turn === 2) return { summary: 'x', firstKeptEntryId: entries.find(({ message }) => message?.role === 'assistant').id };
       if (turn === 3) return { summary: 'word '.repeat(60_000) };
       return { summary: ' ' };
     } };`,
  );
  const { agent, world } = await agentWith(
    ({ messages }) =>
      JSON.stringify(messages.at(-1)).includes('Summarise the conversation above')
        ? says('## Summary\nby the house')
        : says(`noted ${'word '.repeat(8_000)}`),
    { agent: { contextWindow: 45_000 }, parts: { compaction: './bad.mjs' } },
    { deployment },
  );
  for (let turn = 1; turn <= 10; turn++) {
    expect((await agent.run({ prompt: `remember fact-${turn}` })).status).toBe('done');
  }
  const entries = world.session.entries();
  const told = entries
    .filter(({ name }) => name === 'turn/compaction-fallback')
    .map((entry) => String((entry['data'] as { message: string }).message));
  expect(told.slice(0, 4)).toEqual([
    'no idea',
    expect.stringContaining('it is no message of the user'),
    expect.stringContaining('do not fit'),
    expect.stringContaining('must not be empty'),
  ]);
  const summaries = entries.filter(({ type }) => type === 'compaction');
  expect(summaries).toHaveLength(told.length);
  expect(summaries.every((each) => String(each['summary']).includes('by the house'))).toBe(true);
});

test('models.yaml stands field by field over a catalogue, and a * over all that begin so', async () => {
  const gateway = await service(() => ({
    data: [
      {
        id: 'maker/large',
        context_length: 50_000,
        top_provider: { max_completion_tokens: 4_000 },
        pricing: { prompt: '0.000002', completion: '0.00001' },
        supported_parameters: ['max_tokens'],
      },
    ],
  }));
  const file = join(temporaryDirectory(), 'models.yaml');
  writeFileSync(
    file,
    'openai/maker/large:\n  window: 40000\nopenai/ma*:\n  output: 9\nollama/*:\n  prices: { input: 0, output: 0 }\n',
  );
  const part = await loadPart<never>({
    name: 'models',
    module: './models.ts',
    file: join(import.meta.dirname, '../../examples/parts/models.ts'),
    directory: '/',
    options: { url: gateway.url, provider: 'openai' },
    env: {},
  });
  const models = openModels(file, part);
  expect(await models.facts('openai/maker/large')).toEqual({
    window: 40_000,
    output: 4_000,
    abilities: [],
    prices: { input: 2, output: 10, cached: undefined },
  });
  expect(await models.facts('openai/maker/small')).toEqual({ output: 9 });
  expect(await models.facts('ollama/x')).toEqual({ prices: { input: 0, output: 0 } });
  expect(await models.facts('openai/gpt-5.1')).toEqual({});
  const builtin = openModels(null, null);
  expect((await builtin.facts('anthropic/claude-haiku-4-5-20251001')).prices?.output).toBe(5);
  expect(await builtin.facts('anthropic/claude-x')).toMatchObject({ window: 200_000 });
});

test('what the catalogue says holds for a turn: no tools where the model has none, and the window that it has', async () => {
  const deployment = temporaryDirectory();
  writeFileSync(
    join(deployment, 'models.yaml'),
    'openai/scripted:\n  abilities: []\n  window: 45000\n',
  );
  const { agent, model, world } = await agentWith(
    () => says(`noted ${'word '.repeat(8_000)}`),
    {},
    { deployment },
  );
  for (let turn = 1; turn <= 4; turn++) await agent.run({ prompt: `fact-${turn}` });
  expect(model.requests.some(({ tools }) => tools !== undefined)).toBe(false);
  expect(world.session.entries().some(({ type }) => type === 'compaction')).toBe(true);
});

test.each([
  ['window: -1', /openai\/x\.window/],
  ['windows: 7', /Unrecognized key/],
  ['abilities: [flying]', /openai\/x\.abilities\.0/],
])('a models.yaml with %s is refused with its place', (line, message) => {
  const file = join(temporaryDirectory(), 'models.yaml');
  writeFileSync(file, `openai/x:\n  ${line}\n`);
  expect(() => openModels(file, null)).toThrow(message);
});

type Files = Readonly<Record<string, string>>;

function deployed(files: Files): string {
  const deployment = temporaryDirectory();
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(deployment, name)), { recursive: true });
    writeFileSync(join(deployment, name), text);
  }
  return deployment;
}

test.each<[string, Files, RegExp]>([
  ['is not there', {}, /parts\.budget: \/\S+\/budget\.mjs is no file/],
  [
    'lacks its export',
    { 'budget.mjs': 'export const reserve = 1;' },
    /should export a budget as its default: "export default \{ reserve\(\) \{…\} \}"/,
  ],
  [
    'lacks a method',
    { 'budget.mjs': 'export default () => ({ settle() {} });' },
    /should export a budget/,
  ],
  [
    'throws as it is loaded',
    { 'budget.mjs': 'throw new Error("no disk");' },
    /could not be loaded: Error: no disk/,
  ],
  [
    'throws as it is made',
    { 'budget.mjs': 'export default () => { throw new TypeError("bad options"); };' },
    /could not make its part: TypeError: bad options/,
  ],
])('a module of a part that %s is refused in a sentence', async (_, files, message) => {
  const deployment = deployed(files);
  await expect(
    agentWith(() => says('x'), { parts: { budget: './budget.mjs' } }, { deployment }),
  ).rejects.toThrow(message);
});

test('a part that there is not, and a setting that it does not have, are named', () => {
  const refusal = (parts: object) => () =>
    createWorld({ parts, state: temporaryDirectory() } as WorldConfig);
  expect(refusal({ budgets: './x.ts' })).toThrow(/parts\.budgets: there is no such setting/);
  expect(refusal({ budget: { modul: './x.ts' } })).toThrow(/parts\.budget/);
});

test('a world does not start in which an agent could write a part, or what models cost', () => {
  const part = { 'parts/budget.mjs': 'export default { reserve() {} };' };
  const refused = (files: Files, config: WorldConfig) => {
    const deployment = deployed(files);
    return () => createWorld({ state: temporaryDirectory(), ...config }, { deployment });
  };
  expect(
    refused(part, { parts: { budget: './parts/budget.mjs' }, mounts: { '/mnt/p': './parts:rw' } }),
  ).toThrow(/the module of parts\.budget, which runs outside the sandbox/);
  expect(refused({ 'models.yaml': '{}' }, { mounts: { '/mnt/all': '.:rw' } })).toThrow(
    /an agent could change/,
  );
});
