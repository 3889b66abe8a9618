/** What the words of a `kill` ask for. */
import type { CommandResult } from './interpreter-types.ts';
import { signalName, signalNumber, signalTable } from './signal-numbers.ts';

const USAGE =
  'kill: usage: kill [-s sigspec | -n signum | -sigspec] pid | jobspec ... or kill -l [sigspec]\n';

/** Something to print and be done, or a signal (0 only asks whether its targets are there). */
export type KillRequest =
  | { result: CommandResult }
  | { result: null; signal: number; targets: readonly string[] };

/** Reads the words behind `kill`. */
export function killRequest(args: readonly string[]): KillRequest {
  const [first = '', ...rest] = args;
  if (first === '-l' || first === '-L') return { result: listing(rest) };
  const [, letter = '', attached = ''] = /^-([sn])(\d*|[A-Z]\w*)$/.exec(first) ?? [];
  let named = 'TERM';
  let targets = args;
  if (letter !== '') {
    const given = attached === '' ? rest[0] : attached;
    if (given === undefined) return wrong(`-${letter}: option requires an argument`);
    named = given;
    targets = attached === '' ? rest.slice(1) : rest;
  } else if (/^-[^-]/.test(first)) {
    named = first.slice(1);
    targets = rest;
  }
  if (targets[0] === '--') targets = targets.slice(1);
  const signal = named === '0' ? 0 : signalNumber(named);
  if (signal === null) return wrong(`${named}: invalid signal specification`);
  if (targets.length === 0) return { result: { stdout: '', stderr: USAGE, exitCode: 2 } };
  return { result: null, signal, targets };
}

/** `kill -l`: all signals, or the other name of each; a status above 128 stands for the signal in it. */
function listing(given: readonly string[]): CommandResult {
  if (given.length === 0) return { stdout: signalTable(), stderr: '', exitCode: 0 };
  const answer: CommandResult = { stdout: '', stderr: '', exitCode: 0 };
  for (const one of given) {
    const status = Number(one);
    const isNumber = /^\d+$/.test(one);
    const asked = isNumber && status > 128 ? String(status - 128) : one;
    const other = isNumber ? signalName(asked) : signalNumber(asked);
    const end = one === '0' ? 'EXIT' : one.toUpperCase().replace(/^SIG/, '') === 'EXIT' ? 0 : other;
    if (end === null) {
      answer.stderr += `bash: kill: ${one}: invalid signal specification\n`;
      answer.exitCode = 1;
    } else answer.stdout += `${end}\n`;
  }
  return answer;
}

const wrong = (text: string): KillRequest => ({
  result: { stdout: '', stderr: `bash: kill: ${text}\n`, exitCode: 1 },
});
