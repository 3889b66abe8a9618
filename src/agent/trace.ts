/**
 * The spans of a turn: turn → step → request to the model and calls of tools,
 * and below a call what the mounts did. Names and attributes are those of
 * OpenTelemetry's conventions for generative AI where there are any. Texts of
 * prompts, answers and tools are in them only where they are asked for.
 */
import type { ModelMessage } from 'ai';
import type { Attributes, Span, Telemetry } from '../telemetry/span.ts';
import type { CallResult, ToolCall } from './call.ts';
import type { StepResult } from './step.ts';
import type { TurnResult } from './turn-result.ts';

/** What is known of a turn when it begins. */
export interface TurnFacts {
  agent: string;
  session: string;
  modelId: string;
}

/** Begins the span of a turn; that of a sub-agent is a part of the call that asked for it. */
export function beginTurn(
  parent: Span | Telemetry | null,
  { agent, session, modelId }: TurnFacts,
): Span | null {
  if (parent === null) return null;
  const start = {
    attributes: {
      'gen_ai.operation.name': 'invoke_agent',
      'gen_ai.agent.name': agent,
      'gen_ai.conversation.id': session,
      'gen_ai.request.model': modelId,
    },
  };
  const name = `invoke_agent ${agent}`;
  return 'begin' in parent ? parent.begin(name, start) : parent.child(name, start);
}

export function endTurn(span: Span | null, { status, steps, usage, error }: TurnResult): void {
  span?.set({
    'dirigent.turn.status': status,
    'dirigent.turn.steps': steps,
    'gen_ai.usage.input_tokens': usage.inputTokens,
    'gen_ai.usage.output_tokens': usage.outputTokens,
  });
  // A turn at its budget, or one that a person has stopped, has not failed.
  span?.end(status === 'error' ? (error ?? 'the model failed') : undefined);
}

/** Begins the span of a request to the model. */
export function beginRequest(
  step: Span,
  modelId: string,
  messages: readonly ModelMessage[],
  system: string,
): Span {
  const [, provider, name = modelId] = /^([^/]+)\/(.+)$/.exec(modelId) ?? [];
  return step.child(`chat ${name}`, {
    kind: 'client',
    attributes: {
      'gen_ai.operation.name': 'chat',
      'gen_ai.provider.name': provider,
      'gen_ai.request.model': name,
      ...contentOf(step, {
        'gen_ai.system_instructions': system,
        'gen_ai.input.messages': messages,
      }),
    },
  });
}

export function endRequest(span: Span, { answer }: StepResult, stopped: boolean): void {
  const { inputTokens, outputTokens, cachedInputTokens } = answer.usage;
  const error = stopped ? undefined : answer.error;
  span.set({
    'gen_ai.usage.input_tokens': inputTokens,
    'gen_ai.usage.output_tokens': outputTokens,
    'gen_ai.usage.cache_read.input_tokens': cachedInputTokens,
    'gen_ai.response.finish_reasons': [answer.finishReason],
    'error.type': error === undefined ? undefined : typeOf(error),
    ...contentOf(span, { 'gen_ai.output.messages': answer.content() }),
  });
  if (stopped) span.end('it was stopped');
  else span.end(error === undefined ? undefined : messageOf(error));
}

/** Begins the span of a call of a tool. */
export function beginCall(parent: Span | Telemetry, { id, name, input }: ToolCall): Span {
  const start = {
    attributes: {
      'gen_ai.operation.name': 'execute_tool',
      'gen_ai.tool.name': name,
      'gen_ai.tool.call.id': id,
      'gen_ai.tool.type': 'function',
    },
  };
  const title = `execute_tool ${name}`;
  const span = 'begin' in parent ? parent.begin(title, start) : parent.child(title, start);
  span.set(contentOf(span, { 'gen_ai.tool.call.arguments': input }));
  return span;
}

export function endCall(span: Span, result: CallResult): void {
  const { failed = false, failure, text, untrusted = [] } = result;
  span.set({
    'error.type': failed ? (failure ?? 'tool') : undefined,
    'dirigent.untrusted': untrusted.length === 0 ? undefined : untrusted,
    ...contentOf(span, { 'gen_ai.tool.call.result': text }),
  });
  span.end(failed ? `the call failed: ${failure ?? 'the tool says so'}` : undefined);
}

/** Runs a call for a loop that is not ours, as a span of its own where traces are wanted. */
export async function tracedCall(
  telemetry: Telemetry | null,
  call: ToolCall,
  work: (span: Span | undefined) => Promise<CallResult>,
): Promise<CallResult> {
  if (telemetry === null) return work(undefined);
  const span = beginCall(telemetry, call);
  const result = await work(span);
  endCall(span, result);
  return result;
}

function contentOf({ content }: Span, values: Readonly<Record<string, unknown>>): Attributes {
  if (!content) return {};
  return Object.fromEntries(
    Object.entries(values).map(([name, value]) => [
      name,
      typeof value === 'string' ? value : JSON.stringify(value),
    ]),
  );
}

const typeOf = (error: unknown): string => (error instanceof Error ? error.name : '_OTHER');
const messageOf = (error: unknown): string =>
  error instanceof Error ? error.message : String(error);
