/**
 * The system prompt, in this order: the agent's own text, the tools, guidelines
 * that the active tools call for, the instructions of AGENTS.md, the skills,
 * the environment.
 */
import type { Instructions, SkillView } from './harness-view.ts';
import type { AgentTool } from './tool.ts';

/** What a prompt is made of. */
export interface PromptParts {
  /** The body of the agent's file. */
  base: string;
  tools: readonly AgentTool[];
  instructions: readonly Instructions[];
  skills: readonly SkillView[];
  environment: Environment;
}

/** Where the agent is. */
export interface Environment {
  agent: string;
  cwd: string;
  mounts: readonly string[];
  session: string;
  now: Date;
}

/** The tool without which a skill could not be read. */
const READING = ['read', 'bash', 'skill'];

export function systemPrompt({
  base,
  tools,
  instructions,
  skills,
  environment,
}: PromptParts): string {
  const canRead = tools.some(({ name }) => READING.includes(name));
  return [
    base.trim(),
    toolSection(tools),
    guidelineSection(tools),
    ...instructions.map(
      ({ path, text }) => `<instructions from="${path}">\n${text.trim()}\n</instructions>`,
    ),
    canRead ? skillSection(skills) : '',
    environmentSection(environment),
  ]
    .filter((section) => section !== '')
    .join('\n\n');
}

function toolSection(tools: readonly AgentTool[]): string {
  if (tools.length === 0) return '';
  const lines = tools.map(({ name, description }) => `- ${name}: ${firstSentence(description)}`);
  return `# Tools\n\n${lines.join('\n')}`;
}

const firstSentence = (text: string): string => /^.*?[.!?](?=\s|$)/s.exec(text)?.[0] ?? text;

function guidelineSection(tools: readonly AgentTool[]): string {
  const lines = tools.flatMap(({ guideline }) =>
    guideline === undefined ? [] : [`- ${guideline}`],
  );
  return lines.length === 0 ? '' : `# Guidelines\n\n${lines.join('\n')}`;
}

function skillSection(skills: readonly SkillView[]): string {
  if (skills.length === 0) return '';
  const lines = skills.map(({ name, description, path }) => `- ${name}: ${description} (${path})`);
  return `# Skills\n\nRead a skill before you do what it is about.\n\n${lines.join('\n')}`;
}

function environmentSection({ agent, cwd, mounts, session, now }: Environment): string {
  return [
    '# Environment',
    '',
    `You are the agent "${agent}", in session ${session}.`,
    `The date is ${now.toISOString().slice(0, 10)} (UTC).`,
    `The current directory is ${cwd}.`,
    ...(mounts.length === 0 ? [] : [`Mounted: ${mounts.join(', ')}.`]),
  ].join('\n');
}
