/**
 * The providers of models that are known by name, and where their keys are. All but OpenAI's are
 * optional peers: each is loaded when a model of it is asked for, from where this package is
 * installed, and never from a place that an agent may be able to write.
 */
import type { LanguageModel } from 'ai';
import { ConfigError } from '../errors.ts';
import { withinOrigin } from '../mount/client/redirects.ts';
import { BUILTIN_EXTRACT } from './extract/model.ts';

export type Environment = Readonly<Record<string, string | undefined>>;

/** A provider's own factory, given key and address. */
interface Reached {
  apiKey: string;
  /** Without it the provider's own. */
  baseURL?: string;
}

/** A provider that is known by its name. */
export interface KnownProvider {
  /** What stands before the slash. */
  name: string;
  /** The variable that holds its key. */
  key: string;
  /** The variable that holds another address of its API. */
  address: string;
  /** The optional peer that it is reached by; null where it comes with this package. */
  package: string | null;
  /** The model of `auto` where this provider's key is the first that is found. */
  model: string;
  /** The base of its API by another address, which may be that of a host alone. */
  base(address: string): string;
  /** @param reached with a `fetch` that keeps keys and prompts with one origin */
  create(model: string, reached: Reached & { fetch: typeof fetch }): Promise<LanguageModel>;
}

/** In the order in which a key is looked for. */
export const KNOWN_PROVIDERS: readonly KnownProvider[] = [
  {
    name: 'openai',
    key: 'OPENAI_API_KEY',
    address: 'OPENAI_BASE_URL',
    package: null,
    model: 'gpt-5.1',
    base: (address) => address.replace(/\/+$/, ''),
    create: async (model, reached) => {
      const { createOpenAI } = await import('@ai-sdk/openai');
      const provider = createOpenAI(reached);
      // Servers of one's own speak the chat protocol; OpenAI's default is another.
      return reached.baseURL === undefined ? provider(model) : provider.chat(model);
    },
  },
  {
    name: 'anthropic',
    key: 'ANTHROPIC_API_KEY',
    address: 'ANTHROPIC_BASE_URL',
    package: '@ai-sdk/anthropic',
    model: 'claude-sonnet-5-5',
    // Anthropic's own clients are given the host alone.
    base: (address) => withPath(address, '/v1'),
    create: async (model, reached) => {
      const { createAnthropic } = await import('@ai-sdk/anthropic');
      return createAnthropic(reached)(model);
    },
  },
  {
    name: 'google',
    key: 'GOOGLE_GENERATIVE_AI_API_KEY',
    address: 'GOOGLE_GENERATIVE_AI_BASE_URL',
    package: '@ai-sdk/google',
    model: 'gemini-flash-latest',
    base: (address) => withPath(address, '/v1beta'),
    create: async (model, reached) => {
      const { createGoogleGenerativeAI } = await import('@ai-sdk/google');
      return createGoogleGenerativeAI(reached)(model);
    },
  },
  {
    name: 'openrouter',
    key: 'OPENROUTER_API_KEY',
    address: 'OPENROUTER_BASE_URL',
    package: '@openrouter/ai-sdk-provider',
    model: 'openrouter/auto',
    base: (address) => withPath(address, '/api/v1'),
    create: async (model, reached) => {
      const { createOpenRouter } = await import('@openrouter/ai-sdk-provider');
      return createOpenRouter(reached).chat(model);
    },
  },
];

/** The path of an API, where an address is a host alone. */
function withPath(address: string, path: string): string {
  const plain = address.replace(/\/+$/, '');
  return URL.canParse(plain) && new URL(plain).pathname === '/' ? `${plain}${path}` : plain;
}

/** The value of a variable; undefined where it is empty, too. */
export const variable = (env: Environment, name: string): string | undefined =>
  env[name] === '' ? undefined : env[name];

/** The first provider whose key is in the environment. */
export const providerWithKey = (env: Environment): KnownProvider | null =>
  KNOWN_PROVIDERS.find(({ key }) => variable(env, key) !== undefined) ?? null;

/** Servers of one's own ask for no key, but the client wants one. */
const NO_KEY = 'none';

/**
 * How a provider is reached.
 * @param model for messages
 * @throws ConfigError that says which variable is missing
 */
export function reach(provider: KnownProvider, model: string, env: Environment): Reached {
  const { name, key, address } = provider;
  const baseURL = env[address];
  const apiKey = variable(env, key);
  if (baseURL === '') {
    // The SDK itself takes it for an address.
    throw new ConfigError('model', `${address} is empty: give it an address, or unset it`);
  }
  if (apiKey !== undefined) return baseURL === undefined ? { apiKey } : { apiKey, baseURL };
  if (baseURL !== undefined) return { apiKey: NO_KEY, baseURL };
  throw new ConfigError(
    'model',
    `${name}/${model} needs ${key}, or ${address} for a server of your own; ${BUILTIN_EXTRACT} needs neither`,
  );
}

/** Makes a model of a known provider. @throws ConfigError where a key or the package is missing */
export async function knownModel(
  provider: KnownProvider,
  model: string,
  env: Environment,
  send: typeof fetch = withinOrigin(),
): Promise<LanguageModel> {
  const reached = reach(provider, model, env);
  try {
    const { apiKey, baseURL } = reached;
    const address = baseURL === undefined ? {} : { baseURL: provider.base(baseURL) };
    return await provider.create(model, { apiKey, ...address, fetch: send });
  } catch (cause) {
    if (provider.package === null || !isMissing(cause, provider.package)) throw cause;
    throw new ConfigError(
      'model',
      `${provider.name}/${model} needs the package ${provider.package}, which is not installed: npm install ${provider.package} beside dirigent (npm install -g where dirigent is global), or take --model ${BUILTIN_EXTRACT}`,
      cause,
    );
  }
}

/** Is it this package that cannot be found, and not something that it needs itself? */
export function isMissing(error: unknown, name: string): boolean {
  if (!(error instanceof Error) || !('code' in error)) return false;
  return error.code === 'ERR_MODULE_NOT_FOUND' && error.message.includes(`'${name}'`);
}
