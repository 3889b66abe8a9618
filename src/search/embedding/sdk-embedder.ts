/** Sentence models through the AI SDK: a server that speaks OpenAI's protocol, or any provider's module. */
import { pathToFileURL } from 'node:url';
import { type EmbeddingModel, embedMany } from 'ai';
import { concealing, secretsOf } from '../../conceal.ts';
import { withinOrigin } from '../../mount/client/redirects.ts';
import { checkVectors, type Embedded, type Embedder, EmbeddingFailure } from './embedder.ts';
import { nameOf, type ProviderModel, type ServerModel } from './model-spec.ts';
import { failureOf } from './sdk-failure.ts';

type Environment = Readonly<Record<string, string>>;

/** @throws EmbeddingFailure when a key or the provider's module is missing */
export async function createSdkEmbedder(
  spec: ServerModel | ProviderModel,
  env: Environment,
): Promise<Embedder> {
  // What the config names for it is its own, whatever it is called.
  const named = spec.kind === 'server' ? [spec.keyEnv ?? ''] : spec.env;
  const conceal = concealing([...secretsOf(env), ...named.map((name) => env[name])]);
  const concealed = async <T>(work: () => Promise<T>): Promise<T> => {
    try {
      return await work();
    } catch (error) {
      if (error instanceof EmbeddingFailure) throw error.concealed(conceal);
      throw error;
    }
  };
  const model = await concealed(() =>
    spec.kind === 'server' ? serverModel(spec, env) : providerModel(spec),
  );
  return { embed: (texts, signal) => concealed(() => embed(model, spec, texts, signal)) };
}

async function embed(
  model: EmbeddingModel,
  spec: ServerModel | ProviderModel,
  texts: readonly string[],
  signal: AbortSignal,
): Promise<Embedded> {
  const { dimensions, timeoutMs } = spec;
  const timeout = AbortSignal.timeout(timeoutMs);
  try {
    const { embeddings, usage } = await embedMany({
      model,
      values: [...texts],
      // Retrying is the builder's: it must hold back the other requests as well.
      maxRetries: 0,
      maxParallelCalls: 1,
      abortSignal: AbortSignal.any([signal, timeout]),
      ...(dimensions === null ? {} : { dimensions }),
    });
    const vectors = embeddings.map((each) => Float32Array.from(each));
    checkVectors(nameOf(spec), texts, vectors);
    return { vectors, tokens: Number.isFinite(usage.tokens) ? usage.tokens : 0 };
  } catch (error) {
    if (signal.aborted) throw error;
    throw failureOf(error, spec, timeout.aborted);
  }
}

async function serverModel(spec: ServerModel, env: Environment): Promise<EmbeddingModel> {
  const { createOpenAI } = await import('@ai-sdk/openai');
  const { baseUrl, keyEnv, id } = spec;
  const key = keyEnv === null ? undefined : env[keyEnv];
  if (keyEnv !== null && (key === undefined || key === '')) {
    throw new EmbeddingFailure(
      'lasting',
      `${id} needs a key: set ${keyEnv} in the environment that dirigent is started in`,
    );
  }
  // Servers of one's own ask for no key, but the client wants one.
  const fetch = withinOrigin();
  return createOpenAI({ baseURL: baseUrl, apiKey: key ?? 'none', fetch }).embeddingModel(id);
}

/** What a provider's module may give; older ones have the longer name. */
interface ProviderExport {
  embeddingModel?(id: string): EmbeddingModel;
  textEmbeddingModel?(id: string): EmbeddingModel;
}

async function providerModel(spec: ProviderModel): Promise<EmbeddingModel> {
  const { module, provider, id } = spec;
  const loaded = (await import(pathToFileURL(module).href).catch((cause: unknown) => {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new EmbeddingFailure('lasting', `${module} could not be loaded: ${reason}`, { cause });
  })) as Record<string, ProviderExport | undefined>;
  const exported = loaded['default'] ?? loaded[provider];
  const make = exported?.embeddingModel ?? exported?.textEmbeddingModel;
  const model = made(() => make?.call(exported, id), spec);
  // A text would be looked up at a gateway of the SDK's vendor.
  if (model === undefined || typeof model === 'string') {
    throw new EmbeddingFailure(
      'lasting',
      `${module} should export a provider of the AI SDK with embedding models, as its default or as ${provider}`,
    );
  }
  return model;
}

/** What a provider says of a model that it does not make is told like what it says later. */
function made<T>(make: () => T, spec: ProviderModel): T {
  try {
    return make();
  } catch (error) {
    throw failureOf(error, spec, false);
  }
}
