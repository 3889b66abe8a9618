/**
 * Models by name. `PROVIDER/NAME` is of a provider that is known (`openai/NAME` is whatever server
 * OPENAI_BASE_URL names, too), or of a module that the deployment names; `builtin/extract` needs
 * no key.
 */

import { pathToFileURL } from 'node:url';
import { type LanguageModel, wrapLanguageModel } from 'ai';
import { type Conceal, concealing, secretsOf } from '../conceal.ts';
import {
  askCredential,
  type CredentialRequest,
  type CredentialSource,
  Renewable,
} from '../credentials/credential.ts';
import { renewingFetch } from '../credentials/fetch.ts';
import { ConfigError } from '../errors.ts';
import { moduleAdvice } from '../module-advice.ts';
import { withinOrigin } from '../mount/client/redirects.ts';
import { providerFile } from '../world/provider-file.ts';
import { concealedModel } from './concealed-model.ts';
import { earlyCalls } from './early-calls.ts';
import { BUILTIN_EXTRACT, createExtractModel } from './extract/model.ts';
import { ollamaAddress, ollamaDefault } from './ollama.ts';
import {
  type Environment,
  KNOWN_PROVIDERS,
  type KnownProvider,
  knownModel,
  providerWithKey,
  variable,
} from './providers.ts';

/** Where models come from. */
export interface ModelSources {
  env: Environment;
  /** Modules of providers by the name before the slash; relative paths start at `base`. */
  providers?: Readonly<Record<string, string>>;
  base: string;
  /** Keeps keys of the providers that are known; null where the environment alone does. */
  credentials?: CredentialSource | null;
}

/** What a provider's module may give: `export default createX(…)`, or a function of a model's name. */
type ProviderModule =
  | { languageModel(id: string): LanguageModel }
  | ((id: string) => LanguageModel);

const OLLAMA = 'ollama';

/** The model of `auto` that the environment names, or has a key for; else what runs without one. */
export function defaultModelId({ env }: Pick<ModelSources, 'env'>): string {
  const provider = providerWithKey(env);
  const withKey = provider === null ? BUILTIN_EXTRACT : `${provider.name}/${provider.model}`;
  return variable(env, 'DIRIGENT_MODEL') ?? withKey;
}

/** The model of `auto`: as {@link defaultModelId}; where that needs no key, a model of Ollama's if it runs. */
export async function chooseModel(sources: Pick<ModelSources, 'env'>): Promise<string> {
  const id = defaultModelId(sources);
  if (id !== BUILTIN_EXTRACT || variable(sources.env, 'DIRIGENT_MODEL') !== undefined) return id;
  const local = await ollamaDefault(sources.env);
  return local === null ? id : `${OLLAMA}/${local}`;
}

/**
 * Makes a model of its id, such as `openai/gpt-5.1`.
 * @throws ConfigError that says what is allowed
 */
export async function resolveModel(id: string, sources: ModelSources): Promise<LanguageModel> {
  const [, provider = '', name = ''] = /^([^/]+)\/(.+)$/.exec(id) ?? [];
  if (id === BUILTIN_EXTRACT) return createExtractModel();
  const module = sources.providers?.[provider];
  const conceal = concealing(secretsOf(sources.env));
  if (module !== undefined)
    return wrap(await loadModel(module, provider, name, sources.base), conceal);
  if (provider === OLLAMA) return wrap(await ollamaModel(name, sources.env), conceal);
  const known = KNOWN_PROVIDERS.find((each) => each.name === provider);
  if (known !== undefined) return knownWithKey(known, name, sources);
  const names = [
    ...KNOWN_PROVIDERS.map((each) => each.name),
    OLLAMA,
    ...Object.keys(sources.providers ?? {}),
  ];
  throw new ConfigError(
    'model',
    `"${id}" is no model that is known here: use PROVIDER/NAME with a provider of ${names.join(', ')}, or ${BUILTIN_EXTRACT}; other providers are named under agent.providers in dirigent.config.ts`,
  );
}

/** A model of a known provider, its key from the deployment's own source where that keeps one. */
async function knownWithKey(
  provider: KnownProvider,
  name: string,
  { env, credentials }: ModelSources,
): Promise<LanguageModel> {
  const request: CredentialRequest = {
    for: 'model',
    name: provider.name,
    service: provider.name,
    variable: provider.key,
    baseUrl: env[provider.address] ?? null,
  };
  const held = credentials == null ? null : await askCredential(credentials, request, false);
  if (credentials == null || held === null)
    return wrap(await knownModel(provider, name, env), concealing(secretsOf(env)));
  const keys = new Set([held.value]);
  const credential = new Renewable(held, async (rejected) => {
    const next = await askCredential(credentials, request, rejected);
    if (next !== null) keys.add(next.value);
    return next;
  });
  const send = renewingFetch(held.value, credential, withinOrigin());
  const keyed = { ...env, [provider.key]: held.value };
  const conceal: Conceal = (text) => concealing([...secretsOf(env), ...keys])(text);
  return wrap(await knownModel(provider, name, keyed, send), conceal);
}

async function ollamaModel(name: string, env: Environment): Promise<LanguageModel> {
  const { createOpenAI } = await import('@ai-sdk/openai');
  const baseURL = `${ollamaAddress(env)}/v1`;
  return createOpenAI({ baseURL, apiKey: 'ollama', fetch: withinOrigin() }).chat(name);
}

async function loadModel(
  module: string,
  prefix: string,
  name: string,
  base: string,
): Promise<LanguageModel> {
  const specifier = pathToFileURL(providerFile(module, base)).href;
  const loaded = (await import(specifier).catch((cause: unknown) => {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new ConfigError(
      'agent.providers',
      `${module} could not be loaded: ${reason}${moduleAdvice(module, cause)}`,
      cause,
    );
  })) as Record<string, ProviderModule | undefined>;
  // Packages of providers export one under the provider's own name.
  const provider = loaded['default'] ?? loaded[prefix];
  if (typeof provider === 'function') return provider(name);
  if (typeof provider?.languageModel === 'function') return provider.languageModel(name);
  throw new ConfigError(
    'models',
    `${module} should export a provider of the AI SDK as its default`,
  );
}

function wrap(given: LanguageModel, conceal: Conceal): LanguageModel {
  // A string would be looked up at a gateway of the SDK's vendor.
  if (typeof given === 'string') {
    throw new ConfigError(
      'agent.providers',
      `the provider gave the text "${given}" instead of a model`,
    );
  }
  const model = concealedModel(given, conceal);
  if (model.specificationVersion === 'v2') return model;
  return wrapLanguageModel({ model, middleware: earlyCalls });
}
