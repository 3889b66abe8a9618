/** `trap`, which just-bash does not have: EXIT runs at the end of the line, signals never come. */
import type { CommandResult } from './interpreter-types.ts';
import { quoted } from './quote.ts';

/** Signals that an agent's script may name; none is ever delivered, so their traps are kept in silence. */
const SIGNALS = new Set(
  'HUP INT QUIT PIPE ALRM TERM USR1 USR2 CHLD CONT STOP TSTP TTIN TTOU WINCH'.split(' '),
);
const NUMBERS = new Map([
  ['0', 'EXIT'],
  ['1', 'HUP'],
  ['2', 'INT'],
  ['3', 'QUIT'],
  ['13', 'PIPE'],
  ['15', 'TERM'],
]);
const UNSUPPORTED = new Set(['ERR', 'DEBUG', 'RETURN']);

/** The traps of one shell: condition to command. */
export type Traps = Map<string, string>;

/** Runs `trap args…` on the given traps. */
export function trap(traps: Traps, args: readonly string[]): CommandResult {
  const [first, ...rest] = args[0] === '--' ? args.slice(1) : args;
  if (first === undefined || first === '-p') return done(listing(traps, rest));
  if (first === '-l') return done(`${[...SIGNALS].map((name) => `SIG${name}`).join(' ')}\n`);
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
      traps.set(name, first);
      if (UNSUPPORTED.has(name)) stderr += `dirigent: a trap on ${name} never runs in this shell\n`;
    }
  }
  return { stdout: '', stderr, exitCode };
}

function conditionName(given: string): string | null {
  const name = NUMBERS.get(given) ?? given.toUpperCase().replace(/^SIG/, '');
  return name === 'EXIT' || SIGNALS.has(name) || UNSUPPORTED.has(name) ? name : null;
}

function listing(traps: Traps, only: readonly string[]): string {
  const names =
    only.length === 0 ? [...traps.keys()] : only.map((name) => conditionName(name) ?? name);
  return names
    .filter((name) => traps.has(name))
    .map((name) => {
      const shown = SIGNALS.has(name) ? `SIG${name}` : name;
      return `trap -- ${quoted(traps.get(name) ?? '')} ${shown}\n`;
    })
    .join('');
}

function done(stdout: string): CommandResult {
  return { stdout, stderr: '', exitCode: 0 };
}
