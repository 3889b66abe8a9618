/** What a loop comes to that `break` or `continue` has ended: they succeed, and just-bash tells of the command before. */
import type { CommandNode, StatementNode } from 'just-bash';
import type { Loop, Run } from './frame.ts';
import type { CommandResult } from './interpreter-types.ts';

/** Runs a command; of a loop the status is that of what it ran last. */
export function withLoop(
  run: Run,
  node: CommandNode,
  execute: () => Promise<CommandResult>,
): Promise<CommandResult> {
  switch (node.type) {
    case 'For':
    case 'CStyleFor':
    case 'While':
    case 'Until':
      return inLoop(run, { body: node.body, steered: false }, execute);
    default:
      return execute();
  }
}

async function inLoop(
  { loops }: Run,
  loop: Loop,
  execute: () => Promise<CommandResult>,
): Promise<CommandResult> {
  loops.push(loop);
  try {
    const result = await execute();
    return loop.steered && result.exitCode !== 0 ? { ...result, exitCode: 0 } : result;
  } finally {
    loops.splice(loops.lastIndexOf(loop), 1);
  }
}

/** `break` or `continue` is called. @param levels how many loops it is about, as it is written */
export function steer({ loops, ctx }: Run, levels: string | undefined): void {
  const depth = Math.min(Number(levels ?? 1), ctx.state.loopDepth ?? 0);
  const loop = depth >= 1 ? loops.at(-depth) : undefined;
  if (loop !== undefined) loop.steered = true;
}

/** A statement begins: where it stands in the body of a loop, that goes on. */
export function goOn({ loops }: Run, statement: StatementNode): void {
  const loop = loops.at(-1);
  if (loop?.steered === true && loop.body.includes(statement)) loop.steered = false;
}
