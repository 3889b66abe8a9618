/**
 * `"${x:-word}"` alone in its quotes, under `set -u`: just-bash looks whether x is an array first,
 * and there the unset variable ends the script. With an empty text beside it that look is left out.
 */
import type { CommandNode, WordNode } from 'just-bash';
import type { WordPart } from './interpreter-types.ts';

const ASKS = new Set(['DefaultValue', 'AssignDefault', 'UseAlternative', 'ErrorIfUnset']);

/** The command with its lone defaults mended; the very same one if there are none. */
export function mendDefaults(node: CommandNode): CommandNode {
  if (node.type === 'For') {
    const words = node.words === null ? null : mendedWords(node.words);
    return words === null ? node : { ...node, words };
  }
  if (node.type !== 'SimpleCommand') return node;
  const args = mendedWords(node.args);
  const name = node.name === null ? null : mendedWord(node.name);
  const assignments = node.assignments.map((one) => {
    const array = one.array == null ? null : mendedWords(one.array);
    return array === null ? one : { ...one, array };
  });
  const same =
    args === null &&
    name === node.name &&
    assignments.every((one, index) => one === node.assignments[index]);
  return same ? node : { ...node, name, args: args ?? node.args, assignments };
}

/** Null where no word is mended. */
function mendedWords(words: readonly WordNode[]): WordNode[] | null {
  const all = words.map(mendedWord);
  return all.some((word, index) => word !== words[index]) ? all : null;
}

function mendedWord(word: WordNode): WordNode {
  const [quoted, ...more] = word.parts;
  if (more.length > 0 || quoted?.type !== 'DoubleQuoted') return word;
  const [part, ...others] = quoted.parts;
  if (others.length > 0 || part === undefined || !asks(part)) return word;
  const parts: WordPart[] = [part, { type: 'Literal', value: '' }];
  return { ...word, parts: [{ ...quoted, parts }] };
}

/** Of one variable, and with nothing in it that becomes several words. */
function asks(part: WordPart): boolean {
  if (part.type !== 'ParameterExpansion' || !/^\w+(?:\[[^@*\]]+\])?$/.test(part.parameter))
    return false;
  const { operation } = part;
  return operation !== null && ASKS.has(operation.type) && !isList(operation);
}

function isList(node: unknown): boolean {
  if (typeof node !== 'object' || node === null) return false;
  const { parameter } = node as { parameter?: unknown };
  if (typeof parameter === 'string' && /^[@*]$|\[[@*]\]$/.test(parameter)) return true;
  return Object.values(node).some(isList);
}
