/** A client of the door for MCP: one principal, whatever connections and requests it comes by. */
import {
  type CallToolResult,
  ProtocolError,
  ProtocolErrorCode,
} from '@modelcontextprotocol/server';
import { runCall } from '../../agent/call.ts';
import type { Surface } from '../../agent/open-agent.ts';
import { PlanMode } from '../../agent/plan-mode.ts';
import { CALL_BEGUN } from '../../agent/recover.ts';
import { tracedCall } from '../../agent/trace.ts';
import { labelled } from '../../agent/untrusted.ts';
import { isFsError, sentenceOf } from '../../errors.ts';
import { FORM_KINDS, QUESTION_KINDS } from '../../policy/question.ts';
import { isTransient } from '../../session/events.ts';
import { CHANGED } from '../../world/recorder.ts';
import type { Doorway, Shown, Visit, VisitAgent } from '../door.ts';
import type { Principal } from '../principal.ts';
import { answerIn } from './approvals.ts';
import { type Call, type CallHooks, Calls } from './calls.ts';
import { answerGiven } from './questions.ts';

/** What all of its connections share. */
export interface McpClient {
  readonly visit: Visit;
  readonly agent: VisitAgent;
  readonly calls: Calls<CallToolResult>;
  /** The tools, for a request whose client can, or cannot, put a question to its person. */
  surface(attended: boolean): Promise<Surface>;
  /** Tells of files that were changed in its session. @returns how to stop */
  onChanged(listener: (paths: readonly string[]) => void): () => void;
}

/**
 * Lets one in.
 * @param planning it changes nothing before its person has approved a plan, and then what that names
 * @throws ConfigError, FsError as `enter` does
 */
export async function enterClient(
  doorway: Doorway,
  principal: Principal,
  planning = false,
): Promise<McpClient> {
  const plan = planning ? new PlanMode() : undefined;
  const visit = await doorway.enter(principal);
  const agent = await visit.agent();
  const made = new Map<boolean, Promise<Surface>>();
  const listeners = new Set<(paths: readonly string[]) => void>();
  void tell(visit, listeners);
  return {
    visit,
    agent,
    calls: new Calls(visit),
    surface: (attended) => {
      const answers = attended ? (plan === undefined ? QUESTION_KINDS : FORM_KINDS) : [];
      const bound = plan === undefined ? {} : { plan };
      const surface = made.get(attended) ?? agent.surface({ attended, answers, ...bound });
      made.set(attended, surface);
      return surface;
    },
    onChanged: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}

async function tell(
  visit: Visit,
  listeners: ReadonlySet<(paths: readonly string[]) => void>,
): Promise<void> {
  for await (const event of visit.events()) {
    if (!isTransient(event) || event.type !== CHANGED) continue;
    for (const listener of listeners) listener(event['paths'] as string[]);
  }
}

/** Runs a call of a tool, and keeps it in the log. Whatever goes wrong is a result. */
export async function callTool(
  { access, tools, transcript, telemetry }: Surface,
  { name, input }: { name: string; input: Record<string, unknown> },
  { id, signal, onParked, onOutput }: CallHooks,
): Promise<CallToolResult> {
  const callId = `mcp-${id}`;
  transcript.append({
    type: 'custom',
    name: CALL_BEGUN,
    data: { callId, name, input, via: 'mcp' },
  });
  const byName = new Map(tools.map((tool) => [tool.name, tool]));
  const call = { id: callId, name, input };
  const result = await tracedCall(telemetry, call, (span) =>
    runCall(call, byName, { access, callId, signal, span, onParked, onOutput }),
  );
  const { text, failed = false, untrusted = [] } = result;
  transcript.append({
    type: 'custom',
    name: 'turn/call-end',
    data: { callId, failed, text, ...(untrusted.length === 0 ? {} : { untrusted }) },
  });
  const shown = untrusted.length === 0 ? text : labelled(text, untrusted);
  return { content: [{ type: 'text', text: shown }], isError: failed };
}

/**
 * Passes on what a client says that its person answered to what a call asks. An answer that somebody
 * else has given meanwhile holds; one that has not the form is asked for once more, with why.
 * @throws ProtocolError where it is not about what was shown
 */
export async function takeAnswer(
  { visit }: McpClient,
  call: Call<CallToolResult>,
  shown: Shown,
  responses: unknown,
): Promise<void> {
  const { question: asked } = call;
  if (asked?.id !== shown.id) return;
  try {
    if ('form' in asked) {
      const given = answerGiven(responses, asked);
      if (given === null) return;
      await visit.questions.answer(shown, given.value);
    } else {
      const answer = answerIn(responses, asked.id);
      if (answer === null) return;
      await visit.approvals.decide(shown, answer);
    }
  } catch (error) {
    if ('form' in asked && isFsError(error, 'EINVAL')) {
      call.fault = sentenceOf(error);
      return;
    }
    if (!isFsError(error)) throw error;
    throw new ProtocolError(ProtocolErrorCode.InvalidParams, sentenceOf(error));
  }
  call.answered();
}
