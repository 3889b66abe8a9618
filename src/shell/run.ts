/** One interpreter while it runs: where it stands, command by command. */
import type { PipelineNode, StatementNode } from 'just-bash';
import type { FlowError, Frame, Run } from './frame.ts';
import type { CommandResult } from './interpreter-types.ts';
import { reworded } from './messages.ts';

/** Notes the places of the commands of a pipeline. */
function notePlaces(run: Run, node: PipelineNode): void {
  const last = node.commands.length - 1;
  if (last === 0) return;
  for (const [index, command] of node.commands.entries()) {
    run.places.set(command, {
      piped: index > 0,
      pipes: index < last,
      pipesStderr: node.pipeStderr?.[index] === true,
    });
  }
}

/**
 * Runs a pipeline. What stands before `&&` or `||`, or after `!`, asks a question,
 * and `set -e` heeds no failure in it; just-bash forgets this inside functions.
 */
export async function runPipeline(
  run: Run,
  node: PipelineNode,
  original: () => Promise<CommandResult>,
): Promise<CommandResult> {
  notePlaces(run, node);
  const { state } = run.ctx;
  const asks = node.negated || run.conditions.has(node);
  if (!asks || state.inCondition === true || state.options['errexit'] !== true) return original();
  state.inCondition = true;
  try {
    return await original();
  } finally {
    state.inCondition = false;
  }
}

/** Notes which pipelines of a statement another one depends on. */
export function noteConditions(run: Run, node: StatementNode): void {
  for (const pipeline of node.pipelines.slice(0, -1)) run.conditions.add(pipeline);
}

/** The frame outside of all commands. */
export function rootFrame(visible: boolean, stdin: boolean, mark: number, held: number): Frame {
  return {
    node: null,
    stdout: visible,
    stderr: visible,
    joined: false,
    stdin,
    fed: false,
    expanding: false,
    raw: false,
    mark,
    held,
    name: 'bash',
    kept: null,
    flow: null,
    substituted: false,
    script: null,
    stage: false,
    seekable: false,
    replaced: null,
  };
}

/** just-bash's errors that steer the script; every other error is a failure of the command. */
const FLOW = new Set([
  'ArithmeticError',
  'BadSubstitutionError',
  'BraceExpansionError',
  'BreakError',
  'ContinueError',
  'ErrexitError',
  'ExecutionAbortedError',
  'ExecutionLimitError',
  'ExitError',
  'GlobError',
  'LexerError',
  'NounsetError',
  'ParseException',
  'PosixFatalError',
  'RangeError',
  'ReadonlyError',
  'ReturnError',
  'SecurityViolationError',
  'SubshellExitError',
]);

export function isFlow(error: unknown): error is FlowError {
  return error instanceof Error && FLOW.has(error.name);
}

export function isAbort(error: unknown): boolean {
  return error instanceof Error && error.name === 'ExecutionAbortedError';
}

/** What an error that steers the script carries along is output like any other. */
export function takeFrom(error: FlowError, run: Run, stdout: boolean, stderr: boolean): void {
  error.message = reworded(error.message);
  if (error.stderr !== undefined) error.stderr = reworded(error.stderr);
  if (error.stdout === undefined || isAbort(error)) return;
  const counted = { ...error.internalOutputAccounting };
  if (stdout) {
    run.line.live.handOn('stdout', error.stdout);
    error.stdout = '';
    counted.stdout = 0;
  }
  if (stderr) {
    run.line.live.handOn('stderr', error.stderr ?? '');
    error.stderr = '';
    counted.stderr = 0;
  }
  error.internalOutputAccounting = { stdout: counted.stdout ?? 0, stderr: counted.stderr ?? 0 };
}
