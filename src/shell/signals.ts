/** `kill` of the shell itself: the one process here to which a signal can be sent. */
import { runTrap } from './error-trap.ts';
import type { Run } from './frame.ts';
import type { RunCommand } from './interpreter-class.ts';
import type { CommandResult } from './interpreter-types.ts';

const NUMBERS: Readonly<Record<string, number>> = {
  HUP: 1,
  INT: 2,
  QUIT: 3,
  KILL: 9,
  USR1: 10,
  USR2: 12,
  PIPE: 13,
  ALRM: 14,
  TERM: 15,
};
const IGNORED = new Set(['CHLD', 'CONT', 'WINCH', 'URG']);

/**
 * The result of a `kill` that names the shell and nothing else; null for any other. The trap of the
 * signal runs, or else the shell ends.
 */
export async function signalSelf(
  run: Run,
  args: readonly string[],
  original: RunCommand,
): Promise<CommandResult | null> {
  const { signal, targets } = asked(args);
  const { bashPid } = run.ctx.state;
  if (signal === null || targets.length !== 1 || targets[0] !== String(bashPid)) return null;
  const nothing = { stdout: '', stderr: '', exitCode: 0 };
  const set = signal === 'KILL' ? undefined : run.traps.get(signal);
  // What the trap came to is not what `kill` came to.
  if (set !== undefined) {
    return set.command === '' ? nothing : { ...(await runTrap(run, signal, 0, '')), exitCode: 0 };
  }
  if (IGNORED.has(signal)) return nothing;
  if (signal === 'KILL') run.traps.delete('EXIT');
  return original('exit', [String(128 + (NUMBERS[signal] ?? 0))], [false], '');
}

/** The signal by its name, TERM if none is given; null where it is none, or only a question. */
function asked(args: readonly string[]): { signal: string | null; targets: readonly string[] } {
  const [first = '', second = ''] = args;
  if (first === '-s' || first === '-n') return { signal: nameOf(second), targets: args.slice(2) };
  if (first === '--') return { signal: 'TERM', targets: args.slice(1) };
  if (/^-\w/.test(first)) {
    const targets = args.slice(args[1] === '--' ? 2 : 1);
    return { signal: nameOf(first.slice(1)), targets };
  }
  return { signal: 'TERM', targets: args };
}

function nameOf(given: string): string | null {
  if (/^\d+$/.test(given)) {
    const known = Object.entries(NUMBERS).find(([, number]) => String(number) === given);
    return known?.[0] ?? null;
  }
  const name = given.toUpperCase().replace(/^SIG/, '');
  return name in NUMBERS || IGNORED.has(name) ? name : null;
}
