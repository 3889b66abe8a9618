/**
 * What a message stands for: `$skill args` brings the skill, `/template args`
 * the template, filled in. A name that is not known leaves the message as it is.
 */
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

/**
 * Fills in `$1`, `$@`, `$ARGUMENTS`, `${@:2}` and `${@:2:3}`; what a template
 * does not name is left out, as shells do. One pass: an argument is not expanded again.
 */
export function expandTemplate(template: string, rest: string): string {
  const args = splitArguments(rest);
  return template.replace(
    /\$(?:\{@:(\d+)(?::(\d+))?\}|(ARGUMENTS\b|@)|(\d+))/g,
    (_, from?: string, count?: string, all?: string, place?: string) => {
      if (all !== undefined) return all === '@' ? args.join(' ') : rest.trim();
      if (place !== undefined) return args[Number(place) - 1] ?? '';
      const first = Math.max(Number(from) - 1, 0);
      const last = count === undefined ? undefined : first + Number(count);
      return args.slice(first, last).join(' ');
    },
  );
}

/** Words; quotes hold one together. */
export function splitArguments(text: string): string[] {
  return [...text.matchAll(/"([^"]*)"|'([^']*)'|(\S+)/g)].map(
    ([, double, single, bare]) => double ?? single ?? bare ?? '',
  );
}
