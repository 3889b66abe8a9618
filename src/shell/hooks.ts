/** The shell's hooks into the interpreter: the order of things. What each does is in the modules it calls. */

import type { CommandNode, PipelineNode, ScriptNode, StatementNode } from 'just-bash';
import type { NamespaceFs } from '../namespace/types.ts';
import { Arithmetics } from './arithmetic/outcome.ts';
import { hasLostArrays, parseWithArrays } from './array-literals.ts';
import type { Background } from './background.ts';
import { type CallHost, runCall } from './call.ts';
import { startFile } from './child-shells.ts';
import { type ExecuteCommand, runCommandNode } from './command-run.ts';
import { Direct } from './direct/direct.ts';
import type { Soon } from './direct/gathered.ts';
import { type Extents, goesFurther, noteExtents, runUndiscarded } from './discard.ts';
import { endPipeline } from './endless.ts';
import { withErrorTrap } from './error-trap.ts';
import type { Frame, Run } from './frame.ts';
import { runWhole } from './incomplete.ts';
import { executeInner } from './inner-script.ts';
import type { InterpreterHooks, RunCommand, RunFile } from './interpreter-class.ts';
import type { CommandResult, Interpreter, ShellState } from './interpreter-types.ts';
import type { Line } from './line.ts';
import { goOn, withLoop } from './loops.ts';
import { callProgram } from './programs.ts';
import { restoreCommas } from './quoted-commas.ts';
import { joined } from './results.ts';
import { isAbort, isFlow, noteConditions, runPipeline } from './run.ts';
import { type LineJob, ScriptRuns } from './script-runs.ts';
import { afterSignals } from './signals.ts';
import { asTyped } from './source.ts';

export class ShellHooks implements InterpreterHooks {
  /** What commands and calls of this shell have in common. */
  readonly #host: CallHost;
  readonly #direct: Direct;
  readonly #extents: Extents = new WeakMap();
  readonly #scripts: ScriptRuns;
  #lastRead = '';

  /**
   * @param marks the letters for shims, by a call's argument array
   * @param others the names of commands that may take the place of a builtin
   * @param background carries out jobs that outlive their line; null where none does
   */
  constructor(
    fs: NamespaceFs,
    pristine: ShellState,
    marks: WeakMap<readonly string[], string>,
    others: ReadonlySet<string>,
    background: Background | null,
  ) {
    const arithmetics = new Arithmetics();
    this.#host = { fs, arithmetics, marks };
    this.#direct = new Direct(this.#host, others);
    this.#scripts = new ScriptRuns(fs, pristine, arithmetics, this.#extents, background);
  }

  /** Makes the key, to be given to `exec` as its `args`, by which the interpreter of a line is known. */
  link(line: Line, script: string, job?: LineJob): string[] {
    return this.#scripts.link(line, script, job);
  }

  async executeScript(
    self: Interpreter,
    original: (node: ScriptNode) => Promise<CommandResult>,
    node: ScriptNode,
  ): Promise<CommandResult> {
    const run = this.#scripts.of(self.ctx);
    if (run === undefined) return this.#scripts.begin(self, original, node);
    const inner = restoreCommas(this.#withArrays(node, run.frame), run.frame.script ?? '');
    noteExtents(inner, this.#extents);
    return executeInner(run, inner, () => runWhole(inner, original));
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
    const run = this.#scripts.of(self.ctx);
    if (run === undefined) return original(node);
    goOn(run, node);
    const pause = run.line.tick();
    // One that stands in the script itself is where errors of expansion end.
    if (pause === undefined && run.signalled.length === 0 && !this.#extents.has(node)) {
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
      state.env.set('BASH_COMMAND', asTyped(node.sourceText ?? ''));
    }
    try {
      const result = node.background
        ? await this.#scripts.startJob(run, node, original)
        : await runUndiscarded(run, this.#extents, node, () =>
            withErrorTrap(
              run,
              node,
              async () => this.#direct.statement(run, node) ?? original(node),
            ),
          );
      // What is left belongs to the statement as a whole: the figures of `time`.
      return await afterSignals(run, run.line.live.take(result, frame.stdout, frame.stderr));
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
    const run = this.#scripts.of(self.ctx);
    if (run === undefined) return original(node);
    const result = await runPipeline(run, node, () => original(node));
    // Of a bad substitution just-bash makes a failed command here; what it ends is the line.
    const { flow } = run.frame;
    if (flow?.name === 'BadSubstitutionError') throw flow;
    endPipeline(run, run.frame, this.#host.fs);
    const traced = self.ctx.state.options['xtrace'] === true;
    return run.frame.joined ? joined(result, traced) : result;
  }

  async executeCommand(
    self: Interpreter,
    original: ExecuteCommand,
    node: CommandNode,
    stdin: string,
    stdinOwned?: boolean,
  ): Promise<CommandResult> {
    const run = this.#scripts.of(self.ctx);
    if (run === undefined) return original(node, stdin, stdinOwned);
    return withLoop(run, node, () =>
      runCommandNode(this.#host, run, node, { stdin, owned: stdinOwned }, original),
    );
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
    const run = this.#scripts.of(self.ctx);
    if (run === undefined) return original(name, args, quoted, stdin, ...rest);
    const call = { name, args, quoted, stdin, rest, original };
    return runCall(this.#host, this.#scripts.shellHost(self, run), call);
  }

  async executeUserScript(
    self: Interpreter,
    original: RunFile,
    path: string,
    args: string[],
    stdin = '',
  ): Promise<CommandResult> {
    const run = this.#scripts.of(self.ctx);
    if (run === undefined) return original(path, args, stdin);
    const called = run.frame.name.includes('/') ? run.frame.name : path;
    const input = stdin === '' ? (self.ctx.state.groupStdin ?? '') : stdin;
    return (
      (await callProgram(run, this.#host.fs, called, path, args, input)) ??
      startFile(this.#scripts.shellHost(self, run), called, path, args, input)
    );
  }
}
