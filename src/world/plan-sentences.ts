/** From a checked config to the sentence model of the search, and the variables of the environment that it needs. */
import fs from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { ConfigError } from '../errors.ts';
import { formerModels } from '../search/embedding/former-models.ts';
import type { SentenceModel, SentenceSettings } from '../search/embedding/model-spec.ts';
import { variablesOf } from '../search/embedding/model-spec.ts';
import { prefixesOf } from '../search/embedding/prefixes.ts';
import type { CheckedConfig, SearchConfig } from './config.ts';
import type { Host } from './plan.ts';
import { providerFile } from './provider-file.ts';

type ModelConfig = Exclude<NonNullable<SearchConfig['model']>, string>;

/** Chosen on every second question of Cranfield, CISI and the demo, with a small model: see docs/search.md. */
const DEFAULT_WEIGHT = 0.2;
const DEFAULT_BATCH = 64;
const DEFAULT_CONCURRENCY = 2;
const DEFAULT_TIMEOUT_MS = 60_000;
const OPENAI = 'https://api.openai.com/v1';

/**
 * The sentence model that the config names; null where it names none.
 * @param state the state directory, in which vectors of a former model may lie
 * @throws ConfigError
 */
export function planSentences(
  config: CheckedConfig,
  host: Host,
  state: string,
): SentenceSettings | null {
  const given = config.search?.model;
  if (given === undefined) return null;
  const model = planModel(typeof given === 'string' ? { id: given } : given, config, host);
  const former = formerModels(join(state, 'index.sqlite'));
  const env: Record<string, string> = {};
  for (const name of [model, ...former].flatMap(variablesOf)) {
    const value = host.env[name];
    if (value !== undefined) env[name] = value;
  }
  return { model, weight: config.search?.weight ?? DEFAULT_WEIGHT, env };
}

function planModel(given: ModelConfig, config: CheckedConfig, host: Host): SentenceModel {
  const base = host.deployment ?? host.cwd;
  if (given.onnx !== undefined) {
    const directory = resolve(base, given.onnx);
    if (!fs.existsSync(join(directory, 'config.json'))) {
      throw new ConfigError(
        'search.model.onnx',
        `${directory} should be a directory with config.json, tokenizer.json, tokenizer_config.json and onnx/model.onnx`,
      );
    }
    const { pooling = 'mean', dtype = 'fp32' } = given;
    // One inference takes all cores by itself.
    const own = common(basename(directory), { batch: 16, ...given, concurrency: 1 });
    return { kind: 'onnx', ...own, directory, base, pooling, dtype };
  }
  if (given.table !== undefined) return planTable(resolve(base, given.table), given);
  const { id = '', baseUrl, dimensions = null } = given;
  if (baseUrl !== undefined) {
    const keyEnv = given.keyEnv ?? null;
    return { kind: 'server', ...common(id, given), baseUrl, keyEnv, dimensions };
  }
  const [, provider = '', name = ''] = /^([^/]+)\/(.+)$/.exec(id) ?? [];
  const module = config.agent?.providers?.[provider];
  if (module !== undefined) {
    const { env = [] } = given;
    const file = providerFile(module, base);
    return { kind: 'provider', ...common(name, given), module: file, provider, env, dimensions };
  }
  if (provider === 'openai') {
    return { kind: 'server', ...common(name, given), ...openai(host), dimensions };
  }
  const known = ['openai', ...Object.keys(config.agent?.providers ?? {})].join(', ');
  throw new ConfigError(
    'search.model',
    `"${id}" is no model that is known here: use PROVIDER/NAME with a provider of ${known}; give baseUrl as well for a server of your own, or name further providers under agent.providers`,
  );
}

/** @param path the directory, or the file of the vectors in it */
function planTable(path: string, given: ModelConfig): SentenceModel {
  const directory = path.endsWith('.safetensors') ? dirname(path) : path;
  if (!fs.existsSync(join(directory, 'model.safetensors'))) {
    throw new ConfigError(
      'search.model.table',
      `${directory} should be a directory with config.json, tokenizer.json and model.safetensors, as model2vec writes them`,
    );
  }
  return { kind: 'table', ...common(basename(directory), { ...given, concurrency: 1 }), directory };
}

/** OpenAI itself, or whatever server OPENAI_BASE_URL names, as for models of agents. */
function openai({ env }: Host): { baseUrl: string; keyEnv: string | null } {
  const { OPENAI_BASE_URL: baseUrl, OPENAI_API_KEY: key } = env;
  if (baseUrl === '') {
    throw new ConfigError(
      'search.model',
      'OPENAI_BASE_URL is empty: give it an address, or unset it',
    );
  }
  const own = baseUrl !== undefined && key === undefined;
  return { baseUrl: baseUrl ?? OPENAI, keyEnv: own ? null : 'OPENAI_API_KEY' };
}

function common(id: string, given: ModelConfig) {
  const known = prefixesOf(id);
  return {
    id,
    queryPrefix: given.queryPrefix ?? known.query,
    documentPrefix: given.documentPrefix ?? known.document,
    batch: given.batch ?? DEFAULT_BATCH,
    concurrency: given.concurrency ?? DEFAULT_CONCURRENCY,
    timeoutMs: given.timeoutMs ?? DEFAULT_TIMEOUT_MS,
  };
}
