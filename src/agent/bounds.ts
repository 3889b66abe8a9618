/** An agent within the rights of somebody else: nothing is gained by asking another one. */
import type { Author } from '../policy/author.ts';
import { USER } from '../policy/context.ts';
import { intersectFilesystem, type ToolSwitches } from '../policy/rights.ts';
import { allowsTool } from '../policy/tool-switches.ts';
import type { AgentView } from './harness-view.ts';

/** An agent with no right that the other one lacks. */
export function within(
  agent: AgentView,
  other: Pick<
    AgentView,
    'allowsTool' | 'filesystem' | 'skills' | 'tools' | 'onBehalfOf' | 'people' | 'plans'
  >,
): AgentView {
  return {
    ...agent,
    allowsTool: (name) => other.allowsTool(name) && agent.allowsTool(name),
    tools: [...(other.tools ?? []), ...(agent.tools ?? [])],
    filesystem: intersectFilesystem(other.filesystem, agent.filesystem),
    skills: bothOf(other.skills, agent.skills),
    plans: [...(other.plans ?? []), ...(agent.plans ?? [])],
    onBehalfOf: [...(other.onBehalfOf ?? []), ...(agent.onBehalfOf ?? [])],
    people: [...new Set([...(other.people ?? []), ...(agent.people ?? [])])],
  };
}

/** An agent that does what somebody else has written for it to do. */
export function onBehalfOf(agent: AgentView, { actors, rights, people = [] }: Author): AgentView {
  return within(agent, {
    ...rights,
    allowsTool: (name) => allowsTool(rights, name),
    // What a person asks for, they ask of the agent: it acts by its own rules.
    onBehalfOf: actors.filter((actor) => actor !== USER),
    people,
  });
}

function bothOf(
  a: readonly string[] | null,
  b: readonly string[] | null,
): readonly string[] | null {
  if (a === null) return b;
  return b === null ? a : b.filter((name) => a.includes(name));
}

/** An agent without some of its tools. */
export function without(agent: AgentView, switches: ToolSwitches): AgentView {
  return {
    ...agent,
    tools: [...(agent.tools ?? []), switches],
    allowsTool: (name) => agent.allowsTool(name) && allowsTool({ tools: [switches] }, name),
  };
}
