/** What a turn takes of the harness: the state that is in force from its beginning to its end. */
import { ConfigError } from '../errors.ts';
import type { CommandFile } from '../harness/files.ts';
import type { TemplatePart } from '../harness/templates.ts';
import type { PlanScope } from '../policy/plan.ts';
import type { FilesystemRights, ToolSwitches } from '../policy/rights.ts';
import type { AgentTool } from './tool.ts';

/** An agent, as its file says. */
export interface AgentView {
  name: string;
  description: string;
  /** `auto`, or the id of a model. */
  model: string;
  /** The body of its file. */
  prompt: string;
  /** Globs of tool names; the last that matches decides. */
  allowsTool(name: string): boolean;
  /** What it may do with files, within what mounts and policy allow. */
  filesystem: FilesystemRights;
  /** Names of skills; null for all. */
  skills: readonly string[] | null;
  /** The switches that `allowsTool` goes by, as they are kept with a prompt that it schedules. */
  tools?: readonly ToolSwitches[];
  /** Plans of whoever asks for it, which bound it. */
  plans?: readonly PlanScope[];
  /** Who else must be allowed what it does: who scheduled its prompt. */
  onBehalfOf?: readonly string[];
  /** The people who have it done; absent for the person in charge. */
  people?: readonly string[];
}

/** A skill: read whole when it is called. */
export interface SkillView {
  name: string;
  description: string;
  /** Of its SKILL.md in the namespace. */
  path: string;
  body: string;
}

/** What `/NAME` stands for: a command, or a template, which is a command without settings. */
export interface CommandView extends Omit<CommandFile, 'template'> {
  parts: readonly TemplatePart[];
}

/** A rule of the deployment. */
export interface RuleView {
  name: string;
  /** Globs of the paths that it is about; null where it always holds. */
  paths: readonly string[] | null;
  /** Of its file in the namespace. */
  path: string;
  text: string;
}

/** A file of standing instructions. */
export interface Instructions {
  path: string;
  text: string;
}

/** The harness at one moment. */
export interface HarnessView {
  agents: ReadonlyMap<string, AgentView>;
  skills: ReadonlyMap<string, SkillView>;
  /** Of commands and templates; of two with one name the command. */
  commands: ReadonlyMap<string, CommandView>;
  instructions: readonly Instructions[];
  /** Those for paths; the others are among the instructions. */
  rules: readonly RuleView[];
  /** The deployment's own tools. */
  tools: readonly AgentTool[];
  /** Puts the policy of this state in force. @throws ConfigError */
  enforce(): Promise<void>;
}

/** The skills that an agent may use. */
export function skillsOf(agent: AgentView, harness: HarnessView): SkillView[] {
  const { skills } = agent;
  return [...harness.skills.values()].filter(
    ({ name }) => skills === null || skills.includes(name),
  );
}

export const DEFAULT_AGENT = 'assistant';

/** @throws ConfigError that names the agents there are */
export function agentOf(harness: HarnessView, name: string = DEFAULT_AGENT): AgentView {
  const agent = harness.agents.get(name);
  if (agent !== undefined) return agent;
  const names = [...harness.agents.keys()].join(', ');
  throw new ConfigError('agent', `there is no agent "${name}"; there are: ${names}`);
}
