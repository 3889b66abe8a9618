/**
 * What a message stands for: `$skill args` brings the skill, `/template args`
 * the template, filled in. A name that is not known leaves the message as it is.
 */
import { expandTemplate } from '../harness/templates.ts';
import type { HarnessView, SkillView } from './harness-view.ts';

/** The text that is persisted, and sent. */
export function expandPrompt(
  text: string,
  harness: Pick<HarnessView, 'prompts'>,
  skills: readonly SkillView[],
): string {
  const [, sigil, name = '', rest = ''] = /^([$/])([\w.-]+)(?:\s+([\s\S]*))?$/.exec(text) ?? [];
  if (sigil === '$') {
    const skill = skills.find((each) => each.name === name);
    return skill === undefined ? text : expandSkill(skill, rest);
  }
  if (sigil === '/') {
    const template = harness.prompts.get(name);
    return template === undefined ? text : expandTemplate(template, rest);
  }
  return text;
}

/** What a skill says, and what it is to be applied to. */
export function expandSkill({ name, path, body }: SkillView, rest: string): string {
  const task = rest.trim() === '' ? '' : `\n\n${rest.trim()}`;
  return `<skill name="${name}" location="${path}">\n${body.trim()}\n</skill>${task}`;
}
