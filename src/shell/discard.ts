/**
 * Errors of expansion (`$((1/0))`, `${x!y}`, a glob under `failglob`) end the line of the script
 * that they are in, however deep, and the next line runs. just-bash goes on with the next command,
 * or ends the script.
 */
import type { ScriptNode, StatementNode } from 'just-bash';
import type { FlowError, Run } from './frame.ts';
import type { CommandResult, InterpreterState } from './interpreter-types.ts';
import { noteReading } from './reading.ts';
import { isFlow } from './run.ts';

const DISCARDS = new Set(['ArithmeticError', 'BadSubstitutionError', 'GlobError', 'ReadonlyError']);

/** Statements that are no part of another one, with the lines on which they begin and end. */
export type Extents = WeakMap<StatementNode, { first: number; last: number }>;

/** Does an error end the line that it is in? */
function isDiscard(error: Error): boolean {
  return DISCARDS.has(error.name);
}

/** Does an error go further than the group or loop that just-bash stops it at? */
export function goesFurther(error: Error): boolean {
  return isDiscard(error) || error.name === 'NounsetError';
}

/** Does an error end no more than the stage of a pipeline that it is in? */
export function endsStage(error: Error): boolean {
  return isDiscard(error) || /^(?:Break|Continue|Return|Nounset)Error$/.test(error.name);
}

/** An assignment to a constant ends its line, too: just-bash ends the script. */
export function asReadonly(error: FlowError, { options }: InterpreterState): void {
  // Under `set -e` the script does end.
  if (isReadonly(error) && options['errexit'] !== true) error.name = 'ReadonlyError';
}

/** Was a constant to be changed? */
export function isReadonly(error: FlowError): boolean {
  return error.name === 'ExitError' && /: readonly variable\n$/.test(error.stderr ?? '');
}

/** The result of a script; an unset variable that ended it is 127 to whoever gave it as text. */
export function ended(run: Run, result: CommandResult): CommandResult {
  const { options } = run.ctx.state;
  return run.unbound === null || options['errexit'] === true
    ? result
    : { ...result, exitCode: 127 };
}

/** Notes where the statements of a script stand. */
export function noteExtents(node: ScriptNode, extents: Extents): void {
  for (const statement of node.statements) {
    const first = lineOf(statement);
    if (first === null) continue;
    const { sourceText = '' } = statement;
    extents.set(statement, { first, last: first + (sourceText.match(/\n/g)?.length ?? 0) });
  }
}

/** Runs a statement, or passes it over where an error has ended the line that it begins on. */
export async function runUndiscarded(
  run: Run,
  extents: Extents,
  node: StatementNode,
  original: () => Promise<CommandResult>,
): Promise<CommandResult> {
  const extent = extents.get(node);
  if (extent === undefined) return original();
  if (run.discarded === extent.first) return { stdout: '', stderr: '', exitCode: 1 };
  run.discarded = null;
  noteReading(run.aliasing, extent);
  try {
    return await original();
  } catch (error) {
    if (!isFlow(error) || !isDiscard(error)) throw error;
    run.frame.flow = null;
    run.discarded = extent.last;
    return discarded(error);
  }
}

/** What is left of the command: the end of a line, or of a pipeline's stage. */
export function discarded(error: FlowError): CommandResult {
  const { name, stdout = '', stderr = '', exitCode = 0 } = error;
  const fails = DISCARDS.has(name) || name === 'NounsetError';
  return { stdout, stderr, exitCode: fails ? 1 : exitCode };
}

/** The line of the first command in a node that knows its own. */
export function lineOf(node: unknown): number | null {
  if (typeof node !== 'object' || node === null) return null;
  const { type, line } = node as { type?: unknown; line?: unknown };
  if (typeof line === 'number' && type !== 'Statement') return line;
  for (const inner of Object.values(node)) {
    const found = lineOf(inner);
    if (found !== null) return found;
  }
  return null;
}
