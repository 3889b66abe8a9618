/** The pipe before a compound command, which just-bash keeps from some of them. */
import type { CommandNode } from 'just-bash';
import type { CommandResult, InterpreterContext } from './interpreter-types.ts';

/** Compound commands to which just-bash gives nothing of a pipe: `x | if grep q; then …`. */
const DEAF = new Set(['If', 'For', 'CStyleFor', 'Case']);

/** Gives a compound command the pipe before it, where just-bash does not. */
export async function withPipe(
  ctx: InterpreterContext,
  node: CommandNode,
  stdin: string | null,
  original: () => Promise<CommandResult>,
): Promise<CommandResult> {
  if (stdin === null || !DEAF.has(node.type)) return original();
  const { state } = ctx;
  const saved = state.groupStdin;
  state.groupStdin = stdin;
  try {
    return await original();
  } finally {
    if (saved === undefined) delete state.groupStdin;
    else state.groupStdin = saved;
  }
}
