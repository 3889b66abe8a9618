/** Associative arrays as `declare -p` prints them: just-bash sorts and quotes them in a way of its own. */
import { hashedKeys } from './hash-order.ts';
import type { CommandResult, InterpreterState, ShellArray } from './interpreter-types.ts';

const PRINTS = new Set(['declare', 'typeset', 'local', 'export', 'readonly']);
const LINE = /^(declare -\w*A\w*) (\w+)=\(.*\)$/gm;
const PLAIN_KEY = /^[\w%+,./:@^=-]+$/;

/** The result of a builtin, its associative arrays spelled as bash spells them. */
export function withListings(
  name: string,
  result: CommandResult,
  state: InterpreterState,
): CommandResult {
  if (!PRINTS.has(name) || result.stdout === '' || !/^declare -\w*A/m.test(result.stdout)) {
    return result;
  }
  const stdout = result.stdout.replace(LINE, (line, declared: string, array: string) => {
    const known = state.arrays.get(array);
    return known === undefined ? line : `${declared} ${array}=${listing(known)}`;
  });
  const { internalOutputAccounting: _counted, ...rest } = result;
  return { ...rest, stdout };
}

function listing(array: ShellArray): string {
  const items = hashedKeys(array).map((key) => {
    const shown = PLAIN_KEY.test(key) ? key : inQuotes(key);
    return `[${shown}]=${inQuotes(array.elements.get(key) ?? '')} `;
  });
  return `(${items.join('')})`;
}

function inQuotes(text: string): string {
  if (/[\x00-\x1f\x7f]/.test(text)) return ansiQuoted(text);
  return `"${text.replace(/["$`\\]/g, '\\$&')}"`;
}

const NAMED: Readonly<Record<string, string>> = {
  '\n': '\\n',
  '\t': '\\t',
  '\r': '\\r',
  '\x07': '\\a',
  '\b': '\\b',
  '\f': '\\f',
  '\v': '\\v',
  '\x1b': '\\E',
  "'": "\\'",
  '\\': '\\\\',
};

/** `$'…'` */
export function ansiQuoted(text: string): string {
  const body = text.replace(
    /[\x00-\x1f\x7f'\\]/g,
    (char) => NAMED[char] ?? `\\${char.charCodeAt(0).toString(8).padStart(3, '0')}`,
  );
  return `$'${body}'`;
}
