/** `read` of a line from what a loop or a group is given. */
import type { CommandNode } from 'just-bash';
import { literalText } from '../array-literals.ts';
import { type Action, type Compiled, LEFT, type Text } from './compiled.ts';
import { isAssignable } from './numbers.ts';
import type { Words } from './words.ts';

type SimpleCommand = Extract<CommandNode, { type: 'SimpleCommand' }>;

const NAME = /^[A-Za-z_]\w*$/;
const ASCII = /^[\x00-\x7f]*$/;

/** `[IFS=…] read [-r] [NAME…]`; null for any other. */
export function readCommand(node: SimpleCommand, words: Words): Compiled | null {
  const [first, ...others] = node.assignments;
  if (others.length > 0 || (first !== undefined && (first.name !== 'IFS' || first.append)))
    return null;
  const separators: Text | null = first?.value == null ? () => '' : words.value(first.value);
  const texts = node.args.map(literalText);
  const raw = texts[0] === '-r';
  const names = (raw ? texts.slice(1) : texts).filter((text) => text !== null);
  if (names.length < texts.length - Number(raw) || separators === null) return null;
  if (!names.every((name) => NAME.test(name))) return null;
  const run: Action = ({ state }) => {
    const input = state.groupStdin;
    if (input === undefined || state.groupStdinSourceFd !== undefined) return LEFT;
    const end = input.indexOf('\n');
    const line = end === -1 ? input : input.slice(0, end);
    // Bytes beyond ASCII are decoded, and a backslash may join lines.
    if (!ASCII.test(line) || line.includes('\0') || (!raw && line.includes('\\'))) return LEFT;
    const targets = names.length === 0 ? ['REPLY'] : names;
    if (!targets.every((name) => isAssignable(state, name))) return LEFT;
    const by = first === undefined ? (state.env.get('IFS') ?? ' \t\n') : separators(state);
    const fields = by === null ? null : names.length === 0 ? [line] : split(line, by, names.length);
    if (fields === null) return LEFT;
    for (const [at, name] of targets.entries()) state.env.set(name, fields[at] ?? '');
    state.groupStdin = end === -1 ? '' : input.slice(end + 1);
    state.lastArg = texts.at(-1) ?? 'read';
    return end === -1 ? 1 : 0;
  };
  return { run, name: 'read' };
}

/** A line in so many fields, the last with all that is left; null where the interpreter must tell. */
function split(line: string, separators: string, count: number): string[] | null {
  if (separators === '') return [line];
  if (/^[ \t\n]+$/.test(separators)) {
    if (separators !== ' \t\n') return null;
    return blankFields(line, count);
  }
  if (separators.length > 1) return null;
  const fields = line.split(separators);
  // One separator at the end belongs to the last field, several make it longer.
  return fields.length <= count ? fields : null;
}

function blankFields(line: string, count: number): string[] {
  const fields: string[] = [];
  let rest = line.replace(/^[ \t]+/, '');
  while (fields.length < count - 1 && rest !== '') {
    const end = rest.search(/[ \t]/);
    fields.push(end === -1 ? rest : rest.slice(0, end));
    rest = end === -1 ? '' : rest.slice(end).replace(/^[ \t]+/, '');
  }
  if (rest !== '') fields.push(rest.replace(/[ \t]+$/, ''));
  return fields;
}
