/** The EXIT trap, when a script ends. */
import { parse } from 'just-bash';
import type { CommandResult } from './interpreter-types.ts';
import { asText, textOf } from './results.ts';
import { type FlowError, isAbort, isFlow, type Run } from './run.ts';

/** Runs a subshell's commands: they have traps of their own, and their EXIT trap runs at their end. */
export async function withOwnTraps(
  run: Run,
  original: () => Promise<CommandResult>,
): Promise<CommandResult> {
  const outer = run.traps;
  run.traps = new Map();
  try {
    return await withExitTrap(run, original);
  } finally {
    run.traps = outer;
  }
}

/** Runs a script and then its EXIT trap, whose output follows the script's and whose status does not count. */
export async function withExitTrap(
  run: Run,
  original: () => Promise<CommandResult>,
): Promise<CommandResult> {
  let result: CommandResult | undefined;
  let flow: FlowError | undefined;
  try {
    result = await original();
  } catch (error) {
    if (!isFlow(error) || isAbort(error) || error.stdout === undefined) throw error;
    flow = error;
  }
  const command = run.traps.get('EXIT');
  run.traps.delete('EXIT');
  if (command !== undefined && command !== '') {
    const { state } = run.ctx;
    const status = result?.exitCode ?? flow?.exitCode ?? state.lastExitCode;
    state.lastExitCode = status;
    state.env.set('?', String(status));
    const after = await run.ctx.executeScript(parse(command));
    if (result !== undefined) {
      const before = asText(result, false);
      result = {
        ...before,
        stdout: before.stdout + textOf(after),
        stderr: before.stderr + after.stderr,
      };
    } else if (flow !== undefined) {
      flow.stdout += textOf(after);
      flow.stderr = (flow.stderr ?? '') + after.stderr;
    }
  }
  if (flow !== undefined) throw flow;
  if (result === undefined) throw new Error('a script ended with neither a result nor an error');
  return result;
}
