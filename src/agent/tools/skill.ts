/** The tool `skill`: brings what a skill says into the conversation. */
import { z } from 'zod';
import { expandSkill } from '../expand.ts';
import type { SkillView } from '../harness-view.ts';
import { type AgentTool, defineTool, ToolFault } from '../tool.ts';

/** @param skills those that the agent may use */
export function skillTool(skills: readonly SkillView[]): AgentTool {
  return defineTool({
    name: 'skill',
    description: 'Reads a skill: how something is done here. The skills are listed in the prompt.',
    input: z.strictObject({
      name: z.string().min(1),
      arguments: z.string().optional().describe('What the skill is to be applied to'),
    }),
    repeatable: true,
    readOnly: true,
    run: async ({ name, arguments: rest = '' }) => {
      const skill = skills.find((each) => each.name === name);
      if (skill !== undefined) return expandSkill(skill, rest);
      const names = skills.map((each) => each.name).join(', ');
      throw new ToolFault(
        `there is no skill "${name}" for this agent; there are: ${names || 'none'}`,
      );
    },
  });
}
