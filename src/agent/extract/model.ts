/**
 * `builtin/extract`: a model that needs no key and no network, and is honest
 * about what it is. It understands nothing. It searches with the shell, reads
 * around the best hits, and answers in quotations with their paths and lines.
 */
import type { LanguageModel } from 'ai';
import { nextMove } from './moves.ts';

/** Its id. */
export const BUILTIN_EXTRACT = 'builtin/extract';

type Model = Extract<LanguageModel, { specificationVersion: 'v4' }>;
type CallOptions = Parameters<Model['doStream']>[0];
type Content = Awaited<ReturnType<Model['doGenerate']>>['content'];
type StreamPart =
  Awaited<ReturnType<Model['doStream']>>['stream'] extends ReadableStream<infer P> ? P : never;

/** It counts no tokens, since it costs none. */
const NO_USAGE = {
  inputTokens: { total: 0, noCache: 0, cacheRead: 0, cacheWrite: 0 },
  outputTokens: { total: 0, text: 0, reasoning: 0 },
};

export function createExtractModel(): Model {
  return {
    specificationVersion: 'v4',
    provider: 'builtin',
    modelId: 'extract',
    supportedUrls: {},
    doGenerate: async (options) => {
      const content = contentFor(options);
      return { content, finishReason: finishOf(content), usage: NO_USAGE, warnings: [] };
    },
    doStream: async (options) => {
      const content = contentFor(options);
      return { stream: ReadableStream.from(partsOf(content)) as ReadableStream<StreamPart> };
    },
  };
}

function contentFor({ prompt, tools = [] }: CallOptions): Content {
  const names = tools.map(({ name }) => name);
  const move = nextMove(prompt, names);
  if ('say' in move) return [{ type: 'text', text: move.say }];
  return move.calls.map(({ name, input }, index) => ({
    type: 'tool-call',
    // Unique in the session: the history only grows.
    toolCallId: `extract-${prompt.length}-${index}`,
    toolName: name,
    input: JSON.stringify(input),
  }));
}

const finishOf = (content: Content) => {
  const calls = content.some(({ type }) => type === 'tool-call');
  return { unified: calls ? ('tool-calls' as const) : ('stop' as const), raw: undefined };
};

function* partsOf(content: Content): Generator<StreamPart> {
  yield { type: 'stream-start', warnings: [] };
  for (const part of content) {
    if (part.type === 'text') {
      yield { type: 'text-start', id: '0' };
      yield { type: 'text-delta', id: '0', delta: part.text };
      yield { type: 'text-end', id: '0' };
    } else if (part.type === 'tool-call') yield part;
  }
  yield { type: 'finish', finishReason: finishOf(content), usage: NO_USAGE };
}
