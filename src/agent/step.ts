/**
 * One step of a turn: one request to the model, its answer taken as it streams
 * in. The work of a tool begins when its call arrives, not when the answer has
 * ended. Why a model says it stopped is not asked: what counts is what it sent.
 */
import {
  jsonSchema,
  type LanguageModel,
  type ModelMessage,
  streamText,
  type ToolSet,
  tool,
} from 'ai';
import { Answer } from './answer.ts';
import type { CallResult, ToolCall } from './call.ts';
import type { AgentTool } from './tool.ts';
import type { TurnEvent } from './transcript.ts';

/** What a request is made of. */
export interface StepRequest {
  model: LanguageModel;
  system: string;
  messages: ModelMessage[];
  tools: readonly AgentTool[];
  signal: AbortSignal;
  /** How often a request that failed for a moment (429, 5xx, no connection) is sent again. */
  maxRetries: number;
}

/** What a step tells while it runs, and what it starts. */
export interface StepHooks {
  /** Begins a call; its result never rejects. */
  begin(call: ToolCall): Promise<CallResult>;
  emit(event: TurnEvent): void;
}

/** A call whose work has begun. */
export interface BegunCall {
  call: ToolCall;
  result: Promise<CallResult>;
}

/** What a step gave; an `error` of the model leaves what had come before it. */
export interface StepResult {
  answer: Answer;
  calls: BegunCall[];
}

/** Runs one step. It does not reject: an error is part of the answer. */
export async function runStep(request: StepRequest, hooks: StepHooks): Promise<StepResult> {
  const answer = new Answer();
  const calls: BegunCall[] = [];
  try {
    const { stream } = streamText({
      model: request.model,
      instructions: request.system,
      messages: request.messages,
      tools: toolSet(request.tools),
      abortSignal: request.signal,
      maxRetries: request.maxRetries,
      // The session is kept here, and nowhere else.
      providerOptions: { openai: { store: false } },
      onError: ({ error }) => {
        answer.error ??= error;
      },
    });
    for await (const part of stream) {
      const call = answer.take(part);
      if (call !== null) calls.push({ call, result: hooks.begin(call) });
      else if (part.type === 'text-delta' || part.type === 'reasoning-delta') {
        hooks.emit({ type: part.type, text: part.text });
      }
    }
  } catch (error) {
    answer.error ??= error;
  }
  if (answer.finishReason === 'interrupted' && !request.signal.aborted) {
    answer.error ??= new Error('the answer of the model broke off');
  }
  return { answer, calls };
}

/** Declarations alone: the SDK neither checks nor runs, since `runCall` does both. */
function toolSet(tools: readonly AgentTool[]): ToolSet {
  return Object.fromEntries(
    tools.map(({ name, description, inputSchema }) => [
      name,
      tool({ description, inputSchema: jsonSchema(inputSchema) }),
    ]),
  );
}
