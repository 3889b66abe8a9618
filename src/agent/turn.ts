/**
 * The loop: one pass from a prompt to an answer, step by step. What a step
 * gave is in the log before the next one begins, so that a turn that is killed
 * anywhere goes on from its last whole entry.
 */
import type { LanguageModel, ModelMessage } from 'ai';
import type { Span } from '../telemetry/span.ts';
import { type Budget, BudgetExceeded } from './budget.ts';
import { type CallResult, runCall, type ToolCall } from './call.ts';
import { HookFault } from './conversation-hooks.ts';
import { type Delivery, isParked, type Steered } from './delivery.ts';
import { Lane } from './lane.ts';
import { describeModelError } from './model-error.ts';
import { adoptUnansweredCalls, CALL_BEGUN } from './recover.ts';
import type { RuleBook } from './rules.ts';
import { type BegunCall, runStep, type StepResult } from './step.ts';
import type { AgentTool } from './tool.ts';
import { beginCall, beginRequest, endCall, endRequest } from './trace.ts';
import type { Transcript, TurnEvent } from './transcript.ts';
import type { TurnResult, TurnStatus } from './turn-result.ts';
import { labelled } from './untrusted.ts';
import type { WorldAccess } from './world-access.ts';

/** The most requests to the model that one turn makes. */
export const MAX_STEPS = 100;

/** Added to the system prompt of the last step, which has no tools. */
export const WRAP_UP =
  'This is the last step of this turn and no tool can be called any more: wrap up now. Say what was done, what was not, and what should happen next.';

/** What a turn is made of. */
export interface Turn {
  prompt: string;
  /** The services whose text is in it. */
  untrusted?: readonly string[];
  access: WorldAccess;
  transcript: Transcript;
  model: LanguageModel;
  /** As the user names it; it stands beside the usage in the log. */
  modelId: string;
  system: string;
  tools: readonly AgentTool[];
  budget: Pick<Budget, 'exceeded'>;
  signal: AbortSignal;
  maxSteps?: number;
  /** How often a request that failed for a moment is sent again. */
  maxRetries?: number;
  /** Called before each request: makes room where the view has grown too long. */
  fit?(signal: AbortSignal): Promise<void>;
  /** Where it is traced: its span, which the caller ends. */
  span?: Span | null;
  /** The message of a queue that the prompt is. */
  delivery?: Delivery;
  /** The prompt is the runtime's own: a turn that was parked is gone on with. */
  resumed?: boolean;
  /** Gives what was said since it was asked last; it is part of the next request. */
  steered?(): readonly Steered[];
  /** What is kept of what the turn is asked, or told meanwhile. @throws HookFault */
  input?(text: string): Promise<string>;
  /** Gets the files that its calls have read, where that is to be told. */
  filesRead?: Set<string>;
  /** The deployment's rules for paths. */
  rules?: RuleBook;
  /** Looks at an answer, once: what it objects goes to the model, which answers again. */
  review?(text: string): Promise<string | null>;
  /** Looks at the last answer; what it gives is added to it. */
  amend?(text: string): Promise<string | null>;
}

const DEFAULT_MAX_RETRIES = 2;

/** Runs a turn to its end. It rejects only when the log cannot be written. */
export async function runTurn(turn: Turn): Promise<TurnResult> {
  const { transcript, delivery } = turn;
  const delivered = delivery === undefined ? {} : { delivery };
  adoptUnansweredCalls(transcript);
  const result = await begin(turn);
  const { text: _, ...data } = result;
  transcript.append({ type: 'custom', name: 'turn/end', data: { ...data, ...delivered } });
  transcript.sign();
  return result;
}

/** Keeps the prompt, and answers it; what the deployment's hooks refuse is not kept. */
async function begin(turn: Turn): Promise<TurnResult> {
  const { transcript, delivery, prompt, resumed = false, untrusted = [] } = turn;
  try {
    const content = resumed ? prompt : await keptInput(turn, prompt);
    transcript.append({
      type: 'message',
      message: { role: 'user', content },
      ...(resumed ? { model: 'dirigent' } : {}),
      ...(untrusted.length === 0 ? {} : { untrusted }),
      ...(delivery === undefined ? {} : { delivery }),
    });
    return await loop(turn);
  } catch (error) {
    if (!(error instanceof HookFault)) throw error;
    const usage = { inputTokens: 0, outputTokens: 0 };
    return { status: 'error', text: '', steps: 0, usage, error: error.message };
  }
}

const keptInput = async ({ input }: Turn, text: string): Promise<string> =>
  (await input?.(text)) ?? text;

/** Puts what was said meanwhile into the conversation. @returns whether there was anything */
async function takeSteered(turn: Turn): Promise<boolean> {
  const steered = turn.steered?.() ?? [];
  for (const { text, untrusted = [], delivery } of steered) {
    const content = await keptInput(turn, text);
    await turn.access.noteUntrusted(untrusted);
    turn.transcript.append({
      type: 'message',
      message: { role: 'user', content },
      ...(untrusted.length === 0 ? {} : { untrusted }),
      delivery,
    });
  }
  return steered.length > 0;
}

async function loop(turn: Turn): Promise<TurnResult> {
  const { transcript, budget, signal, maxSteps = MAX_STEPS } = turn;
  const usage = { inputTokens: 0, outputTokens: 0 };
  const jobs = (): string[] => turn.access.jobs().map(({ number, text }) => `${number} (${text})`);
  const end = (status: TurnStatus, steps: number, text: string, error?: string): TurnResult => {
    const running = jobs();
    return {
      status,
      text,
      steps,
      usage,
      ...(running.length === 0 ? {} : { jobs: running }),
      ...(error === undefined ? {} : { error }),
    };
  };
  let reviewed = false;
  for (let step = 1; ; step++) {
    const over = budget.exceeded();
    if (over !== null) return end('budget', step - 1, say(transcript, over), over);
    await takeSteered(turn);
    await turn.fit?.(signal);
    const { answer, calls } = await traced(turn, step, async (span) => {
      const result = await runOneStep(turn, step === maxSteps, span);
      usage.inputTokens += result.answer.usage.inputTokens ?? 0;
      usage.outputTokens += result.answer.usage.outputTokens ?? 0;
      keep(turn, result.answer);
      for (const call of result.calls) {
        for (const file of (await call.result).filesRead ?? []) turn.filesRead?.add(file);
        transcript.appendLater(await resultOf(call, turn.rules));
      }
      return result;
    });
    if (signal.aborted) return end(isParked(signal) ? 'parked' : 'stopped', step, answer.text());
    if (answer.error instanceof BudgetExceeded) {
      const over = answer.error.message;
      return end('budget', step - 1, say(transcript, over), over);
    }
    if (answer.error !== undefined) {
      return end('error', step, answer.text(), describeModelError(answer.error, turn.modelId));
    }
    if (calls.length === 0) {
      // The answer was to what had been said before.
      if (step < maxSteps && (await takeSteered(turn))) continue;
      if (!reviewed && step < maxSteps) {
        reviewed = true;
        const objection = await turn.review?.(answer.text());
        if (objection != null) {
          transcript.appendLater(objectionEntry(objection));
          continue;
        }
      }
      const more = [await turn.amend?.(answer.text()), stillRunning(jobs())];
      const said = more.flatMap((each) => (each ? say(transcript, each) : []));
      return end('done', step, [answer.text(), ...said].join('\n\n'));
    }
    if (step >= maxSteps) {
      return end('steps', step, answer.text(), `the turn was ended after ${maxSteps} steps`);
    }
  }
}

/** One step with its calls, as a span where the turn is one. */
async function traced<T>(
  { span }: Turn,
  step: number,
  work: (span: Span | undefined) => Promise<T>,
): Promise<T> {
  const part = span?.child(`step ${step}`, { attributes: { 'dirigent.step': step } });
  try {
    return await work(part);
  } finally {
    part?.end();
  }
}

async function runOneStep(turn: Turn, last: boolean, step: Span | undefined): Promise<StepResult> {
  const { transcript, access, signal } = turn;
  const tools = last ? [] : turn.tools;
  const byName = new Map(tools.map((tool) => [tool.name, tool]));
  const lane = new Lane();
  const begin = (call: ToolCall): Promise<CallResult> => {
    const { id: callId, name, input } = call;
    const tool = byName.get(name);
    const entry = { type: 'custom', name: CALL_BEGUN, data: { callId, name, input } };
    // On the disk before work begins that lasts: a killed turn knows what it had started.
    if (tool?.loggedFirst === true) transcript.append(entry);
    else transcript.appendLater(entry);
    transcript.emit({ type: 'tool-start', callId, name, input });
    const span = step === undefined ? undefined : beginCall(step, call);
    const work = async (onParked: () => void): Promise<CallResult> => {
      const result = await runCall(call, byName, {
        access,
        callId,
        signal,
        span,
        onParked: () => {
          span?.event('waits for approval');
          onParked();
        },
        onOutput: (stream, bytes) =>
          transcript.emit({ type: 'tool-output', callId, stream, bytes }),
      });
      if (span !== undefined) endCall(span, result);
      transcript.emit({ type: 'tool-end', callId, name, ...result });
      return result;
    };
    return tool?.readOnly === false ? lane.run(work) : work(() => undefined);
  };
  const system = last ? `${turn.system}\n\n${WRAP_UP}` : turn.system;
  const { messages } = transcript.view();
  const maxRetries = turn.maxRetries ?? DEFAULT_MAX_RETRIES;
  const request = { model: turn.model, system, messages, tools, signal, maxRetries };
  const hooks = { begin, emit: (event: TurnEvent) => transcript.emit(event) };
  if (step === undefined) return runStep(request, hooks);
  const span = beginRequest(step, turn.modelId, messages, system);
  const result = await span.within(() => runStep(request, hooks));
  endRequest(span, result, signal.aborted);
  return result;
}

/** Keeps what the model said, whole or broken off. */
function keep({ transcript, modelId }: Turn, answer: StepResult['answer']): void {
  const content = answer.content();
  if (content.length === 0) return;
  // What it asks for is acted on through entries of its own; a power failure takes the answer back whole.
  transcript.appendLater({
    type: 'message',
    message: { role: 'assistant', content },
    usage: answer.usage,
    model: modelId,
    finishReason: answer.finishReason,
  });
}

async function resultOf({ call, result }: BegunCall, book: RuleBook | undefined) {
  const { text, untrusted = [], rules = [], failure, retried } = await result;
  const shown = untrusted.length === 0 ? text : labelled(text, untrusted);
  const value = `${shown}${book?.tell(rules) ?? ''}`;
  const message: ModelMessage = {
    role: 'tool',
    content: [
      {
        type: 'tool-result',
        toolCallId: call.id,
        toolName: call.name,
        // What a command printed before it failed is not an error of the tool: some servers get
        // errors as JSON, in which lines cannot be read.
        output: { type: failure === undefined ? 'text' : 'error-text', value },
      },
    ],
  };
  return {
    type: 'message',
    message,
    ...(untrusted.length === 0 ? {} : { untrusted }),
    ...(failure === undefined ? {} : { failure }),
    ...(retried === undefined ? {} : { retried }),
  };
}

/** What the runtime objects to an answer: it speaks in the person's place, and is told apart by its name. */
const objectionEntry = (content: string) => ({
  type: 'message',
  message: { role: 'user', content } as const,
  model: 'dirigent',
});

/** What the person is told where a turn leaves jobs behind; null where it does not. */
const stillRunning = (jobs: readonly string[]): string | null =>
  jobs.length === 0
    ? null
    : `Still running in the background: ${jobs.join(', ')}. What they print is in /session/jobs/; they end with the session's world.`;

/** The runtime's own words, as part of the conversation. */
function say(transcript: Transcript, text: string): string {
  transcript.appendLater({
    type: 'message',
    message: { role: 'assistant', content: text },
    model: 'dirigent',
  });
  transcript.emit({ type: 'text-delta', text: `\n${text}` });
  return text;
}
