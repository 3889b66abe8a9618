/**
 * Templates: `$1`, `$@`, `$ARGUMENTS`, `${@:2}` and `${@:2:3}`, as a shell has them; those of
 * commands have lines of the shell in them.
 */
import { HarnessFault } from './fault.ts';

/** Splits arguments as a shell does: at blanks, except in quotes. A quote that stays open ends with the text. */
export function splitArguments(text: string): string[] {
  const found: string[] = [];
  let current: string | null = null;
  let quote = '';
  for (let index = 0; index < text.length; index++) {
    const character = text.charAt(index);
    if (quote === '' && /\s/.test(character)) {
      if (current !== null) found.push(current);
      current = null;
    } else if (quote === '' && (character === '"' || character === "'")) {
      quote = character;
      current ??= '';
    } else if (character === quote) quote = '';
    else if (character === '\\' && quote !== "'" && index + 1 < text.length)
      current = (current ?? '') + text.charAt(++index);
    else current = (current ?? '') + character;
  }
  if (current !== null) found.push(current);
  return found;
}

const PLACES = /\$(?:(\d+)|(@|ARGUMENTS\b)|\{@:(\d+)(?::(\d+))?\})/g;

/**
 * Puts arguments into a template. What they hold is text: no `$1` in an
 * argument is looked at again. A place without an argument is empty.
 * @param text the arguments as they were typed
 */
export function expandTemplate(template: string, text: string): string {
  const args = splitArguments(text);
  // A function, so that $& and the like in an argument stay what they are.
  return template.replace(PLACES, (...[, one, all, from, count]: string[]) => {
    if (one !== undefined) return args[Number(one) - 1] ?? '';
    if (all !== undefined) return all === '@' ? args.join(' ') : text.trim();
    const start = Math.max(Number(from), 1) - 1;
    return args.slice(start, count === undefined ? undefined : start + Number(count)).join(' ');
  });
}

/** A piece of a command's template: text to fill in, or a line whose output stands in its place. */
export type TemplatePart = { text: string } | { line: string };

const LINE = /!`([^`\n]*)`/g;

/**
 * Takes a command's template apart: a line of the shell stands in it as `` !`LINE` ``. Nothing is
 * put into a line: the shell has the arguments, as `$1` and `"$@"`.
 * @throws HarnessFault where a line is empty, or has no end
 */
export function templateParts(template: string): TemplatePart[] {
  const parts: TemplatePart[] = [];
  let done = 0;
  const text = (end: number): void => {
    const piece = template.slice(done, end);
    if (/(?:^|\s)!`/.test(piece))
      throw new HarnessFault(
        'a line of the shell begins with !` and has no ` after it in its line',
      );
    if (piece !== '') parts.push({ text: piece });
  };
  for (const match of template.matchAll(LINE)) {
    text(match.index);
    const line = match[1]?.trim() ?? '';
    if (line === '') throw new HarnessFault('a line of the shell, !``, is empty');
    parts.push({ line });
    done = match.index + match[0].length;
  }
  text(template.length);
  return parts;
}
