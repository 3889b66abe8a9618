/**
 * One stdin for several commands: `(head -n 1; sort) < f`, `while read x; do cat; done < f`. What a
 * command has read is gone for the next; just-bash would give each of them all of it.
 */
import type { CommandNode } from 'just-bash';
import type { CommandResult, InterpreterState } from './interpreter-types.ts';
import { redirectionsOf } from './redirects.ts';
import { mayRead, READERS } from './stdin-readers.ts';

/** These take their part themselves, or hand stdin on to a command that does. */
const OWN_PART = new Set('read mapfile readarray eval source . command builtin exec'.split(' '));
/** What a command takes from a pipe at once, and does not give back. */
const BLOCK = 8192;

/** Is the stdin of a command a file, in which a command that stops early can go back? Else as around it. */
export function isSeekable(node: CommandNode, piped: boolean, outer: boolean): boolean {
  for (const { operator, fd, target } of redirectionsOf(node).toReversed()) {
    if (!operator.startsWith('<') || (fd ?? 0) !== 0) continue;
    const part = target.type === 'HereDoc' ? undefined : target.parts[0];
    return (operator === '<' || operator === '<>') && part?.type !== 'ProcessSubstitution';
  }
  return outer && !piped;
}

/** The input that a command is given of what it shares with others; null where it shares none. */
export function sharedInput(
  name: string,
  stdin: string,
  owned: boolean,
  state: InterpreterState,
): string | null {
  if (stdin !== '' || owned || OWN_PART.has(name) || state.functions.has(name)) return null;
  return state.groupStdin ?? null;
}

/** Takes from the shared input what a command has read of it. */
export function takeInput(
  input: string,
  name: string,
  args: readonly string[],
  result: CommandResult,
  state: InterpreterState,
  seekable: boolean,
): void {
  const consumed = result.internalStdinConsumed ?? 0;
  if (consumed === 0) return;
  if (consumed < input.length) {
    state.groupStdin = input.slice(consumed);
    return;
  }
  if (name in READERS && !mayRead(name, args)) return;
  const wanted = wantedOf(name, args, input);
  const taken = seekable ? wanted : Math.ceil(wanted / BLOCK) * BLOCK;
  state.groupStdin = input.slice(taken);
}

/** How far a command looks into its input; Infinity for all of it. */
function wantedOf(name: string, args: readonly string[], input: string): number {
  if (name === 'head') return headOf(args, input);
  const [, quit] = (name === 'sed' && /^(?:-n )?(\d+)q$/.exec(args.join(' '))) || [];
  return quit === undefined ? Number.POSITIVE_INFINITY : afterLines(input, Number(quit));
}

/** `head`, `head -n 3`, `head -3`, `head -c 10`. */
function headOf(args: readonly string[], input: string): number {
  const words = args.join(' ');
  const [, bytes] = /^(?:-c ?|--bytes[= ])(\d+)$/.exec(words) ?? [];
  if (bytes !== undefined) return Number(bytes);
  const [, lines] = /^(?:-n ?|--lines[= ]|-)(\d+)$/.exec(words === '' ? '-10' : words) ?? [];
  return lines === undefined ? Number.POSITIVE_INFINITY : afterLines(input, Number(lines));
}

/** The offset after so many lines. */
function afterLines(input: string, count: number): number {
  let at = 0;
  for (let line = 0; line < count; line++) {
    const end = input.indexOf('\n', at);
    if (end === -1) return input.length;
    at = end + 1;
  }
  return at;
}
