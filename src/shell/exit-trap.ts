/** The EXIT trap, when a script ends. */
import { parse } from 'just-bash';
import type { FlowError, Run } from './frame.ts';
import type { CommandResult } from './interpreter-types.ts';
import { asText, textOf } from './results.ts';
import { isAbort, isFlow } from './run.ts';

/** Runs a subshell's commands: they have traps of their own, and their EXIT trap runs at their end. */
export async function withOwnTraps(
  run: Run,
  original: () => Promise<CommandResult>,
): Promise<CommandResult> {
  const outer = run.traps;
  run.traps = new Map(outer);
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
  const set = run.traps.get('EXIT');
  // A substitution sees the trap of the shell around it, and does not run it.
  const command = set?.pid === run.ctx.state.bashPid ? set.command : undefined;
  run.traps.delete('EXIT');
  if (command !== undefined && command !== '') {
    const { state } = run.ctx;
    const status = result?.exitCode ?? flow?.exitCode ?? state.lastExitCode;
    state.lastExitCode = status;
    state.env.set('?', String(status));
    run.exiting = status;
    let after: CommandResult;
    try {
      after = await run.ctx.executeScript(parse(command));
    } catch (error) {
      // `exit` in the trap says what the status is.
      if (!isFlow(error) || error.name !== 'ExitError') throw error;
      const { stdout = '', stderr = '', exitCode = status } = error;
      after = { stdout, stderr, exitCode };
      if (result !== undefined) result = { ...result, exitCode };
      if (flow !== undefined) flow.exitCode = exitCode;
    } finally {
      run.exiting = null;
    }
    if (result !== undefined) {
      const { internalOutputAccounting: _counted, ...before } = asText(result, false);
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
