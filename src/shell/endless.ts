/**
 * Files without an end (`/dev/zero`). A command is given the beginning of one; who wants no more
 * says so (`head -c 8`). Whoever else was given it took a part for the whole, and so did a command
 * that a pipe gave what was made of it: the last of them fails, with what it wrote left as it is.
 */
import { STRERROR } from '../errors.ts';
import type { NamespaceFs } from '../namespace/types.ts';
import type { Frame, Run } from './frame.ts';
import type { CommandResult } from './interpreter-types.ts';
import type { Line } from './line.ts';
import { redirected, redirectionsOf } from './redirects.ts';
import { mayRead } from './stdin-readers.ts';

/** What a writer ends with whose reader has gone. */
const SIGPIPE = 141;

/**
 * At the beginning of a command: what never ends and comes to it by its pipe, or null. What those
 * before it have read is none of its business where no pipe leads to it.
 */
export function endlessInput(frame: Frame, { line }: Run, fs: NamespaceFs): string | null {
  if (!frame.stdin) forget(line, fs);
  return line.endless;
}

/** After a pipeline that is in no other: nobody is left who could read what it held. */
export function endPipeline({ line, top }: Run, frame: Frame, fs: NamespaceFs): void {
  if (top && !frame.stage) forget(line, fs);
}

function forget(line: Line, fs: NamespaceFs): void {
  line.endless = null;
  fs.enough();
}

/**
 * A command's result, which fails where it answers for a part of what never ends as for the whole.
 * @param given from {@link endlessInput}
 */
export function heedEndless(
  result: CommandResult,
  { args, stdin }: { args: readonly string[]; stdin: string },
  run: Run,
  frame: Frame,
  fs: NamespaceFs,
  given: string | null,
): CommandResult {
  const source = fs.endlessRead();
  if (source === null) return result;
  if (frame.name === 'read') {
    // It takes a line.
    forget(run.line, fs);
    return result;
  }
  if (given === source && !hasRead(result, args, frame.name, stdin.length)) return result;
  if (!endsHere(run, frame)) {
    // Whoever reads what it wrote decides.
    run.line.endless = source;
    return given === source || result.exitCode !== 0 ? result : { ...result, exitCode: SIGPIPE };
  }
  forget(run.line, fs);
  const isFile = source.startsWith('/');
  const part = isFile ? `head -c COUNT ${source} gives` : `${source} | head -n COUNT has`;
  const told =
    `${frame.name}: ${isFile ? source : 'standard output'}: ${STRERROR.EFBIG}\n` +
    `dirigent: ${source} never ends, and this is its beginning alone: ${part} as much as is wanted\n`;
  const { internalOutputAccounting: _counted, ...rest } = result;
  return {
    ...rest,
    stderr: `${result.stderr}${told}`,
    exitCode: result.exitCode === 0 || result.exitCode === SIGPIPE ? 1 : result.exitCode,
  };
}

/** Has it read what the pipe holds, to the end? A shell tells how far it got. */
function hasRead(result: CommandResult, args: readonly string[], name: string, held: number) {
  const { internalStdinConsumed: taken } = result;
  return mayRead(name, args) && (taken === undefined || (taken > 0 && taken >= held));
}

/** Does what a command prints go to no other command? */
function endsHere(run: Run, { node, stdout, stage }: Frame): boolean {
  if (stdout) return true;
  if (node !== null && redirected(redirectionsOf(node)).stdout) return true;
  // What `timeout` or `bash` runs goes where their own output goes: they are asked in their turn.
  return run.top && !stage;
}
