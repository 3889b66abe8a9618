/** A model whose failures do not repeat the credentials that it is asked with. */
import type { LanguageModel } from 'ai';
import type { Conceal } from '../conceal.ts';

type Model = Exclude<LanguageModel, string>;
type Stream = Awaited<ReturnType<Model['doStream']>>;

/** How deep an error is looked into: its causes, and what it has of the answer. */
const DEPTH = 4;

/** The same model; what it throws, or streams as an error, is told without the credentials. */
export function concealedModel<M extends Model>(model: M, conceal: Conceal): M {
  const asked = async <T>(ask: () => PromiseLike<T>): Promise<T> => {
    try {
      return await ask();
    } catch (error) {
      throw concealedError(error, conceal);
    }
  };
  return new Proxy(model, {
    get(target, name) {
      // The versions of the protocol differ in what goes in and comes out, and not in these two.
      const given: unknown = Reflect.get(target, name, target);
      if (typeof given !== 'function') return given;
      const call = given.bind(target) as (...args: unknown[]) => PromiseLike<Stream>;
      if (name === 'doGenerate') return (...args: unknown[]) => asked(() => call(...args));
      if (name !== 'doStream') return call;
      return async (...args: unknown[]) => {
        const { stream, ...rest } = await asked(() => call(...args));
        return { ...rest, stream: withoutCredentials(stream, conceal) };
      };
    },
  });
}

function withoutCredentials(stream: Stream['stream'], conceal: Conceal): ReadableStream {
  return (stream as ReadableStream<{ type: string; error?: unknown }>).pipeThrough(
    new TransformStream({
      transform(part, controller) {
        if (part.type !== 'error') controller.enqueue(part);
        else controller.enqueue({ ...part, error: concealedError(part.error, conceal) });
      },
    }),
  );
}

/** The same error: whoever asks for its kind finds it. */
function concealedError(error: unknown, conceal: Conceal): unknown {
  return concealed(error, conceal, DEPTH);
}

function concealed(value: unknown, conceal: Conceal, depth: number): unknown {
  if (typeof value === 'string') return conceal(value);
  if (typeof value !== 'object' || value === null || depth === 0) return value;
  for (const name of Object.getOwnPropertyNames(value)) {
    const property = Object.getOwnPropertyDescriptor(value, name);
    if (property?.writable !== true) continue;
    const clean = concealed(property.value, conceal, depth - 1);
    if (clean !== property.value) Object.defineProperty(value, name, { ...property, value: clean });
  }
  return value;
}
