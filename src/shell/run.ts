/** One interpreter while it runs: where it stands, command by command. */
import type { CommandNode, PipelineNode, StatementNode } from 'just-bash';
import type { CommandResult, InterpreterContext } from './interpreter-types.ts';
import type { Jobs } from './jobs.ts';
import type { Line } from './line.ts';
import { reworded } from './messages.ts';
import type { Traps } from './trap.ts';

/** Where a command stands in a pipeline of several. Fixed by the script's text. */
export interface Place {
  /** Its stdin is a pipe. */
  piped: boolean;
  /** Its stdout is a pipe. */
  pipes: boolean;
  /** So is its stderr: `|&`. */
  pipesStderr: boolean;
}

/** The command being run, with what it inherited from those around it. */
export interface Frame {
  /** Null outside of all commands. */
  node: CommandNode | null;
  /** Does its stdout reach the script's own? */
  stdout: boolean;
  stderr: boolean;
  /** Do both go to one and the same place? Then each pipeline in it joins them, in the order of things. */
  joined: boolean;
  /** Is its stdin a pipe, a file or a here-document? */
  stdin: boolean;
  /** Are its words being expanded? A script run now is a substitution. */
  expanding: boolean;
  /** Its output goes into a pipe untouched: keep it as bytes. */
  raw: boolean;
  /** The file system's mark when it began. */
  mark: number;
  /** What was opened for writing before it began. */
  held: number;
  /** The name under which it runs, once known. */
  name: string;
  /** Output of what it ran, kept while a failing redirection may drop it. */
  kept: { stdout: string; stderr: string } | null;
  /** An `exit` or an abort that came from inside. */
  flow: Error | null;
  /** Did its expansion run a substitution? */
  substituted: boolean;
  /** What `eval` is given. */
  script: string | null;
  /** Is it, or what it is in, a stage of a pipeline? */
  stage: boolean;
  /** Is its stdin a file, in which a command that stops early goes back to where it stopped? */
  seekable: boolean;
  /** What ends the shell after this command: `exec` has put the command in its place. */
  replaced: FlowError | null;
}

/** An interpreter's part of a line. */
export interface Run {
  line: Line;
  ctx: InterpreterContext;
  /** The interpreter of the line itself, not of `bash -c` or the like. */
  top: boolean;
  frame: Frame;
  places: WeakMap<CommandNode, Place>;
  /** Pipelines before `&&` or `||`. */
  conditions: WeakSet<PipelineNode>;
  traps: Traps;
  jobs: Jobs;
  /** The last line of what an error of expansion has ended, in the script that runs: see discard.ts. */
  discarded: number | null;
  /** The unset variable that has ended it, under `set -u`. */
  unbound: FlowError | null;
  /** The status with which it ends, while its EXIT trap runs. */
  exiting: number | null;
}

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

/** An error of just-bash's that carries output. */
export interface FlowError extends Error {
  stdout?: string;
  stderr?: string;
  exitCode?: number;
  /** How much of it just-bash has counted towards its limit. */
  internalOutputAccounting?: { stdout: number; stderr: number };
}

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
