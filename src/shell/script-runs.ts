/** The runs of scripts: a line, the shells that it starts, its jobs. Each has an interpreter of its own. */
import { DefenseInDepthBox, type ScriptNode, type StatementNode } from 'just-bash';
import { FsError } from '../errors.ts';
import type { NamespaceFs } from '../namespace/types.ts';
import { Deferred } from './arithmetic/deferred.ts';
import type { Arithmetics } from './arithmetic/outcome.ts';
import { parseWithArrays } from './array-literals.ts';
import type { Background } from './background.ts';
import { throughBoundary } from './bytes.ts';
import { beginStacks } from './call-stack.ts';
import { type ShellHost, type ShellStart, setOptions } from './child-shells.ts';
import { settleCommand } from './command-errors.ts';
import { type Extents, ended, noteExtents } from './discard.ts';
import { withExitTrap } from './exit-trap.ts';
import { inheritFunctions } from './exported-functions.ts';
import type { Frame, Run } from './frame.ts';
import type { Inbox } from './inbox.ts';
import { runWhole } from './incomplete.ts';
import { subshellScript } from './inner-script.ts';
import type {
  CommandResult,
  Interpreter,
  InterpreterContext,
  InterpreterState,
  ShellState,
} from './interpreter-types.ts';
import { Jobs } from './jobs.ts';
import type { Line } from './line.ts';
import { isLong, parseLong, STAND_IN } from './long-scripts.ts';
import { restoreCommas } from './quoted-commas.ts';
import { newAliasing } from './reading.ts';
import { asText } from './results.ts';
import { Rewrites } from './rewrites.ts';
import { isFlow, rootFrame, takeFrom } from './run.ts';
import { prepareSource } from './source.ts';
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
  inbox: Inbox;
  start: ShellStart | null;
  /** What it has left of its stdin, once it has ended. */
  rest: string;
}

/** A job that is about to begin. */
interface Job {
  node: StatementNode;
  /** A copy of the shell that starts it. */
  state: InterpreterState;
  /** Of the command that started it; null where a line is the job. */
  frame: Frame | null;
  inbox: Inbox;
}

/** What a line runs where it is a job that outlives another one: see background.ts. */
export interface LineJob {
  node: StatementNode;
  state: InterpreterState;
  inbox: Inbox;
}

const scriptOf = (node: StatementNode): ScriptNode => ({ type: 'Script', statements: [node] });

function wholeOf(script: string, node: ScriptNode): ScriptNode {
  const parsed = isLong(script) ? parseLong(script) : (parseWithArrays(script) ?? node);
  return restoreCommas(parsed, script);
}

/** Every script that runs in a shell, by its interpreter. */
export class ScriptRuns {
  readonly #fs: NamespaceFs;
  readonly #pristine: ShellState;
  readonly #arithmetics: Arithmetics;
  readonly #extents: Extents;
  readonly #rewrites: Rewrites;
  /** Those of the lines; what a line starts has its own. */
  readonly #jobs: Jobs;
  readonly #background: Background | null;
  readonly #runs = new WeakMap<InterpreterContext, Run>();
  /** Keyed by the `args` array given to `exec`: the interpreter's state holds the very same one. */
  readonly #links = new WeakMap<object, Link>();
  /** How just-bash starts a script inside another one, before it is hooked. */
  readonly #starters = new WeakMap<InterpreterContext, InterpreterContext['execFn']>();
  /** By the same key as the links. */
  readonly #starts = new WeakMap<object, ShellStart>();

  /**
   * @param extents what the statements of the scripts that begin here span
   * @param background carries out jobs that outlive their line; null where none does
   */
  constructor(
    fs: NamespaceFs,
    pristine: ShellState,
    arithmetics: Arithmetics,
    extents: Extents,
    background: Background | null,
  ) {
    this.#background = background;
    this.#jobs = new Jobs(background);
    this.#fs = fs;
    this.#pristine = pristine;
    this.#arithmetics = arithmetics;
    this.#extents = extents;
    this.#rewrites = new Rewrites(arithmetics);
  }

  /** The run of an interpreter, once its script has begun. */
  of(ctx: InterpreterContext): Run | undefined {
    return this.#runs.get(ctx);
  }

  /** Makes the key, to be given to `exec` as its `args`, by which the interpreter of a line is known. */
  link(line: Line, script: string, job?: LineJob): string[] {
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
      job: job === undefined ? null : { ...job, frame: null, inbox: job.inbox },
      rewrites: this.#rewrites,
      inbox: job?.inbox ?? [],
    });
    return key;
  }

  /** Runs the script with which an interpreter begins. */
  async begin(
    self: Interpreter,
    original: (node: ScriptNode) => Promise<CommandResult>,
    node: ScriptNode,
  ): Promise<CommandResult> {
    const key = self.ctx.state.extraArgs;
    const link = key === undefined ? undefined : this.#links.get(key);
    if (link === undefined) return original(node);
    const { script, job } = link;
    if (job !== null && job.frame !== null) return this.#executeJob(self, link, job, original);
    const whole = job === null ? wholeOf(script, node) : scriptOf(job.node);
    if (link.parent === null) link.line.script = whole;
    noteExtents(whole, this.#extents);
    return link.parent === null
      ? this.#executeLine(self, link, () => runWhole(whole, original))
      : this.#executeChild(self, link, link.parent, () => runWhole(whole, original));
  }

  /** Where the shells come from that a command of this run starts. */
  shellHost(self: Interpreter, run: Run): ShellHost {
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

  async #executeLine(
    self: Interpreter,
    { line, stdin, job, inbox }: Link,
    original: () => Promise<CommandResult>,
  ): Promise<CommandResult> {
    const { state } = self.ctx;
    if (job === null) enter(state, line.init.carried, line.init.options);
    else Object.assign(state, job.state);
    beginStacks(state, null);
    if (line.init.terminal !== null) enterTerminal(state, line.init.terminal);
    // What a line is given is there as a whole, as a file is.
    const root = { ...this.#rootFrame(true, stdin), seekable: stdin };
    const run = this.#open(self, line, root, this.#rewrites, true, inbox);
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
  async startJob(
    run: Run,
    node: StatementNode,
    original: (node: StatementNode) => Promise<CommandResult>,
  ): Promise<CommandResult> {
    const { frame } = run;
    const { state } = run.ctx;
    // What a group was given to read is not handed to another interpreter; the shell's own stdin no job has.
    const given = frame.fed && state.groupStdin !== undefined;
    if (!frame.stdout || !frame.stderr || frame.joined || given)
      return run.jobs.start(node, state, original);
    const background = this.#background;
    if (background !== null && run.top && !run.line.keepsJobs)
      return run.jobs.detach(background, node, state, run.line.init.terminal !== null);
    return run.jobs.begin(node, state, (pid, signal, inbox) => {
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
        job: { node: { ...node, background: false }, state: jobState(state, pid), frame, inbox },
        rewrites: new Rewrites(this.#arithmetics),
        inbox,
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
    { node, state, frame, inbox }: Job,
    original: (node: ScriptNode) => Promise<CommandResult>,
  ): Promise<CommandResult> {
    Object.assign(self.ctx.state, state);
    const root = { ...this.#rootFrame(true, true), joined: frame?.joined === true };
    const run = this.#open(self, line, root, rewrites, false, inbox);
    try {
      const result = await withExitTrap(run, () => original(scriptOf(node)));
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
    if (start !== null) state.lastArg = start.started;
    if (link.from !== null) inheritFunctions(state, link.from);
    // `bash -c` hands on an empty stdin where it has none.
    if (!stdin) delete state.groupStdin;
    const root = this.#rootFrame(false, stdin);
    // A script's output is that of the command that runs it.
    if (TRANSPARENT.has(parent.name) || start !== null) {
      root.stdout = parent.stdout;
      root.stderr = parent.stderr;
      root.joined = parent.joined;
      root.seekable = parent.seekable;
    }
    const refused = start === null ? null : await setOptions(self, start);
    if (refused !== null) return refused;
    // A trace comes before what it is of, and is known after it.
    if (root.joined && state.options['xtrace'] === true) root.stdout = false;
    const run = this.#open(self, line, root, link.rewrites, false, link.inbox);
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
      link.inbox.splice(link.inbox.indexOf(run), 1);
      await run.jobs.settled();
      link.rest = state.groupStdin ?? '';
    }
  }

  #rootFrame(visible: boolean, stdin: boolean): Frame {
    return rootFrame(visible, stdin, this.#fs.errorMark(), this.#fs.heldMark());
  }

  /** Makes the run of an interpreter, and links to it whatever it starts. */
  #open(
    self: Interpreter,
    line: Line,
    frame: Frame,
    rewrites: Rewrites,
    top: boolean,
    inbox: Inbox,
  ): Run {
    const { ctx } = self;
    const run: Run = {
      line,
      ctx,
      top,
      frame,
      places: new WeakMap(),
      conditions: new WeakSet(),
      traps: new Map(),
      loops: [],
      aliasing: newAliasing(),
      jobs: top ? this.#jobs : new Jobs(),
      inbox,
      signalled: [],
      rewrites,
      discarded: null,
      exiting: null,
      unbound: null,
    };
    inbox.push(run);
    this.#runs.set(ctx, run);
    this.#starters.set(ctx, ctx.execFn);
    ctx.execFn = this.#starterOf(run, ctx.execFn);
    return run;
  }

  /** How a script starts inside this one: with a link to it, by which its own run is made. */
  #starterOf(run: Run, start: InterpreterContext['execFn']): InterpreterContext['execFn'] {
    const { ctx, line } = run;
    return (written, options = {}, accounted) => {
      const arithmetic: unknown = written;
      if (arithmetic instanceof Deferred) return arithmetic.run(ctx);
      // What is expanded runs in this very shell.
      const extglob = run.frame.expanding && ctx.state.shoptOptions['extglob'] === true;
      const script = prepareSource(written, extglob);
      const own = childOptions(ctx.state, this.#pristine, options);
      const key = options.args ?? [];
      const parent = run.frame;
      // `$(( $(f) ))`: a substitution like any other, with the functions that there are.
      if (parent.expanding) return ctx.executeScript(restoreCommas(subshellScript(script), script));
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
        inbox: run.inbox,
        stdin: (options.stdin ?? '') !== '' || (parent.stdin && TRANSPARENT.has(parent.name)),
      });
      return start(isLong(script) ? STAND_IN : script, { ...own, args: key }, accounted);
    };
  }
}
