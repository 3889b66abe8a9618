/** `exec COMMAND`: the command takes the place of the shell, which just-bash leaves standing. */
import type { FlowError, Run } from './frame.ts';
import type { RunCommand } from './interpreter-class.ts';
import type { CommandResult } from './interpreter-types.ts';
import { isFlow } from './run.ts';

/** What ends the shell once the command's output has gone where it belongs. */
export async function replacedShell(
  run: Run,
  { exitCode }: CommandResult,
  original: RunCommand,
): Promise<FlowError> {
  // A command that was not found leaves the shell to itself, and its trap with it.
  if (exitCode !== 127 && exitCode !== 126) run.traps.delete('EXIT');
  try {
    await original('exit', [String(exitCode)], [false], '');
  } catch (error) {
    if (isFlow(error)) return error;
    throw error;
  }
  throw new Error('just-bash did not end the shell at `exit`');
}

/** The error, with a result as what it carries. */
export function endingWith(error: FlowError, result: CommandResult): FlowError {
  const { stdout, stderr, exitCode } = result;
  const internalOutputAccounting = result.internalOutputAccounting ?? { stdout: 0, stderr: 0 };
  return Object.assign(error, { stdout, stderr, exitCode, internalOutputAccounting });
}
