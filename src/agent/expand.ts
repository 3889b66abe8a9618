/**
 * What a message stands for: `$skill args` brings the skill, `/command args` the command or the
 * template, filled in. A name that is not known leaves the message as it is.
 */
import { expandTemplate, splitArguments } from '../harness/templates.ts';
import { quoted } from '../shell/quote.ts';
import type { CallResult } from './call.ts';
import type { CommandView, HarnessView, SkillView } from './harness-view.ts';
import { labelled } from './untrusted.ts';

/** The text that is persisted, and sent. */
export interface Expansion {
  text: string;
  /** The services whose text stands in it, between marks. */
  untrusted: readonly string[];
  /** Names of the deployment's rules for paths that the command's lines have met. */
  rules: readonly string[];
}

const CALL = /^([$/])([\w.-]+)(?:\s+([\s\S]*))?$/;

/** The command that a message calls; null where it calls none. */
export function commandIn(
  text: string,
  { commands }: Pick<HarnessView, 'commands'>,
): CommandView | null {
  const [, sigil, name = ''] = CALL.exec(text) ?? [];
  return sigil === '/' ? (commands.get(name) ?? null) : null;
}

/** @param runLine runs a line of the shell that a command has in its text */
export async function expandPrompt(
  text: string,
  harness: Pick<HarnessView, 'commands'>,
  skills: readonly SkillView[],
  runLine: (line: string) => Promise<CallResult>,
): Promise<Expansion> {
  const [, sigil, name = '', rest = ''] = CALL.exec(text) ?? [];
  if (sigil === '$') {
    const skill = skills.find((each) => each.name === name);
    return {
      text: skill === undefined ? text : expandSkill(skill, rest),
      untrusted: [],
      rules: [],
    };
  }
  const command = commandIn(text, harness);
  return command === null
    ? { text, untrusted: [], rules: [] }
    : expandCommand(command, rest, runLine);
}

/** What a skill says, and what it is to be applied to. */
export function expandSkill({ name, path, body }: SkillView, rest: string): string {
  const task = rest.trim() === '' ? '' : `\n\n${rest.trim()}`;
  return `<skill name="${name}" location="${path}">\n${body.trim()}\n</skill>${task}`;
}

/** What a line printed is put in as it is: nothing in it is looked at again. */
async function expandCommand(
  { name, parts }: CommandView,
  rest: string,
  runLine: (line: string) => Promise<CallResult>,
): Promise<Expansion> {
  const pieces: string[] = [];
  const origins = new Set<string>();
  const met = new Set<string>();
  for (const part of parts) {
    if ('text' in part) {
      pieces.push(expandTemplate(part.text, rest));
      continue;
    }
    const { text, untrusted = [], rules = [] } = await runLine(shellLine(name, part.line, rest));
    for (const origin of untrusted) origins.add(origin);
    for (const rule of rules) met.add(rule);
    pieces.push(untrusted.length === 0 ? text : labelled(text, untrusted));
  }
  return { text: pieces.join(''), untrusted: [...origins], rules: [...met] };
}

/** In a shell of its own below the world's, whose state stays as it is; the arguments are its own, and no part of the line. */
function shellLine(name: string, line: string, rest: string): string {
  const words = [line, `/${name}`, ...splitArguments(rest)].map(quoted);
  return `ARGUMENTS=${quoted(rest.trim())} bash -c ${words.join(' ')}`;
}
