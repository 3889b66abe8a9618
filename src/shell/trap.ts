/**
 * `trap`, which just-bash does not have: EXIT runs at the end of the line, ERR, RETURN and DEBUG
 * between commands, signals when the script sends them to itself.
 */
import type { CommandResult } from './interpreter-types.ts';
import { quoted } from './quote.ts';
import { SIGNAL_NAMES, signalName, signalTable } from './signal-numbers.ts';

const BETWEEN = new Set(['DEBUG', 'ERR', 'RETURN']);
/** As they are listed: by number. */
const ORDER = ['EXIT', ...SIGNAL_NAMES, ...BETWEEN];

/** What runs on a condition, and where that was said. */
export interface Trap {
  command: string;
  /** The number of the shell or subshell. */
  pid: number;
  /** How many functions were running. */
  depth: number;
  /** Is it? Then what fails in it is no condition. */
  running: boolean;
}

/** The traps of one shell, by condition. */
export type Traps = Map<string, Trap>;

/** Runs `trap args…` on the given traps. @param place where it is said */
export function trap(
  traps: Traps,
  args: readonly string[],
  place: Pick<Trap, 'pid' | 'depth'>,
): CommandResult {
  const [first, ...rest] = args[0] === '--' ? args.slice(1) : args;
  if (first === undefined || first === '-p') return done(listing(traps, rest));
  if (first === '-l') return done(signalTable());
  // A sole operand, or a number first, means "reset these".
  const resets = rest.length === 0 || /^\d+$/.test(first) || first === '-';
  const conditions = first === '-' || !resets ? rest : [first, ...rest];
  let stderr = '';
  let exitCode = 0;
  for (const given of conditions) {
    const name = conditionName(given);
    if (name === null) {
      stderr += `bash: trap: ${given}: invalid signal specification\n`;
      exitCode = 1;
    } else if (resets) {
      traps.delete(name);
    } else {
      traps.set(name, { ...place, command: first, running: false });
    }
  }
  return { stdout: '', stderr, exitCode };
}

function conditionName(given: string): string | null {
  const name = given === '0' ? 'EXIT' : given.toUpperCase().replace(/^SIG/, '');
  return name === 'EXIT' || BETWEEN.has(name) ? name : signalName(given);
}

function listing(traps: Traps, only: readonly string[]): string {
  const names = only.length === 0 ? ORDER : only.map((name) => conditionName(name) ?? name);
  return names
    .filter((name) => traps.has(name))
    .map((name) => {
      const shown = signalName(name) === null ? name : `SIG${name}`;
      return `trap -- ${quoted(traps.get(name)?.command ?? '')} ${shown}\n`;
    })
    .join('');
}

function done(stdout: string): CommandResult {
  return { stdout, stderr: '', exitCode: 0 };
}
