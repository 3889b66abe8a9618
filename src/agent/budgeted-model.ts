/** A model each of whose requests, whoever sends it and for what, is counted before it is sent. */
import type { LanguageModel } from 'ai';
import { estimateTextTokens } from '../session/tokens.ts';
import type { TokenUsage } from './answer.ts';
import type { Budget, Grant } from './budget.ts';

type Model = Exclude<LanguageModel, string>;

/** What a call of a model is made with, as far as it matters here. */
interface Call {
  prompt: unknown;
  tools?: unknown;
  maxOutputTokens?: number | undefined;
}

/** Bytes of pictures and files cost about this, whatever their number. Characters. */
const MEDIA = 4_800;

/** The same model; a request that its budget refuses throws BudgetExceeded and is not sent. */
export function budgetedModel<M extends Model>(model: M, id: string, budget: Budget): M {
  const begin = async (call: Call): Promise<{ grant: Grant; call: Call }> => {
    const grant = await budget.reserve(id, tokensOf(call));
    const { outputTokens } = grant;
    if (outputTokens === undefined) return { grant, call };
    const most = Math.min(call.maxOutputTokens ?? outputTokens, outputTokens);
    return { grant, call: { ...call, maxOutputTokens: most } };
  };
  return new Proxy(model, {
    get(target, name) {
      // The versions of the protocol differ in what goes in and comes out, and not in these two.
      const given: unknown = Reflect.get(target, name, target);
      if (typeof given !== 'function') return given;
      const send = given.bind(target) as (call: Call) => PromiseLike<Answered>;
      if (name !== 'doGenerate' && name !== 'doStream') return send;
      return async (asked: Call) => {
        const { grant, call } = await begin(asked);
        const answer = await sent(grant, () => send(call));
        if (name === 'doStream')
          return { ...answer, stream: settling(answer.stream as ReadableStream<Part>, grant) };
        await grant.settle(usageOf(answer.usage));
        return answer;
      };
    },
  });
}

interface Answered {
  usage?: unknown;
  stream?: unknown;
}

interface Part {
  type: string;
  usage?: unknown;
}

/** A request that was refused costs nothing; of one that got no answer nobody knows. */
async function sent<T>(grant: Grant, send: () => PromiseLike<T>): Promise<T> {
  try {
    return await send();
  } catch (error) {
    const status = (error as { statusCode?: unknown } | null)?.statusCode;
    if (typeof status === 'number' && status >= 400) await grant.release();
    else await grant.settle(null);
    throw error;
  }
}

/** Settles when the answer has ended, in whatever way. */
function settling(stream: ReadableStream<Part>, grant: Grant): ReadableStream<Part> {
  let usage: TokenUsage | null = null;
  let settled = false;
  const settle = async (): Promise<void> => {
    if (settled) return;
    settled = true;
    await grant.settle(usage);
  };
  const reader = stream.getReader();
  return new ReadableStream<Part>({
    async pull(controller) {
      try {
        const { done, value } = await reader.read();
        if (!done) {
          if (value.type === 'finish') usage = usageOf(value.usage);
          return controller.enqueue(value);
        }
      } catch (error) {
        await settle();
        throw error;
      }
      await settle();
      controller.close();
    },
    async cancel(reason) {
      await settle();
      await reader.cancel(reason);
    },
  });
}

/** `{ inputTokens: 3 }` of one version of the protocol, `{ inputTokens: { total: 3 } }` of another. */
function usageOf(usage: unknown): TokenUsage | null {
  if (typeof usage !== 'object' || usage === null) return null;
  const fields = usage as Record<string, unknown>;
  const total = (value: unknown, name = 'total'): number | undefined => {
    const found =
      typeof value === 'object' && value !== null
        ? (value as Record<string, unknown>)[name]
        : value;
    return typeof found === 'number' ? found : undefined;
  };
  const { inputTokens, outputTokens } = fields;
  const input = total(inputTokens);
  const output = total(outputTokens);
  // A server that does not count says nothing, or zero throughout.
  if (input === undefined && output === undefined) return null;
  const cached =
    total(fields['cachedInputTokens']) ??
    (typeof inputTokens === 'object' ? total(inputTokens, 'cacheRead') : undefined);
  return {
    inputTokens: input ?? 0,
    outputTokens: output ?? 0,
    ...(cached === undefined ? {} : { cachedInputTokens: cached }),
  };
}

/** What is sent, estimated as everywhere. */
const tokensOf = ({ prompt, tools }: Call): number =>
  estimateTextTokens(
    JSON.stringify([prompt, tools ?? []], (_, value: unknown) =>
      value instanceof Uint8Array ? 'x'.repeat(MEDIA) : value,
    ),
  );
