/** The shell's hooks into the interpreter: the order of things. What each does is in the modules it calls. */
import {
  type CommandNode,
  type PipelineNode,
  parse,
  type ScriptNode,
  type StatementNode,
} from 'just-bash';
import type { NamespaceFs } from '../namespace/types.ts';
import { keepEscapedBytes } from './byte-escapes.ts';
import { bytesFromText, textFromBytes, throughBoundary } from './bytes.ts';
import { settleCommand, settleRun } from './command-errors.ts';
import type { InterpreterHooks, RunCommand } from './interpreter-class.ts';
import type {
  CommandResult,
  Interpreter,
  InterpreterContext,
  ShellState,
} from './interpreter-types.ts';
import type { Line } from './line.ts';
import { failedRedirect, forgetAssignments, rememberAssignments } from './redirect-guard.ts';
import { redirected, redirectionsOf } from './redirects.ts';
import {
  type FlowError,
  type Frame,
  isAbort,
  isFlow,
  notePlaces,
  type Run,
  rootFrame,
} from './run.ts';
import { childOptions, enter, isolateChild } from './state.ts';
import { trap } from './trap.ts';

/** Commands that run another one on their own streams, so that its output is theirs. */
const TRANSPARENT = new Set(['bash', 'sh', 'timeout', 'env', 'time', 'nice', 'nohup']);
/** Compound commands to which just-bash gives nothing of a pipe: `x | if grep q; then …`. */
const DEAF = new Set(['If', 'For', 'CStyleFor', 'Case']);

/** How a script was started: by `exec`, or by a command inside a line. */
interface Link {
  line: Line;
  /** The command that started it; null for the line itself. */
  parent: Frame | null;
  given: readonly string[];
  stdin: boolean;
}

export class ShellHooks implements InterpreterHooks {
  /** The letters for shims, by a call's argument array. */
  readonly marks: WeakMap<readonly string[], string>;
  readonly #fs: NamespaceFs;
  readonly #pristine: ShellState;
  readonly #runs = new WeakMap<InterpreterContext, Run>();
  /** Keyed by the `args` array given to `exec`: the interpreter's state holds the very same one. */
  readonly #links = new WeakMap<object, Link>();

  constructor(fs: NamespaceFs, pristine: ShellState, marks: WeakMap<readonly string[], string>) {
    this.#fs = fs;
    this.#pristine = pristine;
    this.marks = marks;
  }

  /** Makes the key, to be given to `exec` as its `args`, by which the interpreter of a line is known. */
  link(line: Line): string[] {
    const key: string[] = [];
    this.#links.set(key, { line, parent: null, given: [], stdin: line.init.stdin });
    return key;
  }

  async executeScript(
    self: Interpreter,
    original: (node: ScriptNode) => Promise<CommandResult>,
    node: ScriptNode,
  ): Promise<CommandResult> {
    const run = this.#runs.get(self.ctx);
    if (run !== undefined) return executeInner(run, () => original(node));
    const key = self.ctx.state.extraArgs;
    const link = key === undefined ? undefined : this.#links.get(key);
    if (link === undefined) return original(node);
    return link.parent === null
      ? this.#executeLine(self, link, () => original(node))
      : this.#executeChild(self, link, link.parent, () => original(node));
  }

  async executeStatement(
    self: Interpreter,
    original: (node: StatementNode) => Promise<CommandResult>,
    node: StatementNode,
  ): Promise<CommandResult> {
    const run = this.#runs.get(self.ctx);
    if (run === undefined) return original(node);
    const pause = run.line.tick();
    if (pause !== undefined) await pause;
    const { frame } = run;
    try {
      return await original(node);
    } catch (error) {
      // A loop takes an abort for a failed command; executeCommand throws it again.
      if (isFlow(error) && isAbort(error)) frame.flow = error;
      throw error;
    }
  }

  executePipeline(
    self: Interpreter,
    original: (node: PipelineNode) => Promise<CommandResult>,
    node: PipelineNode,
  ): Promise<CommandResult> {
    const run = this.#runs.get(self.ctx);
    if (run !== undefined) notePlaces(run, node);
    return original(node);
  }

  async executeCommand(
    self: Interpreter,
    original: (node: CommandNode, stdin: string, stdinOwned?: boolean) => Promise<CommandResult>,
    node: CommandNode,
    stdin: string,
    stdinOwned?: boolean,
  ): Promise<CommandResult> {
    const run = this.#runs.get(self.ctx);
    if (run === undefined) return original(node, stdin, stdinOwned);
    const outer = run.frame;
    const place = run.places.get(node);
    const list = redirectionsOf(node);
    const away = redirected(list);
    const stdout = outer.stdout && place?.pipes !== true;
    const stderr = outer.stderr && place?.pipesStderr !== true;
    const frame: Frame = {
      stdout: stdout && !away.stdout,
      stderr: stderr && !away.stderr,
      stdin: outer.stdin || away.stdin || place?.piped === true || stdinOwned === true,
      expanding: true,
      raw: place?.pipes === true && node.type === 'SimpleCommand' && list.length === 0,
      mark: this.#fs.errorMark(),
      name: 'bash',
      kept: list.length > 0 || node.type === 'SimpleCommand' ? { stdout: '', stderr: '' } : null,
      flow: null,
    };
    const { live } = run.line;
    const outFrom = live.stdout.position();
    const errFrom = live.stderr.position();
    const before = rememberAssignments(node, self.ctx.state);
    run.frame = frame;
    let result: CommandResult;
    try {
      result = await withPipe(self.ctx, node, place?.piped === true ? stdin : null, () =>
        original(node, stdin, stdinOwned),
      );
    } catch (error) {
      if (isFlow(error)) {
        // What a stage of a pipeline or a subshell throws ends that alone.
        if (isAbort(error) || place === undefined) outer.flow = error;
        throw error;
      }
      forgetAssignments(before, self.ctx.state);
      result = failedRedirect(error, node, run, frame, this.#fs);
    } finally {
      run.frame = outer;
    }
    if (frame.flow !== null && isAbort(frame.flow)) throw frame.flow;
    result = settleCommand(asText(result, frame.raw), node, run, frame, this.#fs);
    if (stdout) live.stdout.handOnRest(result.stdout, outFrom);
    if (stderr) live.stderr.handOnRest(result.stderr, errFrom);
    if (outer.kept !== null && place?.pipes !== true) outer.kept.stdout += result.stdout;
    if (outer.kept !== null && place?.pipesStderr !== true) outer.kept.stderr += result.stderr;
    return place?.pipes === true ? intoPipe(result, place.pipesStderr) : result;
  }

  async runCommand(
    self: Interpreter,
    original: RunCommand,
    name: string,
    args: string[],
    quoted: boolean[],
    stdin: string,
    ...rest: unknown[]
  ): Promise<CommandResult> {
    const run = this.#runs.get(self.ctx);
    if (run === undefined) return original(name, args, quoted, stdin, ...rest);
    const outer = run.frame;
    const { state } = self.ctx;
    const hasStdin = stdin !== '' || rest[3] === true || state.groupStdin !== undefined;
    const frame: Frame = {
      ...outer,
      expanding: false,
      stdin: outer.stdin || hasStdin,
      name,
      flow: null,
    };
    const entry = this.#fs.errorMark();
    const given = keepEscapedBytes(name, args);
    this.marks.set(given, (frame.stdout ? 'v' : '') + (frame.stdin ? 'p' : ''));
    run.frame = frame;
    let result: CommandResult;
    try {
      result =
        name === 'trap' && !state.functions.has(name)
          ? trap(run.traps, args)
          : await original(name, given, quoted, stdin, ...rest);
    } finally {
      run.frame = outer;
      outer.flow ??= frame.flow;
    }
    result = settleRun(asText(result, frame.raw), args, run, frame, entry, this.#fs);
    // A function or `eval` has added what it ran already, command by command.
    if (outer.kept !== null) outer.kept = { stdout: textOf(result), stderr: result.stderr };
    return result;
  }

  async #executeLine(
    self: Interpreter,
    { line, stdin }: Link,
    original: () => Promise<CommandResult>,
  ): Promise<CommandResult> {
    const { state } = self.ctx;
    enter(state, line.init.carried, line.init.options);
    const run = this.#begin(self, line, rootFrame(true, stdin, this.#fs.errorMark()), true);
    let result: CommandResult | undefined;
    try {
      result = await withExitTrap(run, original);
      result = settleCommand(asText(result, false), null, run, run.frame, this.#fs);
      line.printed = { stdout: result.stdout, stderr: result.stderr };
      // Bash.exec would decode it again: the line's output is what was noted here.
      return { ...result, stdout: '', stderr: '' };
    } catch (error) {
      if (isFlow(error) && !isAbort(error) && error.stdout !== undefined) {
        line.printed = { stdout: error.stdout, stderr: error.stderr ?? '' };
        error.stdout = '';
        error.stderr = '';
      }
      throw error;
    } finally {
      line.after = state;
    }
  }

  async #executeChild(
    self: Interpreter,
    { line, given, stdin }: Link,
    parent: Frame,
    original: () => Promise<CommandResult>,
  ): Promise<CommandResult> {
    isolateChild(self.ctx.state, this.#pristine, given);
    const root = rootFrame(false, stdin, this.#fs.errorMark());
    if (TRANSPARENT.has(parent.name)) {
      root.stdout = parent.stdout;
      root.stderr = parent.stderr;
    }
    const run = this.#begin(self, line, root, false);
    try {
      const result = asText(await withExitTrap(run, original), false);
      return {
        ...result,
        stdout: throughBoundary(result.stdout),
        stderr: throughBoundary(result.stderr),
      };
    } catch (error) {
      if (isFlow(error) && error.stdout !== undefined) {
        error.stdout = throughBoundary(error.stdout);
        error.stderr = throughBoundary(error.stderr ?? '');
      }
      throw error;
    }
  }

  #begin(self: Interpreter, line: Line, frame: Frame, top: boolean): Run {
    const { ctx } = self;
    const run: Run = { line, ctx, top, frame, places: new WeakMap(), traps: new Map() };
    this.#runs.set(ctx, run);
    const start = ctx.execFn;
    ctx.execFn = (script, options = {}, accounted) => {
      const own = childOptions(ctx.state, this.#pristine, options);
      const key = options.args ?? [];
      const parent = run.frame;
      this.#links.set(key, {
        line,
        parent,
        given: Object.keys(own.env ?? {}),
        stdin: (options.stdin ?? '') !== '' || (parent.stdin && TRANSPARENT.has(parent.name)),
      });
      return start(script, { ...own, args: key }, accounted);
    };
    return run;
  }
}

/** A script inside a script: `eval`, `source` and `./x.sh` inherit; a substitution's output is a word. */
async function executeInner(
  run: Run,
  original: () => Promise<CommandResult>,
): Promise<CommandResult> {
  const outer = run.frame;
  if (!outer.expanding) return original();
  run.frame = { ...outer, stdout: false, stderr: false, expanding: false, raw: false, kept: null };
  try {
    return await original();
  } finally {
    outer.flow ??= isAbort(run.frame.flow) ? run.frame.flow : null;
    run.frame = outer;
  }
}

/** Gives a compound command the pipe before it, where just-bash does not. */
async function withPipe(
  ctx: InterpreterContext,
  node: CommandNode,
  stdin: string | null,
  original: () => Promise<CommandResult>,
): Promise<CommandResult> {
  if (stdin === null || !DEAF.has(node.type)) return original();
  const { state } = ctx;
  const saved = state.groupStdin;
  state.groupStdin = stdin;
  try {
    return await original();
  } finally {
    if (saved === undefined) delete state.groupStdin;
    else state.groupStdin = saved;
  }
}

/** Runs a script and then its EXIT trap, whose output follows the script's and whose status does not count. */
async function withExitTrap(
  run: Run,
  original: () => Promise<CommandResult>,
): Promise<CommandResult> {
  let result: CommandResult | undefined;
  let flow: FlowError | undefined;
  try {
    result = await original();
  } catch (error) {
    if (!isFlow(error) || isAbort(error) || error.stdout === undefined) throw error;
    flow = error;
  }
  const command = run.traps.get('EXIT');
  run.traps.delete('EXIT');
  if (command !== undefined && command !== '') {
    const { state } = run.ctx;
    const status = result?.exitCode ?? flow?.exitCode ?? state.lastExitCode;
    state.lastExitCode = status;
    state.env.set('?', String(status));
    const after = await run.ctx.executeScript(parse(command));
    if (result !== undefined) {
      const before = asText(result, false);
      result = {
        ...before,
        stdout: before.stdout + textOf(after),
        stderr: before.stderr + after.stderr,
      };
    } else if (flow !== undefined) {
      flow.stdout += textOf(after);
      flow.stderr = (flow.stderr ?? '') + after.stderr;
    }
  }
  if (flow !== undefined) throw flow;
  if (result === undefined) throw new Error('a script ended with neither a result nor an error');
  return result;
}

/** The result with its stdout as text; as it is if it goes into a pipe as bytes. */
function asText(result: CommandResult, raw: boolean): CommandResult {
  if (raw || !isBytes(result)) return result;
  const { stdoutEncoding: _legacy, ...rest } = result;
  return { ...rest, stdout: textFromBytes(result.stdout), stdoutKind: 'text' };
}

function textOf(result: CommandResult): string {
  return isBytes(result) ? textFromBytes(result.stdout) : result.stdout;
}

function intoPipe(result: CommandResult, stderrToo: boolean): CommandResult {
  const bytes = isBytes(result) ? result.stdout : bytesFromText(result.stdout);
  const piped: CommandResult = {
    ...result,
    stdout: stderrToo ? bytesFromText(result.stderr) + bytes : bytes,
    stdoutKind: 'bytes',
  };
  return stderrToo ? { ...piped, stderr: '' } : piped;
}

function isBytes(result: CommandResult): boolean {
  return (
    result.stdoutKind === 'bytes' ||
    (result.stdoutKind === undefined && result.stdoutEncoding === 'binary')
  );
}
