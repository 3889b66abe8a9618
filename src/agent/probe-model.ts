/** Whether the model of a turn can be reached, by one request that costs no tokens. */
import { ConfigError } from '../errors.ts';
import { BUILTIN_EXTRACT } from './extract/model.ts';
import { ollamaAddress, ollamaModels } from './ollama.ts';
import { type Environment, KNOWN_PROVIDERS, type KnownProvider, reach } from './providers.ts';

/** What is known of a model. No key is in it. */
export interface ProbedModel {
  id: string;
  /** Where its server is; null where it needs none, or a module of the deployment's has it. */
  host: string | null;
  /** The variable in which its key was found; null where none is needed. */
  key: string | null;
  /** Why it cannot be used; null where it can, as far as that can be told. */
  error: string | null;
}

/** What is asked: a list that only those with a key may see. */
const LISTS: Readonly<
  Record<string, { url: string; path: string; headers: (key: string) => Record<string, string> }>
> = {
  openai: {
    url: 'https://api.openai.com/v1',
    path: '/models',
    headers: (key) => ({ authorization: `Bearer ${key}` }),
  },
  anthropic: {
    url: 'https://api.anthropic.com/v1',
    path: '/models',
    headers: (key) => ({ 'x-api-key': key, 'anthropic-version': '2023-06-01' }),
  },
  google: {
    url: 'https://generativelanguage.googleapis.com/v1beta',
    path: '/models',
    headers: (key) => ({ 'x-goog-api-key': key }),
  },
  openrouter: {
    url: 'https://openrouter.ai/api/v1',
    path: '/key',
    headers: (key) => ({ authorization: `Bearer ${key}` }),
  },
};

/**
 * Asks the server of a model who we are to it.
 * @param modules the providers that the deployment names: what they ask is theirs
 * @param timeoutMs nobody is waited for longer
 */
export async function probeModel(
  id: string,
  env: Environment,
  modules: Readonly<Record<string, string>>,
  timeoutMs: number,
): Promise<ProbedModel> {
  const [, name = '', model = ''] = /^([^/]+)\/(.+)$/.exec(id) ?? [];
  const plain: ProbedModel = { id, host: null, key: null, error: null };
  if (id === BUILTIN_EXTRACT || modules[name] !== undefined) return plain;
  if (name === 'ollama') return probeOllama(plain, model, env);
  const provider = KNOWN_PROVIDERS.find((each) => each.name === name);
  if (provider === undefined) return { ...plain, error: 'there is no such provider here' };
  try {
    return await probeKnown(provider, { id, model }, env, timeoutMs);
  } catch (error) {
    if (error instanceof ConfigError) return { ...plain, error: error.message };
    throw error;
  }
}

async function probeOllama(
  plain: ProbedModel,
  model: string,
  env: Environment,
): Promise<ProbedModel> {
  const { host } = new URL(ollamaAddress(env));
  const models = await ollamaModels(env);
  if (models === null) return { ...plain, host, error: 'no Ollama answers there' };
  const there = models.some((each) => each === model || each === `${model}:latest`);
  return { ...plain, host, error: there ? null : `Ollama has no model ${model}` };
}

async function probeKnown(
  provider: KnownProvider,
  { id, model }: { id: string; model: string },
  env: Environment,
  timeoutMs: number,
): Promise<ProbedModel> {
  const { apiKey, baseURL } = reach(provider, model, env);
  const list = LISTS[provider.name];
  if (list === undefined) return { id, host: null, key: provider.key, error: null };
  const base = baseURL === undefined ? list.url : provider.base(baseURL);
  if (!URL.canParse(base)) {
    return { id, host: null, key: null, error: `${provider.address} is no address` };
  }
  const key = env[provider.key] === apiKey ? provider.key : null;
  const probed = { id, host: new URL(base).host, key };
  try {
    const { status } = await fetch(`${base}${list.path}`, {
      headers: list.headers(apiKey),
      signal: AbortSignal.timeout(timeoutMs),
      redirect: 'error',
    });
    return { ...probed, error: refusalOf(status, provider) };
  } catch (error) {
    if (!(error instanceof TypeError || error instanceof DOMException)) throw error;
    const late = error.name === 'TimeoutError';
    return { ...probed, error: late ? `no answer in ${timeoutMs / 1000} s` : 'nobody answers' };
  }
}

/** A server of one's own may have no such list: that it answers is enough. */
function refusalOf(status: number, { key }: KnownProvider): string | null {
  if (status === 401 || status === 403) return `the key in ${key} is refused (${status})`;
  if (status === 429) return 'it takes no requests now (429)';
  return status >= 500 ? `it answers ${status}` : null;
}
