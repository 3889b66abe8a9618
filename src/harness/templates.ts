/** Prompt templates: `$1`, `$@`, `$ARGUMENTS`, `${@:2}` and `${@:2:3}`, as a shell has them. */

/** Splits arguments as a shell does: at blanks, except in quotes. A quote that stays open ends with the text. */
function splitArguments(text: string): string[] {
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
