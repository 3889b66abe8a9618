/** `kill` of the shell itself: the one process here to which a signal can be sent. */
import { runTrap, together } from './error-trap.ts';
import type { Run } from './frame.ts';
import type { RunCommand } from './interpreter-class.ts';
import type { CommandResult } from './interpreter-types.ts';
import { killRequest } from './kill-request.ts';
import { textOf } from './results.ts';
import { isFlow } from './run.ts';
import { IGNORED, signalName } from './signal-numbers.ts';

const NOTHING: CommandResult = { stdout: '', stderr: '', exitCode: 0 };

/**
 * The result of a `kill` that names the shell, among others or alone; null for any other. The trap of
 * the signal runs, or else the shell ends, and what is named after it is let be.
 */
export async function signalSelf(
  run: Run,
  args: readonly string[],
  original: RunCommand,
): Promise<CommandResult | null> {
  const request = killRequest(args);
  const { state } = run.ctx;
  if (request.result !== null || request.signal === 0) return null;
  const { targets } = request;
  const at = targets.indexOf(String(state.bashPid));
  const signal = signalName(String(request.signal));
  if (signal === null || at === -1) return null;
  const others = async (some: readonly string[]): Promise<CommandResult> =>
    some.length === 0 ? NOTHING : run.jobs.kill(['-s', signal, '--', ...some], state);
  const before = await others(targets.slice(0, at));
  const set = signal === 'KILL' ? undefined : run.traps.get(signal);
  if (set !== undefined || IGNORED.has(signal)) {
    const runs = set !== undefined && set.command !== '';
    const own = runs ? await runTrap(run, signal, 0, '') : NOTHING;
    const after = await others(targets.slice(at + 1));
    // One that was reached is enough.
    return { ...together(together(before, own), after), exitCode: 0 };
  }
  if (signal === 'KILL') run.traps.delete('EXIT');
  run.line.live.say(before.stderr);
  return original('exit', [String(128 + request.signal)], [false], '');
}

/** Runs the traps of the signals that came while a statement ran, behind what it printed. */
export async function afterSignals(run: Run, result: CommandResult): Promise<CommandResult> {
  let whole = result;
  for (let name = run.signalled.shift(); name !== undefined; name = run.signalled.shift()) {
    try {
      whole = together(whole, await runTrap(run, name, result.exitCode, ''));
    } catch (error) {
      if (isFlow(error)) {
        error.stdout = textOf(whole) + (error.stdout ?? '');
        error.stderr = whole.stderr + (error.stderr ?? '');
      }
      throw error;
    }
  }
  return whole;
}
