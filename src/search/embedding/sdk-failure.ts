/** What a failed request to an embedding model means, and what to do. */
import { APICallError, LoadAPIKeyError, NoSuchModelError } from 'ai';
import { EmbeddingFailure } from './embedder.ts';
import { nameOf, type ProviderModel, type ServerModel } from './model-spec.ts';

/** @param timedOut the request was ended because it took too long */
export function failureOf(
  error: unknown,
  spec: ServerModel | ProviderModel,
  timedOut: boolean,
): EmbeddingFailure {
  if (error instanceof EmbeddingFailure) return error;
  const name = nameOf(spec);
  if (timedOut) {
    const seconds = spec.timeoutMs / 1_000;
    return new EmbeddingFailure('passing', `${name} did not answer within ${seconds} s`, {
      cause: error,
    });
  }
  if (LoadAPIKeyError.isInstance(error)) {
    const text = `${name} needs a key: ${error.message} Name its variable in search.model.env`;
    return new EmbeddingFailure('lasting', text, { cause: error });
  }
  if (NoSuchModelError.isInstance(error)) {
    return new EmbeddingFailure('lasting', `${name}: ${error.message}`, { cause: error });
  }
  if (APICallError.isInstance(error)) return failureOfCall(error, spec, name);
  const reason = error instanceof Error ? error.message : String(error);
  return new EmbeddingFailure('passing', `${name} failed: ${reason}`, { cause: error });
}

function failureOfCall(
  error: APICallError,
  spec: ServerModel | ProviderModel,
  name: string,
): EmbeddingFailure {
  const where = spec.kind === 'server' ? ` at ${spec.baseUrl}` : '';
  const { statusCode: status, message } = error;
  const make = (kind: EmbeddingFailure['kind'], text: string): EmbeddingFailure =>
    new EmbeddingFailure(kind, text, { cause: error, retryAfterMs: retryAfter(error) });
  if (status === undefined) {
    const advice =
      spec.kind === 'server' ? '; is it running, and is search.model.baseUrl right?' : '';
    return make(
      'absent',
      `the server of ${name}${where} cannot be reached (${rootOf(error)})${advice}`,
    );
  }
  if (status < 400)
    return make('passing', `the answer of ${name}${where} cannot be used: ${message}`);
  const said = `the server of ${name}${where} answered ${status}: ${message}`;
  switch (status) {
    case 401:
    case 403:
      return make('lasting', `${said}; ${keyAdvice(spec)}`);
    case 404:
    case 405:
      return make(
        'lasting',
        `${said}; check the name of the model (an Ollama server gets it with "ollama pull") and the address, which mostly ends in /v1`,
      );
    case 408:
    case 409:
      return make('passing', said);
    case 429:
      return make('limited', `${said}`);
    case 503:
      return make(retryAfter(error) === null ? 'passing' : 'limited', said);
    default:
      return make(status < 500 ? 'input' : 'passing', said);
  }
}

function keyAdvice(spec: ServerModel | ProviderModel): string {
  if (spec.kind === 'provider')
    return `check the key in ${spec.env.join(', ') || 'the environment'}`;
  return spec.keyEnv === null
    ? 'name the variable of the environment that holds its key in search.model.keyEnv'
    : `check the key in ${spec.keyEnv}`;
}

/** The time that the service names, in ms: of seconds, of ms, or a date. */
function retryAfter({ responseHeaders = {} }: APICallError): number | null {
  const ms = Number(responseHeaders['retry-after-ms'] ?? Number.NaN);
  if (ms >= 0) return ms;
  const given = responseHeaders['retry-after'];
  if (given === undefined) return null;
  if (Number(given) >= 0) return Number(given) * 1_000;
  const date = Date.parse(given);
  return Number.isNaN(date) ? null : Math.max(0, date - Date.now());
}

/** Why there was no connection: the code of the innermost cause. */
function rootOf(error: Error): string {
  let inner: unknown = error;
  while (inner instanceof Error && inner.cause !== undefined) inner = inner.cause;
  if (inner instanceof Error && 'code' in inner && typeof inner.code === 'string')
    return inner.code;
  return inner instanceof Error ? inner.message : String(inner);
}
