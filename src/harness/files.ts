/** The kinds of files in a harness, each read from its text alone, and checked. */

import { z } from 'zod';
import { slownessOf } from '../policy/bounded-glob.ts';
import { USER } from '../policy/context.ts';
import type { FilesystemRights, Right, ToolSwitches } from '../policy/rights.ts';
import { HarnessFault } from './fault.ts';
import { check, split } from './fields.ts';
import { untrustedInputSchema } from './input-schema.ts';
import { templateParts } from './templates.ts';

export { HarnessFault, untrustedInputSchema };

/** An agent: `agents/NAME.md`. */
export interface AgentFile {
  name: string;
  description: string;
  filesystem: FilesystemRights;
  /** `auto`, or a model id. */
  model: string;
  tools: ToolSwitches;
  /** null means all. */
  skills: readonly string[] | null;
  /** The system prompt. */
  prompt: string;
}

/** A skill: `skills/NAME/SKILL.md`. */
export interface SkillFile {
  name: string;
  description: string;
  /** In the namespace. */
  location: string;
  body: string;
}

/** A prompt template: `prompts/NAME.md`. */
export interface PromptFile {
  name: string;
  description: string;
  template: string;
}

/** A command of a conversation: `commands/NAME.md`, a template with settings for its turn. */
export interface CommandFile {
  name: string;
  description: string;
  /** What follows the name, as a hint; empty where nothing does. */
  arguments: string;
  /** The agent that carries it out, within the rights of the one that was asked; null for that one. */
  agent: string | null;
  /** The model of its turn; null for that of the agent. */
  model: string | null;
  /** What its turn lacks of the agent's tools. */
  tools: ToolSwitches;
  /** With lines of the shell in it: see `templateParts`. */
  template: string;
}

/** A rule of the deployment: `rules/NAME.md`. */
export interface RuleFile {
  name: string;
  /** Globs of the paths that it is about, links resolved; null where it always holds. */
  paths: readonly string[] | null;
  /** In the namespace. */
  location: string;
  text: string;
}

/** A tool that an agent may write: `tools/NAME.sh`, which runs inside the sandbox. */
export interface ToolFile {
  name: string;
  description: string;
  /** JSON Schema of its input, an object. */
  input: Readonly<Record<string, unknown>>;
  /** In the namespace. */
  location: string;
}

const WORDS: Readonly<Record<string, Right>> = {
  'read-only': 'read-only',
  ro: 'read-only',
  append: 'append',
  'read-write': 'read-write',
  rw: 'read-write',
};

const right = z
  .enum(['read-only', 'read-write', 'append', 'ro', 'rw'])
  .transform((word): Right => WORDS[word] ?? 'read-only');

/** Globs of one rule. */
const MOST_GLOBS = 16;
/** A rule stands in a conversation as a whole. Characters. */
const LONGEST_RULE = 16_384;

const mountPath = z
  .string()
  .regex(/^(\*|\/|(\/[^/]+)+)$/, 'must be a mount path such as /workspace, or "*" for the rest');

/** Names of tools are few and short, but the glob may be an agent's. */
const toolGlob = z
  .string()
  .min(1)
  .superRefine((glob, context) => {
    const slow = slownessOf(glob);
    if (slow !== null) context.addIssue({ code: 'custom', message: `a glob of tools ${slow}` });
  });

const toolSwitches = z.record(toolGlob, z.boolean()).default({});

const agentFields = z.strictObject({
  description: z.string().min(1),
  filesystem: z.union([right, z.record(mountPath, right)]).default('read-write'),
  model: z.string().min(1).default('auto'),
  tools: toolSwitches,
  skills: z.array(z.string().min(1)).nullable().default(null),
});

const skillFields = z.looseObject({
  name: z.string().optional(),
  description: z.string().min(1),
});

const promptFields = z.looseObject({ description: z.string().default('') });

/** Held against every path that a turn reads or writes. */
const pathGlob = z
  .string()
  .regex(/^(\/|\*\*)/, 'must be an absolute path, such as /mnt/docs/**, or begin with **')
  .superRefine((glob, context) => {
    const slow = slownessOf(glob);
    if (slow !== null) context.addIssue({ code: 'custom', message: `a glob of paths ${slow}` });
  });

const ruleFields = z.strictObject({
  description: z.string().optional(),
  paths: z.preprocess(
    (paths) => (typeof paths === 'string' ? [paths] : paths),
    z.array(pathGlob).min(1).max(MOST_GLOBS).nullable().default(null),
  ),
});

const commandFields = z.strictObject({
  description: z.string().min(1),
  arguments: z.string().default(''),
  agent: z.string().min(1).nullable().default(null),
  model: z.string().min(1).nullable().default(null),
  tools: toolSwitches,
});

const toolFields = z.strictObject({
  description: z.string().min(1),
  input: z.looseObject({ type: z.literal('object') }).default({ type: 'object' }),
});

/** Reads `agents/NAME.md`. @throws HarnessFault */
export function parseAgent(name: string, text: string): AgentFile {
  // Rules tell the person in charge from agents by this name.
  if (name === USER)
    throw new HarnessFault(`"${USER}" is the person at the shell: take another name`);
  const { fields, body } = split(text);
  const agent = check(agentFields, fields);
  if (body.trim() === '') throw new HarnessFault('it has no text: the text is the system prompt');
  return { name, ...agent, prompt: body };
}

/** Reads `skills/NAME/SKILL.md`. @throws HarnessFault */
export function parseSkill(name: string, text: string): SkillFile {
  const { fields, body } = split(text);
  const skill = check(skillFields, fields);
  if (skill.name !== undefined && skill.name !== name)
    throw new HarnessFault(`name: its directory is called ${name}, and that is its name`);
  return {
    name,
    description: skill.description,
    location: `/harness/skills/${name}/SKILL.md`,
    body,
  };
}

/** Reads `prompts/NAME.md`; fields are optional. @throws HarnessFault */
export function parsePrompt(name: string, text: string): PromptFile {
  const { fields, body } = text.startsWith('---\n') ? split(text) : { fields: {}, body: text };
  if (body.trim() === '') throw new HarnessFault('it is empty');
  return { name, description: check(promptFields, fields).description, template: body.trimEnd() };
}

/** Reads `rules/NAME.md`; fields are optional. @throws HarnessFault */
export function parseRule(name: string, text: string): RuleFile {
  const { fields, body } = text.startsWith('---\n') ? split(text) : { fields: {}, body: text };
  const { paths } = check(ruleFields, fields);
  const rule = body.trim();
  if (rule === '') throw new HarnessFault('it is empty');
  if (rule.length > LONGEST_RULE)
    throw new HarnessFault(`a rule has ${LONGEST_RULE} characters at most: make it a skill`);
  return { name, paths, location: `/harness/rules/${name}.md`, text: rule };
}

/** Reads `commands/NAME.md`. @throws HarnessFault */
export function parseCommand(name: string, text: string): CommandFile {
  const { fields, body } = split(text);
  const command = check(commandFields, fields);
  const template = body.trim();
  if (template === '')
    throw new HarnessFault('it has no text: the text is what the agent is asked');
  templateParts(template);
  return { name, ...command, template };
}

/**
 * Reads the header of `tools/NAME.sh`: comment lines between two `# ---`, as
 * frontmatter, after the `#!` line.
 * @throws HarnessFault
 */
export function parseTool(name: string, text: string): ToolFile {
  const lines = text.split('\n');
  const start = lines[0]?.startsWith('#!') === true ? 1 : 0;
  const end = lines.indexOf('# ---', start + 1);
  if (lines[start] !== '# ---' || end < 0) {
    throw new HarnessFault(
      'it has no header: after the #! line, "# ---", its description and input as comments, "# ---"',
    );
  }
  const yaml = lines.slice(start + 1, end).map((line) => {
    if (!/^#( |$)/.test(line))
      throw new HarnessFault(`its header has a line without "# ": ${line}`);
    return line.slice(2);
  });
  const { fields } = split(`---\n${yaml.join('\n')}\n---\n`);
  const tool = check(toolFields, fields);
  untrustedInputSchema(tool.input);
  return { name, ...tool, location: `/harness/tools/${name}.sh` };
}
