/** `"$@"`, `$cmd` and `"${cmd[@]}"` as commands: just-bash takes all that they come to for one name. */
import type { CommandNode, WordNode } from 'just-bash';
import type { InterpreterState, WordPart } from './interpreter-types.ts';

type SimpleCommand = Extract<CommandNode, { type: 'SimpleCommand' }>;
type Expand = (words: readonly WordNode[]) => Promise<string[]>;

/** What may come to more than one word, or to none. */
function isOpen(part: WordPart): boolean {
  if (part.type === 'DoubleQuoted') return part.parts.some(isList);
  return part.type === 'ParameterExpansion' || part.type === 'CommandSubstitution';
}

function isList(part: WordPart): boolean {
  return part.type === 'ParameterExpansion' && /^@$|\[@\]$/.test(part.parameter);
}

/** Must the name be expanded before the command is run? */
export function hasOpenName(node: CommandNode): node is SimpleCommand & { name: WordNode } {
  return node.type === 'SimpleCommand' && (node.name?.parts.some(isOpen) ?? false);
}

/** The command with its name expanded; the words beyond the first are arguments. */
export async function withName(
  node: SimpleCommand & { name: WordNode },
  state: InterpreterState,
  expand: Expand,
): Promise<SimpleCommand> {
  const { lastExitCode } = state;
  const traced = state.options['xtrace'] === true;
  let rest: readonly WordNode[] = [node.name, ...node.args];
  let found: string[] = [];
  try {
    // The trace is of the command, not of how it came about.
    state.options['xtrace'] = false;
    while (found.length === 0 && rest[0] !== undefined) {
      found = await expand([rest[0]]);
      rest = rest.slice(1);
    }
  } finally {
    state.options['xtrace'] = traced;
  }
  const [name, ...words] = found.map(literal);
  if (name === undefined) {
    // Where nothing is left, the status is that of the substitutions; without one it is 0.
    if (!node.name.parts.some((part) => part.type === 'CommandSubstitution')) {
      state.lastExitCode = 0;
      state.env.set('?', '0');
    }
    return { ...node, name: null, args: [] };
  }
  state.lastExitCode = lastExitCode;
  state.env.set('?', String(lastExitCode));
  return { ...node, name, args: [...words, ...rest] };
}

function literal(value: string): WordNode {
  return { type: 'Word', parts: [{ type: 'SingleQuoted', value }] };
}
