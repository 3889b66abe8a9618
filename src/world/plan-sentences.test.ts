/** From what a config says of the sentence model to the model, with its defaults. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { expect, test } from 'vitest';
import { temporaryDirectory } from '../../test/temporary-directory.ts';
import { openSqlite } from '../replica/sqlite.ts';
import type { CheckedConfig, SearchConfig } from './config.ts';
import { planSentences } from './plan-sentences.ts';

function directory(...files: string[]): string {
  const made = temporaryDirectory();
  for (const file of files) {
    mkdirSync(join(made, file, '..'), { recursive: true });
    writeFileSync(join(made, file), '');
  }
  return made;
}

interface Given {
  search?: SearchConfig;
  providers?: Record<string, string>;
  env?: Record<string, string>;
  deployment?: string;
  state?: string;
}

function plan({ search, providers, env = {}, deployment, state = '/nowhere' }: Given) {
  const config = { search, ...(providers && { agent: { providers } }) } as CheckedConfig;
  return planSentences(config, { deployment: deployment ?? null, cwd: '/cwd', env }, state);
}

const DEFAULTS = {
  queryPrefix: '',
  documentPrefix: '',
  batch: 64,
  concurrency: 2,
  timeoutMs: 60_000,
};

test('a config that names no model has none', () => {
  expect(plan({})).toBeNull();
  expect(plan({ search: { weight: 0.5 } as SearchConfig })).toBeNull();
});

test('a model of OpenAI is asked at OpenAI with its key, or at the server that the environment names', () => {
  const at = (env: Record<string, string>) =>
    plan({ search: { model: 'openai/small' } as SearchConfig, env });
  const model = { kind: 'server', ...DEFAULTS, id: 'small', dimensions: null };
  const keyEnv = 'OPENAI_API_KEY';
  expect(at({ OTHER: 'x' })).toEqual({
    model: { ...model, baseUrl: 'https://api.openai.com/v1', keyEnv },
    weight: 0.2,
    env: {},
  });
  const own = { OPENAI_BASE_URL: 'http://own' };
  expect(at(own)).toMatchObject({ model: { baseUrl: 'http://own', keyEnv: null }, env: {} });
  const key = { OPENAI_API_KEY: 'k' };
  expect(at({ ...own, ...key })).toMatchObject({
    model: { baseUrl: 'http://own', keyEnv },
    env: key,
  });
  expect(at(key)).toMatchObject({ model: { baseUrl: 'https://api.openai.com/v1' }, env: key });
  expect(() => at({ OPENAI_BASE_URL: '' })).toThrow('OPENAI_BASE_URL is empty');
});

test('what a config says of a model is taken in place of the defaults, the prefixes of its family among them', () => {
  const given = { id: 'nomic-embed-text', baseUrl: 'http://own', dimensions: 256, keyEnv: 'KEY' };
  const env = { KEY: 'k', OTHER: 'x' };
  const search = (model: object): SearchConfig => ({ model, weight: 0 }) as SearchConfig;
  expect(plan({ search: search(given), env })).toEqual({
    model: {
      ...DEFAULTS,
      ...given,
      kind: 'server',
      queryPrefix: 'search_query: ',
      documentPrefix: 'search_document: ',
    },
    weight: 0,
    env: { KEY: 'k' },
  });
  const own = { queryPrefix: '', documentPrefix: 'd', batch: 1, concurrency: 5, timeoutMs: 7 };
  const { keyEnv: _, dimensions: __, ...server } = given;
  expect(plan({ search: search({ ...server, ...own }) })?.model).toEqual({
    ...server,
    ...own,
    kind: 'server',
    keyEnv: null,
    dimensions: null,
  });
});

test('a provider’s model has its module, from the deployment, and the variables that it is given', () => {
  const search = { model: { id: 'mine/a/b', env: ['A', 'B'] } } as unknown as SearchConfig;
  const providers = { mine: './mine.ts' };
  const env = { A: '1', C: '3' };
  const model = { kind: 'provider', ...DEFAULTS, id: 'a/b', provider: 'mine', dimensions: null };
  expect(plan({ search, providers, env, deployment: '/deployment' })).toEqual({
    model: { ...model, module: '/deployment/mine.ts', env: ['A', 'B'] },
    weight: 0.2,
    env: { A: '1' },
  });
  expect(plan({ search: { model: 'mine/m' } as SearchConfig, providers })?.model).toMatchObject({
    module: '/cwd/mine.ts',
    env: [],
  });
});

test('a model of a provider that nobody knows is refused with those that are known', () => {
  const model = (id: string) => ({ search: { model: id } as SearchConfig });
  expect(() => plan(model('none/x'))).toThrow(
    /"none\/x" is no model that is known here: .* a provider of openai;/,
  );
  expect(() => plan({ ...model('bare'), providers: { mine: './m.ts' } })).toThrow(
    /a provider of openai, mine;/,
  );
});

test('a model of this machine is read by one request at a time, in batches of 16; its directory is checked at once', () => {
  const deployment = directory('onnx/config.json');
  const at = (onnx: object) => plan({ search: { model: onnx } as SearchConfig, deployment });
  expect(at({ onnx: 'onnx', concurrency: 9 })?.model).toEqual({
    ...DEFAULTS,
    kind: 'onnx',
    id: 'onnx',
    directory: join(deployment, 'onnx'),
    base: deployment,
    batch: 16,
    concurrency: 1,
    pooling: 'mean',
    dtype: 'fp32',
  });
  const given = { onnx: 'onnx', batch: 3, pooling: 'cls', dtype: 'q8' };
  expect(at(given)?.model).toMatchObject({ batch: 3, pooling: 'cls', dtype: 'q8' });
  expect(() => at({ onnx: 'none' })).toThrow('should be a directory with config.json');
});

test('a table is named by its directory or by the file of its vectors', () => {
  const deployment = directory('potion/model.safetensors');
  const at = (table: string) =>
    plan({ search: { model: { table, concurrency: 9 } } as SearchConfig, deployment })?.model;
  const model = {
    ...DEFAULTS,
    kind: 'table',
    id: 'potion',
    directory: join(deployment, 'potion'),
    concurrency: 1,
  };
  expect(at('potion')).toEqual(model);
  expect(at('potion/model.safetensors')).toEqual(model);
  expect(() => at('.')).toThrow('tokenizer.json and model.safetensors');
  expect(basename(deployment)).not.toBe('potion');
});

test('the keys of the models that an index has vectors of are passed on, too', () => {
  const state = directory();
  const database = openSqlite(join(state, 'index.sqlite'));
  database.exec('CREATE TABLE sentence_models (spec TEXT)');
  const former = { kind: 'server', keyEnv: 'FORMER' };
  database.prepare('INSERT INTO sentence_models VALUES (?)').run(JSON.stringify(former));
  database.close();
  const env = { FORMER: 'f', OPENAI_API_KEY: 'k', OTHER: 'x' };
  const search = { model: 'openai/small' } as SearchConfig;
  expect(plan({ search, env, state })?.env).toEqual({ FORMER: 'f', OPENAI_API_KEY: 'k' });
});
