/** The shell's hooks into the interpreter: the order of things. What each does is in the modules it calls. */
import {
  type CommandNode,
  DefenseInDepthBox,
  type PipelineNode,
  type ScriptNode,
  type StatementNode,
} from 'just-bash';
import { FsError } from '../errors.ts';
import type { NamespaceFs } from '../namespace/types.ts';
import { adviceForAbsent } from './absent-commands.ts';
import { assigningIntegers, computedBuiltin, withWideTests } from './arithmetic/builtins.ts';
import { Deferred } from './arithmetic/deferred.ts';
import { Arithmetics } from './arithmetic/outcome.ts';
import { hasLostArrays, parseWithArrays } from './array-literals.ts';
import { normalise } from './builtin-arguments.ts';
import { history, mendBuiltin, runBuiltin } from './builtins.ts';
import { keepEscapedBytes } from './byte-escapes.ts';
import { throughBoundary } from './bytes.ts';
import { beginStacks, onStacks, sourcedFile } from './call-stack.ts';
import {
  type ShellHost,
  type ShellStart,
  setOptions,
  shellName,
  startFile,
  startShell,
} from './child-shells.ts';
import { settleCommand, settleRun } from './command-errors.ts';
import { withListings } from './declared.ts';
import { Direct } from './direct/direct.ts';
import type { Soon } from './direct/gathered.ts';
import {
  asReadonly,
  discarded,
  type Extents,
  ended,
  endsStage,
  goesFurther,
  isReadonly,
  noteExtents,
  runUndiscarded,
} from './discard.ts';
import { afterFunction, beforeCommand, together, withErrorTrap } from './error-trap.ts';
import { endingWith, replacedShell } from './exec.ts';
import { withExitTrap } from './exit-trap.ts';
import { globHost, runExpanded } from './expanded.ts';
import { inheritFunctions } from './exported-functions.ts';
import type { Frame, Place, Run } from './frame.ts';
import { expandMarks, NoMatch } from './glob/expand.ts';
import { noMatch } from './glob/words.ts';
import { forgetLists } from './hash-order.ts';
import { executeInner, subshellScript } from './inner-script.ts';
import type { InterpreterHooks, RunCommand, RunFile } from './interpreter-class.ts';
import type {
  CommandResult,
  Interpreter,
  InterpreterContext,
  InterpreterState,
  RedirectionNode,
  ShellState,
} from './interpreter-types.ts';
import { Jobs } from './jobs.ts';
import { fromKeyboard } from './keyboard.ts';
import type { Line } from './line.ts';
import { evaluateLong, isLong, parseLong, STAND_IN } from './long-scripts.ts';
import { withTrueMessages } from './messages.ts';
import { forgetValues } from './parameters.ts';
import { withPipe } from './pipe-input.ts';
import { callProgram } from './programs.ts';
import { failedRedirect, forgetAssignments, rememberAssignments } from './redirect-guard.ts';
import { keepsOpen, redirected, redirectionsOf, sameTarget } from './redirects.ts';
import { asText, intoPipe, joined, recounted, textOf, withOwnStatus } from './results.ts';
import { Rewrites } from './rewrites.ts';
import { isAbort, isFlow, noteConditions, rootFrame, runPipeline, takeFrom } from './run.ts';
import { isSeekable, sharedInput, takeInput } from './shared-input.ts';
import { marksOf } from './shim-io.ts';
import { signalSelf } from './signals.ts';
import { prepareEval, prepareSource } from './source.ts';
import { childOptions, enter, enterTerminal, isolateChild, jobState } from './state.ts';

/** Commands that run another one on their own streams, so that its output is theirs. */
const TRANSPARENT = new Set(['bash', 'sh', 'timeout', 'env', 'time', 'nice', 'nohup']);

/** just-bash's errors that end a session, not only the line. */
const EXITS = new Set(['ExitError', 'ErrexitError']);

/** How a script was started: by `exec`, or by a command inside a line. */
interface Link {
  line: Line;
  /** The command that started it; null for the line itself. */
  parent: Frame | null;
  /** The variables and functions of the shell that started it. */
  from: InterpreterState | null;
  given: readonly string[];
  stdin: boolean;
  /** Its text. */
  script: string;
  /** What it runs, where it is a job: a part of the script around it. */
  job: Job | null;
  rewrites: Rewrites;
  start: ShellStart | null;
  /** What it has left of its stdin, once it has ended. */
  rest: string;
}

/** A job that is about to begin. */
interface Job {
  node: StatementNode;
  /** A copy of the shell that starts it. */
  state: InterpreterState;
  frame: Frame;
}

/** Runs a call; a function is in no loop of its caller's, to `break` and `continue`. */
async function outsideLoops(
  state: InterpreterState,
  isFunction: boolean,
  call: () => Promise<CommandResult>,
): Promise<CommandResult> {
  const { loopDepth = 0 } = state;
  if (!isFunction || loopDepth === 0) return call();
  state.loopDepth = 0;
  try {
    return await call();
  } finally {
    state.loopDepth = loopDepth;
  }
}

function setStatus(state: InterpreterState, status: number): void {
  state.lastExitCode = status;
  state.env.set('?', String(status));
}

/** What a function's own redirections do to the streams of a call. */
function enterFunction(frame: Frame, list: readonly RedirectionNode[]): void {
  const away = redirected(list);
  frame.joined = sameTarget(list, frame.joined);
  frame.stdout &&= !away.stdout;
  frame.stderr &&= !away.stderr;
  frame.stdin ||= away.stdin;
}

export class ShellHooks implements InterpreterHooks {
  /** The letters for shims, by a call's argument array. */
  readonly marks: WeakMap<readonly string[], string>;
  readonly #fs: NamespaceFs;
  #lastRead = '';
  readonly #arithmetics = new Arithmetics();
  readonly #rewrites = new Rewrites(this.#arithmetics);
  readonly #direct: Direct;
  /** Those of the lines; what a line starts has its own. */
  readonly #jobs = new Jobs();
  readonly #pristine: ShellState;
  readonly #runs = new WeakMap<InterpreterContext, Run>();
  /** Keyed by the `args` array given to `exec`: the interpreter's state holds the very same one. */
  readonly #links = new WeakMap<object, Link>();
  /** How just-bash starts a script inside another one, before it is hooked. */
  readonly #starters = new WeakMap<InterpreterContext, InterpreterContext['execFn']>();
  readonly #extents: Extents = new WeakMap();
  /** By the same key. */
  readonly #starts = new WeakMap<object, ShellStart>();

  /** @param others the names of commands that may take the place of a builtin */
  constructor(
    fs: NamespaceFs,
    pristine: ShellState,
    marks: WeakMap<readonly string[], string>,
    others: ReadonlySet<string>,
  ) {
    this.#direct = new Direct(this.#arithmetics, others);
    this.#fs = fs;
    this.#pristine = pristine;
    this.marks = marks;
  }

  /** Makes the key, to be given to `exec` as its `args`, by which the interpreter of a line is known. */
  link(line: Line, script: string): string[] {
    const key: string[] = [];
    const { stdin } = line.init;
    this.#links.set(key, {
      line,
      parent: null,
      from: null,
      given: [],
      stdin,
      script,
      start: null,
      rest: '',
      job: null,
      rewrites: this.#rewrites,
    });
    return key;
  }

  async executeScript(
    self: Interpreter,
    original: (node: ScriptNode) => Promise<CommandResult>,
    node: ScriptNode,
  ): Promise<CommandResult> {
    const run = this.#runs.get(self.ctx);
    if (run !== undefined) {
      const inner = this.#withArrays(node, run.frame);
      noteExtents(inner, this.#extents);
      return executeInner(run, inner, () => original(inner));
    }
    const key = self.ctx.state.extraArgs;
    const link = key === undefined ? undefined : this.#links.get(key);
    if (link === undefined) return original(node);
    const { script, job } = link;
    if (job !== null) return this.#executeJob(self, link, job, original);
    const whole = isLong(script) ? parseLong(script) : (parseWithArrays(script) ?? node);
    noteExtents(whole, this.#extents);
    return link.parent === null
      ? this.#executeLine(self, link, () => original(whole))
      : this.#executeChild(self, link, link.parent, () => original(whole));
  }

  /** The text of a script file that just-bash is about to run, if it may need {@link parseWithArrays}. */
  noteRead(text: string): void {
    this.#lastRead = text;
  }

  #withArrays(node: ScriptNode, frame: Frame): ScriptNode {
    // A substitution was parsed with the script that it is part of.
    if (frame.expanding || !hasLostArrays(node)) return node;
    // A file is read, parsed and run in one go.
    return parseWithArrays(frame.script ?? this.#lastRead) ?? node;
  }

  executeStatement(
    self: Interpreter,
    original: (node: StatementNode) => Promise<CommandResult>,
    node: StatementNode,
  ): Soon<CommandResult> {
    const run = this.#runs.get(self.ctx);
    if (run === undefined) return original(node);
    const pause = run.line.tick();
    // One that stands in the script itself is where errors of expansion end.
    if (pause === undefined && !this.#extents.has(node)) {
      const result = this.#direct.statement(run, node);
      if (result !== null) return result;
    }
    return this.#executeStatement(run, original, node, pause);
  }

  async #executeStatement(
    run: Run,
    original: (node: StatementNode) => Promise<CommandResult>,
    node: StatementNode,
    pause: Promise<void> | undefined,
  ): Promise<CommandResult> {
    const { state } = run.ctx;
    if (pause !== undefined) await pause;
    const { frame } = run;
    noteConditions(run, node);
    if (run.traps.get('DEBUG')?.running === false) {
      state.env.set('BASH_COMMAND', node.sourceText ?? '');
    }
    try {
      const result = node.background
        ? await this.#startJob(run, node, original)
        : await runUndiscarded(run, this.#extents, node, () =>
            withErrorTrap(
              run,
              node,
              async () => this.#direct.statement(run, node) ?? original(node),
            ),
          );
      // What is left belongs to the statement as a whole: the figures of `time`.
      return run.line.live.take(result, frame.stdout, frame.stderr);
    } catch (error) {
      if (isFlow(error) && error.name === 'NounsetError') run.unbound = error;
      // A loop or a group takes it for a failed command; executeCommand throws it again.
      if (isFlow(error) && (isAbort(error) || goesFurther(error))) frame.flow = error;
      throw error;
    }
  }

  async executePipeline(
    self: Interpreter,
    original: (node: PipelineNode) => Promise<CommandResult>,
    node: PipelineNode,
  ): Promise<CommandResult> {
    const run = this.#runs.get(self.ctx);
    if (run === undefined) return original(node);
    const result = await runPipeline(run, node, () => original(node));
    const traced = self.ctx.state.options['xtrace'] === true;
    return run.frame.joined ? joined(result, traced) : result;
  }

  async executeCommand(
    self: Interpreter,
    original: (node: CommandNode, stdin: string, stdinOwned?: boolean) => Promise<CommandResult>,
    given: CommandNode,
    stdin: string,
    stdinOwned?: boolean,
  ): Promise<CommandResult> {
    const run = this.#runs.get(self.ctx);
    if (run === undefined) return original(given, stdin, stdinOwned);
    const outer = run.frame;
    const { state } = self.ctx;
    const place = run.places.get(given);
    const outerState = run.rewrites.state;
    // Before the first look at the node: parts of it are what the variables say now.
    run.rewrites.state = state;
    const node = run.rewrites.of(given);
    const stdout = outer.stdout && place?.pipes !== true;
    const stderr = outer.stderr && place?.pipesStderr !== true;
    const traced = run.traps.has('DEBUG') ? await beforeCommand(run, given) : null;
    const frame = this.#frameOf(run, node, place, stdinOwned === true);
    const before = rememberAssignments(node, state);
    run.frame = frame;
    let result: CommandResult;
    try {
      result = await withPipe(self.ctx, node, place?.piped === true ? stdin : null, () =>
        assigningIntegers(node, state, this.#arithmetics, () =>
          runExpanded(run, node, run.rewrites, this.#fs, (one) => original(one, stdin, stdinOwned)),
        ),
      );
      if (this.#fs.heldMark() !== frame.held && !keepsOpen(node)) {
        await this.#fs.flush(frame.held);
      }
    } catch (error) {
      if (place !== undefined && isFlow(error) && endsStage(error)) result = discarded(error);
      else if (isFlow(error)) {
        // What a stage of a pipeline or a subshell throws ends that alone.
        if (node.type === 'SimpleCommand' && node.name === null) asReadonly(error, state);
        if (isAbort(error) || place === undefined) outer.flow = error;
        takeFrom(error, run, stdout, stderr);
        throw error;
      } else {
        forgetAssignments(before, state);
        result = failedRedirect(error, node, run, frame, this.#fs);
      }
    } finally {
      run.frame = outer;
      run.rewrites.state = outerState;
      forgetLists(state);
      forgetValues(state);
    }
    if (frame.flow !== null && isAbort(frame.flow)) throw frame.flow;
    if (place !== undefined || node.type === 'Subshell') run.unbound = null;
    result = withOwnStatus(asText(result, frame.raw), node, frame);
    if (traced !== null) result = { ...together(traced, result), exitCode: result.exitCode };
    // `< loop` is told by just-bash itself.
    if (redirectionsOf(node).length > 0) result = await this.#withTrueMessages(result, 'bash', run);
    result = settleCommand(result, node, run, frame, this.#fs);
    result = run.line.live.take(result, stdout, stderr);
    if (
      frame.flow !== null &&
      goesFurther(frame.flow) &&
      node.type !== 'Subshell' &&
      place === undefined
    ) {
      outer.flow = frame.flow;
      throw endingWith(frame.flow, result);
    }
    if (frame.replaced !== null) {
      if (place === undefined) outer.flow = frame.replaced;
      throw endingWith(frame.replaced, result);
    }
    if (outer.kept !== null && place?.pipes !== true) outer.kept.stdout += result.stdout;
    if (outer.kept !== null && place?.pipesStderr !== true) outer.kept.stderr += result.stderr;
    return recounted(place?.pipes === true ? intoPipe(result, place.pipesStderr) : result);
  }

  /** The frame of a command that is about to run. */
  #frameOf(run: Run, node: CommandNode, place: Place | undefined, stdinOwned: boolean): Frame {
    const outer = run.frame;
    const list = redirectionsOf(node);
    const away = redirected(list);
    const stdout = outer.stdout && place?.pipes !== true;
    const stderr = outer.stderr && place?.pipesStderr !== true;
    return {
      node,
      stdout: stdout && !away.stdout,
      // A trace precedes what the command prints, but is known only after it.
      stderr: stderr && !away.stderr && run.ctx.state.options['xtrace'] !== true,
      joined:
        sameTarget(list, outer.joined && place?.pipes !== true) || place?.pipesStderr === true,
      stdin: outer.stdin || away.stdin || place?.piped === true || stdinOwned,
      expanding: true,
      raw: place?.pipes === true && node.type === 'SimpleCommand' && list.length === 0,
      mark: this.#fs.errorMark(),
      held: this.#fs.heldMark(),
      name: 'bash',
      kept: list.length > 0 || node.type === 'SimpleCommand' ? { stdout: '', stderr: '' } : null,
      flow: null,
      substituted: false,
      script: null,
      stage: outer.stage || place !== undefined,
      seekable: isSeekable(node, place?.piped === true, outer.seekable),
      replaced: null,
    };
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
      script: null,
      replaced: null,
    };
    let entry = this.#fs.errorMark();
    run.frame = frame;
    let result: CommandResult;
    try {
      // The very array, of which just-bash also takes `$_`.
      args.splice(0, args.length, ...(await expandMarks(args, globHost(run, this.#fs))));
      entry = this.#fs.errorMark();
      if (name === 'exit' && args.length === 0 && run.exiting !== null) {
        args.push(String(run.exiting));
      }
      if (name === 'eval') frame.script = prepareEval(args, state.shoptOptions['extglob'] === true);
      normalise(name, args);
      const given = withWideTests(name, keepEscapedBytes(name, args));
      this.marks.set(given, marksOf(frame, run.line));
      const called = state.functions.get(name);
      const own = called === undefined;
      if (called !== undefined) enterFunction(frame, called.redirections);
      const builtin = own
        ? ((name === 'kill' ? await signalSelf(run, args, original) : null) ??
          (await runBuiltin(name, args, run)) ??
          (await evaluateLong(name, args, run, this.#fs)) ??
          (await history(name, args, run)))
        : null;
      const asked = own && builtin === null && !frame.stdin;
      const typed = asked ? await fromKeyboard(run.line.init.terminal, name, args) : '';
      const shared = sharedInput(name, stdin, rest[3] === true, state);
      const input = typed === '' ? (shared ?? stdin) : typed;
      const shell = own ? shellName(name) : null;
      const sourced = own ? sourcedFile(name, args) : null;
      const direct = (words: string[]) => original(name, words, quoted, input, ...rest);
      const stacked = (words: string[]): Promise<CommandResult> =>
        own && sourced === null ? direct(words) : onStacks(state, sourced, () => direct(words));
      // `continue` succeeds, and tells so when the loop goes on.
      if (own && (name === 'continue' || name === 'break')) setStatus(state, 0);
      const call = (words: string[]): Promise<CommandResult> =>
        shell === null
          ? outsideLoops(state, !own, () => stacked(words))
          : startShell(this.#shellHost(self, run), shell, words, input);
      result =
        builtin ??
        (await computedBuiltin(name, given, state, this.#arithmetics, async (words) =>
          mendBuiltin(name, args, await call(words), state),
        ));
      if (shared !== null) takeInput(shared, name, args, result, state, frame.seekable);
      result = withListings(name, result, state);
      if (!own) result = await afterFunction(run, result);
      if (name === 'exec' && args.length > 0) {
        frame.replaced = await replacedShell(run, result, original);
      }
    } catch (error) {
      if (isFlow(error) && isReadonly(error)) result = discarded(error);
      else if (error instanceof NoMatch) result = noMatch(error.message);
      else throw error;
    } finally {
      run.frame = outer;
      outer.flow ??= frame.flow;
      outer.replaced ??= frame.replaced;
    }
    if (result.exitCode === 127 && result.stderr === `bash: ${name}: command not found\n`) {
      // At a terminal the prompt tells what a mistyped name may have meant.
      const names = run.line.init.terminal === null ? self.ctx.commands.keys() : null;
      result = { ...result, stderr: result.stderr + adviceForAbsent(name, names) };
    }
    result = await this.#withTrueMessages(result, name, run);
    result = settleRun(asText(result, frame.raw), args, run, frame, entry, this.#fs);
    // A function or `eval` has added what it ran already, command by command.
    if (outer.kept !== null) outer.kept = { stdout: textOf(result), stderr: result.stderr };
    return result;
  }

  async executeUserScript(
    self: Interpreter,
    original: RunFile,
    path: string,
    args: string[],
    stdin = '',
  ): Promise<CommandResult> {
    const run = this.#runs.get(self.ctx);
    if (run === undefined) return original(path, args, stdin);
    const called = run.frame.name.includes('/') ? run.frame.name : path;
    const input = stdin === '' ? (self.ctx.state.groupStdin ?? '') : stdin;
    return (
      (await callProgram(run, this.#fs, called, path, args, input)) ??
      startFile(this.#shellHost(self, run), called, path, args, input)
    );
  }

  #shellHost(self: Interpreter, run: Run): ShellHost {
    return {
      run,
      fs: this.#fs,
      start: async (script, options, begin) => {
        const key: string[] = [];
        this.#starts.set(key, begin);
        const result = await run.ctx.execFn(script, { ...options, args: key }, true);
        const { rest = '' } = this.#links.get(key) ?? {};
        const given = options.stdin?.length ?? 0;
        return { ...result, internalStdinConsumed: given - rest.length };
      },
      command: (name, args, stdin) => self.runCommand(name, args, [], stdin),
    };
  }

  async #withTrueMessages(result: CommandResult, name: string, run: Run): Promise<CommandResult> {
    const mark = this.#fs.errorMark();
    const told = await withTrueMessages(result, name, (operand) =>
      this.#fs.stat(this.#fs.resolvePath(run.ctx.state.cwd, operand)),
    );
    // What this look met is not the command's.
    for (const error of this.#fs.errorsSince(mark)) run.line.told.add(error);
    return told;
  }

  async #executeLine(
    self: Interpreter,
    { line, stdin }: Link,
    original: () => Promise<CommandResult>,
  ): Promise<CommandResult> {
    const { state } = self.ctx;
    enter(state, line.init.carried, line.init.options);
    beginStacks(state, null);
    if (line.init.terminal !== null) enterTerminal(state, line.init.terminal);
    const run = this.#begin(self, line, this.#rootFrame(true, stdin), this.#rewrites, true);
    try {
      const result = await this.#flushed(
        asText(ended(run, await withExitTrap(run, original)), false),
        run.frame,
      );
      const settled = settleCommand(result, null, run, run.frame, this.#fs);
      return line.live.take(settled, true, true);
    } catch (error) {
      if (isFlow(error)) takeFrom(error, run, true, true);
      line.exited = error instanceof Error && EXITS.has(error.name);
      throw error;
    } finally {
      await run.jobs.settled();
      line.after = state;
    }
  }

  /** Begins a job, beside what comes after it where its output needs nobody to take it. */
  async #startJob(
    run: Run,
    node: StatementNode,
    original: (node: StatementNode) => Promise<CommandResult>,
  ): Promise<CommandResult> {
    const { frame } = run;
    const { state } = run.ctx;
    // What a group was given to read is not handed to another interpreter.
    const given = state.groupStdin !== undefined;
    if (!frame.stdout || !frame.stderr || frame.joined || given)
      return run.jobs.start(node, state, original);
    return run.jobs.begin(node, state, (pid, signal) => {
      const key: string[] = [];
      const link: Link = {
        line: run.line,
        parent: frame,
        from: null,
        given: [],
        stdin: true,
        script: STAND_IN,
        start: null,
        rest: '',
        job: { node: { ...node, background: false }, state: jobState(state, pid), frame },
        rewrites: new Rewrites(this.#arithmetics),
      };
      const signals = [signal, ...(state.signal === undefined ? [] : [state.signal])];
      const either = DefenseInDepthBox.runTrusted(() => AbortSignal.any(signals));
      const options = { args: key, cwd: state.cwd, rawScript: true, signal: either };
      this.#links.set(key, link);
      return this.#fs.separately(
        async () => (await this.#starters.get(run.ctx)?.(STAND_IN, options, true))?.exitCode ?? 1,
      );
    });
  }

  async #executeJob(
    self: Interpreter,
    { line, rewrites }: Link,
    { node, state, frame }: Job,
    original: (node: ScriptNode) => Promise<CommandResult>,
  ): Promise<CommandResult> {
    Object.assign(self.ctx.state, state);
    const root = { ...this.#rootFrame(true, true), joined: frame.joined };
    const run = this.#begin(self, line, root, rewrites, false);
    try {
      const result = await withExitTrap(run, () =>
        original({ type: 'Script', statements: [node] }),
      );
      return line.live.take(asText(result, false), true, true);
    } catch (error) {
      if (isFlow(error)) takeFrom(error, run, true, true);
      throw error;
    } finally {
      await run.jobs.settled();
    }
  }

  /** Sends what the line opened and never wrote to; a refusal is the line's own failure. */
  async #flushed(result: CommandResult, frame: Frame): Promise<CommandResult> {
    try {
      await this.#fs.flush(frame.held);
      return result;
    } catch (error) {
      // settleCommand tells it, from the errors that the file system keeps.
      if (!(error instanceof FsError)) throw error;
      return result.exitCode === 0 ? { ...result, exitCode: 1 } : result;
    }
  }

  async #executeChild(
    self: Interpreter,
    link: Link,
    parent: Frame,
    original: () => Promise<CommandResult>,
  ): Promise<CommandResult> {
    const { line, given, stdin, start } = link;
    const { state } = self.ctx;
    isolateChild(state, this.#pristine, given);
    beginStacks(state, start?.file ?? null);
    if (link.from !== null) inheritFunctions(state, link.from);
    // `bash -c` hands on an empty stdin where it has none.
    if (!stdin) delete state.groupStdin;
    const root = this.#rootFrame(false, stdin);
    // A script's output is that of the command that runs it.
    if (TRANSPARENT.has(parent.name) || start !== null) {
      root.stdout = parent.stdout;
      root.stderr = parent.stderr;
      root.joined = parent.joined;
    }
    const refused = start === null ? null : await setOptions(self, start);
    if (refused !== null) return refused;
    // A trace comes before what it is of, and is known after it.
    if (root.joined && state.options['xtrace'] === true) root.stdout = false;
    const run = this.#begin(self, line, root, link.rewrites, false);
    try {
      const whole = await withExitTrap(run, original);
      const result = asText(start?.command === true ? ended(run, whole) : whole, false);
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
    } finally {
      await run.jobs.settled();
      link.rest = state.groupStdin ?? '';
    }
  }

  #rootFrame(visible: boolean, stdin: boolean): Frame {
    return rootFrame(visible, stdin, this.#fs.errorMark(), this.#fs.heldMark());
  }

  #begin(self: Interpreter, line: Line, frame: Frame, rewrites: Rewrites, top: boolean): Run {
    const { ctx } = self;
    const run: Run = {
      line,
      ctx,
      top,
      frame,
      places: new WeakMap(),
      conditions: new WeakSet(),
      traps: new Map(),
      jobs: top ? this.#jobs : new Jobs(),
      rewrites,
      discarded: null,
      exiting: null,
      unbound: null,
    };
    this.#runs.set(ctx, run);
    const start = ctx.execFn;
    this.#starters.set(ctx, start);
    ctx.execFn = (written, options = {}, accounted) => {
      const arithmetic: unknown = written;
      if (arithmetic instanceof Deferred) return arithmetic.run(ctx);
      // What is expanded runs in this very shell.
      const extglob = run.frame.expanding && ctx.state.shoptOptions['extglob'] === true;
      const script = prepareSource(written, extglob);
      const own = childOptions(ctx.state, this.#pristine, options);
      const key = options.args ?? [];
      const parent = run.frame;
      // `$(( $(f) ))`: a substitution like any other, with the functions that there are.
      if (parent.expanding) return ctx.executeScript(subshellScript(script));
      this.#links.set(key, {
        line,
        parent,
        from: ctx.state,
        given: Object.keys(own.env ?? {}),
        script,
        start: this.#starts.get(key) ?? null,
        rest: '',
        job: null,
        rewrites: run.rewrites,
        stdin: (options.stdin ?? '') !== '' || (parent.stdin && TRANSPARENT.has(parent.name)),
      });
      return start(isLong(script) ? STAND_IN : script, { ...own, args: key }, accounted);
    };
    return run;
  }
}
