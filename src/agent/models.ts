/**
 * Models by name. `openai/NAME` is OpenAI, or whatever server OPENAI_BASE_URL
 * names; `builtin/extract` needs no key; any other provider is a module that
 * the deployment names.
 */

import { pathToFileURL } from 'node:url';
import { type LanguageModel, wrapLanguageModel } from 'ai';
import { ConfigError } from '../errors.ts';
import { providerFile } from '../world/provider-file.ts';
import { openaiCredentials } from './credentials.ts';
import { earlyCalls } from './early-calls.ts';
import { BUILTIN_EXTRACT, createExtractModel } from './extract/model.ts';

/** Where models come from. */
export interface ModelSources {
  env: Readonly<Record<string, string | undefined>>;
  /** Modules of providers by the name before the slash; relative paths start at `base`. */
  providers?: Readonly<Record<string, string>>;
  base: string;
}

/** What a provider's module may give: `export default createX(…)`, or a function of a model's name. */
type ProviderModule =
  | { languageModel(id: string): LanguageModel }
  | ((id: string) => LanguageModel);

/** The model of `auto`: the environment's, or what runs without a key. */
export function defaultModelId({ env }: Pick<ModelSources, 'env'>): string {
  const named = env['DIRIGENT_MODEL'];
  if (named !== undefined && named !== '') return named;
  return env['OPENAI_API_KEY'] === undefined ? BUILTIN_EXTRACT : 'openai/gpt-5.1';
}

/**
 * Makes a model of its id, such as `openai/gpt-5.1`.
 * @throws ConfigError that says what is allowed
 */
export async function resolveModel(id: string, sources: ModelSources): Promise<LanguageModel> {
  const [, provider = '', name = ''] = /^([^/]+)\/(.+)$/.exec(id) ?? [];
  if (id === BUILTIN_EXTRACT) return createExtractModel();
  const module = sources.providers?.[provider];
  if (module !== undefined) return wrap(await loadModel(module, provider, name, sources.base));
  if (provider === 'openai') return wrap(await openaiModel(name, sources.env));
  const known = ['openai', ...Object.keys(sources.providers ?? {})];
  throw new ConfigError(
    'model',
    `"${id}" is no model that is known here: use PROVIDER/NAME with a provider of ${known.join(', ')}, or ${BUILTIN_EXTRACT}; other providers are named under agent.providers in dirigent.config.ts`,
  );
}

async function openaiModel(name: string, env: ModelSources['env']): Promise<LanguageModel> {
  const credentials = openaiCredentials(name, env);
  const { createOpenAI } = await import('@ai-sdk/openai');
  const provider = createOpenAI(credentials);
  // Servers of one's own speak the chat protocol; OpenAI's default is another.
  return credentials.baseURL === undefined ? provider(name) : provider.chat(name);
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
    throw new ConfigError('agent.providers', `${module} could not be loaded: ${reason}`, cause);
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

function wrap(model: LanguageModel): LanguageModel {
  // A string would be looked up at a gateway of the SDK's vendor.
  if (typeof model === 'string') {
    throw new ConfigError(
      'agent.providers',
      `the provider gave the text "${model}" instead of a model`,
    );
  }
  if (model.specificationVersion === 'v2') return model;
  return wrapLanguageModel({ model, middleware: earlyCalls });
}
