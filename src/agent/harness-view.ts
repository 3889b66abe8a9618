/** What a turn takes of the harness: the state that is in force from its beginning to its end. */
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
  /** Who else must be allowed what it does: who scheduled its prompt. */
  onBehalfOf?: readonly string[];
}

/** A skill: read whole when it is called. */
export interface SkillView {
  name: string;
  description: string;
  /** Of its SKILL.md in the namespace. */
  path: string;
  body: string;
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
  /** Templates of prompts by name. */
  prompts: ReadonlyMap<string, string>;
  instructions: readonly Instructions[];
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
