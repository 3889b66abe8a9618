/**
 * Gives a call of a tool on as soon as it is whole. Providers of the chat
 * protocol hold all calls back to the end of the stream, since no chunk says
 * that the arguments have ended. But models write one call after the other:
 * where the next one has begun, the arguments before it are whole.
 */
import type { LanguageModelMiddleware } from 'ai';

type StreamPart =
  Awaited<
    ReturnType<Parameters<NonNullable<LanguageModelMiddleware['wrapStream']>>[0]['doStream']>
  > extends {
    stream: ReadableStream<infer Part>;
  }
    ? Part
    : never;

interface Pending {
  name: string;
  text: string;
}

export const earlyCalls: LanguageModelMiddleware = {
  specificationVersion: 'v4',
  wrapStream: async ({ doStream }) => {
    const { stream, ...rest } = await doStream();
    return { stream: stream.pipeThrough(givingCallsEarly()), ...rest };
  },
};

function givingCallsEarly(): TransformStream<StreamPart, StreamPart> {
  let writing: (Pending & { id: string }) | null = null;
  /** Arguments of the calls that were given on, by id. */
  const given = new Map<string, string>();
  return new TransformStream({
    transform(part, controller) {
      switch (part.type) {
        case 'tool-input-start':
          if (writing !== null && isJson(writing.text)) {
            given.set(writing.id, writing.text);
            controller.enqueue({
              type: 'tool-call',
              toolCallId: writing.id,
              toolName: writing.name,
              input: writing.text,
            });
          }
          // What the provider runs itself is its own affair.
          writing =
            part.providerExecuted === true ? null : { id: part.id, name: part.toolName, text: '' };
          break;
        case 'tool-input-delta':
          if (writing?.id === part.id) writing.text += part.delta;
          break;
        case 'tool-call': {
          if (writing?.id === part.toolCallId) writing = null;
          const before = given.get(part.toolCallId);
          if (before === undefined) break;
          if (before === part.input) return;
          const error = new Error(`the arguments of call ${part.toolCallId} went on after its end`);
          controller.enqueue({ type: 'error', error });
          return;
        }
        default:
          break;
      }
      controller.enqueue(part);
    },
  });
}

function isJson(text: string): boolean {
  try {
    return typeof JSON.parse(text) === 'object';
  } catch (error) {
    if (error instanceof SyntaxError) return false;
    throw error;
  }
}
