/** The tool `plan`: puts a plan to the person, and has what it names allowed by the plan once they have approved it. */
import { z } from 'zod';
import {
  faultOfPath,
  PLANNED_OPERATIONS,
  type PlanScope,
  scopeText,
  USUAL_OPERATIONS,
} from '../../policy/plan.ts';
import { outcomeText, verdictOf } from '../../policy/question.ts';
import { isVisibleLine } from '../../visible.ts';
import type { PlanMode } from '../plan-mode.ts';
import { type AgentTool, defineTool } from '../tool.ts';

const path = z
  .string()
  .min(1)
  .max(1_000)
  .superRefine((glob, context) => {
    const fault = faultOfPath(glob);
    if (fault !== null) context.addIssue(fault);
  });

const input = z.strictObject({
  plan: z.string().trim().min(1).max(20_000).describe('What will be done, in steps; Markdown'),
  writes: z
    .array(
      z.strictObject({
        path: path.describe('Absolute, or a glob: /workspace/src/**'),
        operations: z
          .array(z.enum(PLANNED_OPERATIONS))
          .min(1)
          .optional()
          .describe('write and create, if absent'),
      }),
    )
    .max(50)
    .describe('All that is changed, no wider than needed'),
  tools: z
    .array(z.string().min(1).max(100).refine(isVisibleLine, 'should be the name of a tool'))
    .max(20)
    .optional()
    .describe('Tools of the deployment that change something'),
});

export function planTool(mode: PlanMode): AgentTool {
  return defineTool({
    name: 'plan',
    description:
      'Proposes a plan to the person: what will be done, and what is changed by it. They approve it, reject it, or say what to change. What an approved plan does not name cannot be written in this turn.',
    input,
    readOnly: true,
    run: async ({ plan, writes, tools = [] }, { access }) => {
      const scope: PlanScope = {
        writes: writes.map(({ path, operations = USUAL_OPERATIONS }) => ({ path, operations })),
        tools,
      };
      const asked = await access.ask(plan, { kind: 'plan', scope });
      const verdict = verdictOf(asked);
      if (verdict?.decision === 'approve') {
        const approved = asked.form.scope ?? scope;
        mode.approve(approved);
        return `${outcomeText(asked)}\nThis may be changed now, within what you may do anyway, and nothing else:\n${scopeText(approved)}`;
      }
      if (asked.state !== 'pending') return { text: outcomeText(asked), failed: true };
      return {
        text: `nobody is here to approve a plan: it is in /session/plans/${asked.id}.md. End the turn with the plan as your answer.`,
        failed: true,
      };
    },
  });
}
