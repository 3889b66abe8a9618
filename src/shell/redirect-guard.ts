/**
 * A redirection that fails ends its command, not the script. just-bash lets the
 * file system's error through to its caller, and all output is lost.
 */
import type { CommandNode } from 'just-bash';
import { type Errno, FsError, STRERROR } from '../errors.ts';
import type { NamespaceFs } from '../namespace/types.ts';
import { untold } from './command-errors.ts';
import { redirectMessage } from './errors-to-stderr.ts';
import type { Frame, Run } from './frame.ts';
import type { CommandResult, InterpreterState } from './interpreter-types.ts';
import { redirected, redirectionsOf, targetAsWritten } from './redirects.ts';

/** What `X=1 cmd > f` changes before the redirection is tried. */
export interface Assignments {
  env: Map<string, string | undefined>;
  bindings: number;
  exported: Set<string> | null;
}

/**
 * The result of a command whose redirection threw: status 1 and bash's message.
 * Output that was not meant for the file is kept. An `exit` inside a compound
 * command is thrown on; so is an error that is no failure of a file operation.
 */
export function failedRedirect(
  error: unknown,
  node: CommandNode,
  run: Run,
  frame: Frame,
  fs: NamespaceFs,
): CommandResult {
  const failure = fileError(error);
  if (failure === null) throw error;
  for (const other of untold(run, frame.mark, fs)) {
    if (other.path === failure.path && other.code === failure.code) run.line.told.add(other);
  }
  run.line.told.add(failure);
  const { state } = run.ctx;
  const called =
    node.type === 'SimpleCommand' ? state.functions.get(frame.name)?.redirections : undefined;
  const list = [...redirectionsOf(node), ...(called ?? [])];
  const target = targetAsWritten(list, failure.path, state, (base, path) =>
    fs.resolvePath(base, path),
  );
  const away = redirected(list);
  const stdout = away.stdout ? '' : (frame.kept?.stdout ?? '');
  const stderr = (away.stderr ? '' : (frame.kept?.stderr ?? '')) + redirectMessage(target, failure);
  const { flow } = frame;
  if (flow?.name === 'ExitError' && node.type !== 'Subshell') {
    throw Object.assign(flow, { stdout, stderr });
  }
  return { stdout, stderr, exitCode: 1 };
}

/** Notes what the assignments before a command will change. */
export function rememberAssignments(
  node: CommandNode,
  state: InterpreterState,
): Assignments | null {
  if (node.type !== 'SimpleCommand' || node.name === null || node.assignments.length === 0) {
    return null;
  }
  return {
    env: new Map(node.assignments.map(({ name }) => [name, state.env.get(name)])),
    bindings: state.tempEnvBindings?.length ?? 0,
    exported: state.tempExportedVars === undefined ? null : new Set(state.tempExportedVars),
  };
}

/** Undoes them: the command that they were for did not run to its end. */
export function forgetAssignments(before: Assignments | null, state: InterpreterState): void {
  if (before === null) return;
  for (const [name, value] of before.env) {
    if (value === undefined) state.env.delete(name);
    else state.env.set(name, value);
  }
  state.tempEnvBindings?.splice(before.bindings);
  if (before.exported === null) delete state.tempExportedVars;
  else state.tempExportedVars = before.exported;
}

/** The error of a file operation, also one that is not ours: just-bash has file systems of its own for /dev/fd. */
export function fileError(error: unknown): FsError | null {
  if (error instanceof FsError) return error;
  if (!(error instanceof Error)) return null;
  const match = /^([A-Z]+): .*?(?:, (\w+))?(?: '([^']*)')?$/s.exec(error.message);
  const code = match?.[1];
  if (code === undefined || !(code in STRERROR)) return null;
  return new FsError(code as Errno, {
    path: match?.[3] ?? '',
    op: match?.[2] ?? 'open',
    cause: error,
  });
}
