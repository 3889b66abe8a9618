/** The tool `delegate`: another agent does a task, with no more rights than this one has. */
import { z } from 'zod';
import type { Span } from '../../telemetry/span.ts';
import type { AgentView } from '../harness-view.ts';
import { StructuredAnswer } from '../structured-answer.ts';
import { type AgentTool, defineTool, ToolFault } from '../tool.ts';
import type { TurnResult } from '../turn-result.ts';

/** Runs a turn of another agent. */
export type RunDelegate = (
  agent: AgentView,
  task: string,
  callId: string,
  signal: AbortSignal,
  span: Span | undefined,
  /** Looks at the answer, once: what it objects goes to the other agent, which answers again. */
  review: ((text: string) => Promise<string | null>) | undefined,
) => Promise<DelegateResult>;

/** What it gave, and the services whose text it had read. */
export interface DelegateResult extends TurnResult {
  untrusted: readonly string[];
}

/** @param agents those that can be asked */
export function delegateTool(
  agents: ReadonlyMap<string, AgentView>,
  runDelegate: RunDelegate,
): AgentTool {
  const list = [...agents.values()].map(({ name, description }) => `${name} (${description})`);
  return defineTool({
    name: 'delegate',
    description: `Gives a task to another agent, which sees nothing of this conversation, and gives its answer. It may do no more than you may. Agents: ${list.join('; ')}.`,
    guideline:
      'Use `delegate` for what needs much reading and a short answer; say all that the other must know.',
    input: z.strictObject({
      agent: z.string().min(1),
      task: z.string().min(1).describe('The whole task; the other agent knows nothing else'),
      schema: z
        .looseObject({})
        .optional()
        .describe('JSON Schema that the answer is to fit; it is given as JSON then'),
    }),
    // What it changes is its own affair; several can work at once.
    readOnly: true,
    loggedFirst: true,
    run: async ({ agent: name, task, schema }, { callId, signal, span }) => {
      const agent = agents.get(name);
      if (agent === undefined) {
        throw new ToolFault(
          `there is no agent "${name}" to ask; there are: ${[...agents.keys()].join(', ') || 'none'}`,
        );
      }
      const answer = schema === undefined ? null : new StructuredAnswer(schema);
      const asked = answer === null ? task : `${task}\n\n${answer.request}`;
      const review = answer === null ? undefined : async (text: string) => answer.objectionTo(text);
      const result = await runDelegate(agent, asked, callId, signal, span, review);
      if (answer !== null && result.status === 'done') {
        const { untrusted } = result;
        return { ...answer.outcomeOf(name, result.text), untrusted };
      }
      const ending =
        result.status === 'done'
          ? ''
          : `\n[${name} ended: ${result.status}${result.error === undefined ? '' : `, ${result.error}`}]`;
      return {
        text: `${result.text || '[no answer]'}${ending}`,
        // An answer that is cut short fits no schema.
        failed: result.status === 'error' || answer !== null,
        untrusted: result.untrusted,
      };
    },
  });
}
