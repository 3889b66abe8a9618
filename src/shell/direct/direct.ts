/**
 * What loops are made of, run without the interpreter: assignments, arithmetic, tests, `echo`, and
 * the `if`, `case`, `&&` and `{ }` around them. Each statement is compiled once. A command that meets
 * anything out of the ordinary (an array where a text was, a wildcard, an error, an option such as
 * `set -x`) does nothing and is left to the interpreter, which so has the last word on all of it.
 */
import { type CommandNode, parse, type StatementNode } from 'just-bash';
import type { CommandHost } from '../command-run.ts';
import type { Run } from '../frame.ts';
import type { CommandResult, InterpreterState } from '../interpreter-types.ts';
import { setsTrap } from '../rewrites.ts';
import { isFlow } from '../run.ts';
import { Commands, nameOf } from './commands.ts';
import { type Compiled, LEFT, valuesOf } from './compiled.ts';
import { enterCall } from './functions.ts';
import { after, Gathered, type Soon } from './gathered.ts';
import { isOrdinary } from './ordinary.ts';
import { fits, type Pattern, patternOf } from './patterns.ts';
import { setPipeStatus, setStatus } from './statuses.ts';
import { Words } from './words.ts';
import { targetOf, writeOutput } from './writes.ts';

/** Runs a command; null where it is left to the interpreter, and nothing has been done. */
type Plan = (run: Run) => Soon<CommandResult> | null;
type Compound<T extends CommandNode['type']> = Extract<CommandNode, { type: T }>;

/** A pipeline of one command. */
interface Step {
  plan: Plan | null;
  negated: boolean;
}

/** Deeper calls go through the interpreter, which does not need the machine's stack for them. */
const MOST_CALLS = 20;
/** Names that the interpreter may look at before it looks for a function. */
const BUILTINS = new Set(
  (
    '. alias bg bind break builtin caller cd command compgen complete compopt continue declare dirs disown ' +
    'enable eval exec exit export fg getopts hash help history jobs kill let local logout mapfile popd printf ' +
    'pushd pwd read readarray readonly return set shift shopt source suspend test time times trap type typeset ' +
    'ulimit umask unalias unset wait'
  ).split(' '),
);

/** Silent results by their status. */
const SILENT: readonly CommandResult[] = [0, 1].map((exitCode) =>
  Object.freeze({ stdout: '', stderr: '', exitCode }),
);

export class Direct {
  readonly #host: CommandHost;
  readonly #words: Words;
  readonly #commands: Commands;
  readonly #plans = new WeakMap<StatementNode, Plan | null>();
  /** Does a function's body set traps? Then it is the interpreter's. */
  readonly #trapping = new WeakMap<CommandNode, boolean>();
  /** Commands of the deployment, which may bear the name of a builtin. */
  readonly #others: ReadonlySet<string>;
  /** What ends a script under `set -e`: only the interpreter has the error for it. */
  readonly #failed: StatementNode;
  /** Calls of functions on the stack of the machine. */
  #calls = 0;

  constructor(host: CommandHost, others: ReadonlySet<string>) {
    this.#host = host;
    this.#words = new Words(host.arithmetics);
    this.#commands = new Commands(this.#words);
    this.#others = others;
    const [failed] = parse('false').statements;
    if (failed === undefined) throw new Error('`false` is no statement to the parser');
    this.#failed = failed;
    this.#plans.set(failed, null);
  }

  /** Runs a statement; null where it is left to the interpreter, and nothing has been done. */
  statement(run: Run, node: StatementNode): Soon<CommandResult> | null {
    let plan = this.#plans.get(node);
    if (plan === undefined) {
      plan = this.#planOf(node);
      this.#plans.set(node, plan);
    }
    return plan === null || !isOrdinary(run) ? null : plan(run);
  }

  #planOf(node: StatementNode): Plan | null {
    if (node.background || node.deferredError !== undefined) return null;
    const steps: Step[] = [];
    for (const { commands, negated, timed } of node.pipelines) {
      const [command, ...more] = commands;
      if (command === undefined || more.length > 0 || timed === true) return null;
      steps.push({ plan: this.#command(command), negated });
    }
    const [first, ...rest] = steps;
    if (first === undefined || first.plan === null) return null;
    if (rest.length === 0) return this.#single(first.plan, first.negated);
    return this.#list(node, steps);
  }

  /** A statement of one command. */
  #single(plan: Plan, negated: boolean): Plan {
    const settled = (run: Run, result: CommandResult): Soon<CommandResult> => {
      const { state } = run.ctx;
      if (!negated) return this.#checked(run, result);
      state.errexitSafe = true;
      const exitCode = result.exitCode === 0 ? 1 : 0;
      setStatus(state, exitCode);
      return { ...result, exitCode };
    };
    return (run) => {
      const result = negated ? this.#heedless(run, () => plan(run)) : plan(run);
      return result === null ? null : after(result, (made) => settled(run, made));
    };
  }

  /** `a && b || c`. */
  #list(node: StatementNode, steps: readonly Step[]): Plan {
    const rests = new Map<number, StatementNode>();
    // What is left is left with all that comes after it.
    const rest = (at: number): StatementNode => {
      const made = rests.get(at) ?? {
        ...node,
        pipelines: node.pipelines.slice(at),
        operators: node.operators.slice(at),
      };
      rests.set(at, made);
      return made;
    };
    const from = (run: Run, out: Gathered, start: number, before: number): Soon<number> => {
      const { state } = run.ctx;
      let status = before;
      let last = start - 1;
      for (let at = start; at < steps.length; at++) {
        const operator = at === 0 ? ';' : node.operators[at - 1];
        if ((operator === '&&' && status !== 0) || (operator === '||' && status === 0)) continue;
        const { plan = null, negated = false } = steps[at] ?? {};
        const asks = negated || at < steps.length - 1;
        const result = asks
          ? this.#heedless(run, () => plan?.(run) ?? null)
          : (plan?.(run) ?? null);
        if (result === null) {
          return after(run.ctx.executeStatement(rest(at)), (made) => out.add(made));
        }
        const settle = (made: CommandResult): number => {
          out.add(made);
          const own = negated ? Number(made.exitCode === 0) : made.exitCode;
          setStatus(state, own);
          return own;
        };
        if (result instanceof Promise) {
          return after(after(result, settle), (own) => from(run, out, at + 1, own));
        }
        status = settle(result);
        last = at;
      }
      const safe = last < steps.length - 1 || steps.at(-1)?.negated === true;
      state.errexitSafe = safe || state.errexitSafe === true;
      return status;
    };
    return (run) => {
      // Before anything is done it can still be left as a whole.
      const first = this.#heedless(run, () => steps[0]?.plan?.(run) ?? null);
      if (first === null) return null;
      const out = new Gathered();
      const begun = after(first, (made) => {
        out.add(made);
        const own = steps[0]?.negated === true ? Number(made.exitCode === 0) : made.exitCode;
        setStatus(run.ctx.state, own);
        return from(run, out, 1, own);
      });
      return after(out.settled(begun), (result) => this.#checked(run, result));
    };
  }

  /** Ends the script where `set -e` wants it. */
  #checked(run: Run, result: CommandResult): Soon<CommandResult> {
    const { state } = run.ctx;
    if (result.exitCode === 0 || state.options['errexit'] !== true) return result;
    if (state.inCondition === true || state.errexitSafe === true) return result;
    const out = new Gathered();
    out.add(result);
    return out.settled(after(run.ctx.executeStatement(this.#failed), (made) => out.add(made)));
  }

  #command(node: CommandNode): Plan | null {
    if (node.type === 'FunctionDef') return null;
    if (node.redirections.length > 0)
      return node.type === 'SimpleCommand' ? this.#writing(node) : null;
    switch (node.type) {
      case 'If':
        return this.#if(node);
      case 'Case':
        return this.#case(node);
      case 'Group':
        // Where it ends, its traps may have to run.
        if (setsTrap(node)) return null;
        return (run) => {
          const out = new Gathered();
          return out.settling(() => this.#all(run, node.body, out));
        };
      default: {
        const compiled = this.#commands.compiled(node);
        if (compiled !== null) return this.#leaf(node, compiled);
        return node.type === 'SimpleCommand' ? this.#call(node) : null;
      }
    }
  }

  /** What prints into one file. */
  #writing(node: Compound<'SimpleCommand'>): Plan | null {
    const target = targetOf(node, this.#words);
    const compiled = target && this.#commands.compiled({ ...node, redirections: [] });
    if (target === null || compiled?.name == null) return null;
    const { name, run: action } = compiled;
    if (name !== 'echo' && name !== 'printf') return null;
    return (run) => {
      const { state } = run.ctx;
      const written = this.#isReplaced(name, state) ? null : target.path(state);
      if (written === null) return null;
      const path = this.#host.fs.resolvePath(state.cwd, written);
      if (path.startsWith('/dev/')) return null;
      let printed = '';
      const status = action(run.ctx, (text) => {
        printed = text;
      });
      // Nothing to write: whether the file is made is the interpreter's to say.
      if (status === LEFT || printed === '') return null;
      run.ctx.executionScope.chargeCommand();
      if (node.line !== undefined) state.currentLine = node.line;
      state.errexitSafe = false;
      return writeOutput(this.#host, run, node, path, printed, target.appends).then((result) => {
        setPipeStatus(state, result.exitCode);
        setStatus(state, result.exitCode);
        return result;
      });
    };
  }

  #leaf(node: CommandNode, { run: action, name }: Compiled): Plan {
    const simple = node.type === 'SimpleCommand';
    const { line } = node as { line?: number };
    return (run) => {
      const { ctx, frame } = run;
      const { state } = ctx;
      if (name !== null && this.#isReplaced(name, state)) return null;
      let printed = '';
      const status = action(ctx, (text) => {
        printed = text;
      });
      if (status === LEFT) return null;
      ctx.executionScope.chargeCommand();
      if (line !== undefined) state.currentLine = line;
      state.errexitSafe = false;
      if (simple) {
        if (name === null) state.lastArg = '';
        setPipeStatus(state, status);
      }
      setStatus(state, status);
      if (printed === '') return SILENT[status] ?? { stdout: '', stderr: '', exitCode: status };
      if (frame.stdout) {
        run.line.live.handOn('stdout', printed);
        return SILENT[status] ?? { stdout: '', stderr: '', exitCode: status };
      }
      if (frame.kept !== null) frame.kept.stdout += printed;
      return { stdout: printed, stderr: '', exitCode: status };
    };
  }

  /** A call of a function. Whether there is one is known when it runs. */
  #call(node: Compound<'SimpleCommand'>): Plan | null {
    const name = nameOf(node);
    const words = node.args.map((word) => this.#words.argument(word));
    const texts = words.filter((text) => text !== null);
    if (name === null || BUILTINS.has(name) || node.assignments.length > 0) return null;
    if (texts.length < words.length) return null;
    return (run) => {
      const { ctx } = run;
      const { state } = ctx;
      const called = state.functions.get(name);
      if (called?.body.type !== 'Group' || called.redirections.length > 0) return null;
      if (called.body.redirections.length > 0 || this.#calls >= MOST_CALLS) return null;
      if (run.traps.has('RETURN') || this.#setsTrap(called.body) || state.options['posix'] === true)
        return null;
      if ((state.callDepth ?? 0) >= ctx.limits.maxCallDepth) return null;
      if (state.shoptOptions['expand_aliases'] === true) return null;
      const args = valuesOf(texts, state);
      if (args === null) return null;
      ctx.executionScope.chargeCommand();
      if (node.line !== undefined) state.currentLine = node.line;
      state.errexitSafe = false;
      const body = called.body.body;
      const leave = enterCall(state, called, args);
      const { loopDepth = 0 } = state;
      state.loopDepth = 0;
      const settle = (exitCode: number): number => {
        setPipeStatus(state, exitCode);
        state.lastArg = args.at(-1) ?? name;
        return setStatus(state, exitCode);
      };
      return finished(
        () => {
          const out = new Gathered();
          this.#calls++;
          try {
            return out.settling(() => this.#all(run, body, out));
          } finally {
            this.#calls--;
          }
        },
        (result) => {
          settle(result.exitCode);
          return result;
        },
        () => {
          state.loopDepth = loopDepth;
          leave();
        },
      );
    };
  }

  #if({ clauses, elseBody }: Compound<'If'>): Plan {
    return (run) => {
      run.ctx.state.errexitSafe = false;
      const out = new Gathered();
      const from = (at: number): Soon<number> => {
        const clause = clauses[at];
        if (clause === undefined) return elseBody === null ? 0 : this.#all(run, elseBody, out);
        return after(this.#asked(run, clause.condition, out), (status) =>
          status === 0 ? this.#all(run, clause.body, out) : from(at + 1),
        );
      };
      return out.settling(() => after(from(0), (status) => setStatus(run.ctx.state, status)));
    };
  }

  #case({ word, items }: Compound<'Case'>): Plan | null {
    const text = this.#words.value(word);
    const cases: { patterns: Pattern[]; body: readonly StatementNode[] }[] = [];
    for (const { patterns, body, terminator } of items) {
      const made = patterns.map((one) =>
        patternOf(one, (part) => this.#words.value({ type: 'Word', parts: [part] })),
      );
      const known = made.filter((one) => one !== null);
      if (terminator !== ';;' || known.length < made.length) return null;
      cases.push({ patterns: known, body });
    }
    if (text === null) return null;
    return (run) => {
      const { state } = run.ctx;
      const value = text(state);
      if (value === null || state.shoptOptions['nocasematch'] === true) return null;
      for (const { patterns, body } of cases) {
        for (const pattern of patterns) {
          const pieces = pattern(state);
          if (pieces === null) return null;
          if (!fits(value, pieces)) continue;
          state.errexitSafe = false;
          const out = new Gathered();
          return out.settling(() =>
            after(this.#all(run, body, out), (status) => setStatus(state, status)),
          );
        }
      }
      state.errexitSafe = false;
      setStatus(state, 0);
      return SILENT[0] ?? null;
    };
  }

  /** Statements that are asked. */
  #asked(run: Run, statements: readonly StatementNode[], out: Gathered): Soon<number> {
    return this.#heedless(run, () => this.#all(run, statements, out));
  }

  #setsTrap(body: CommandNode): boolean {
    const known = this.#trapping.get(body) ?? setsTrap(body);
    this.#trapping.set(body, known);
    return known;
  }

  /** What asks a question, so that `set -e` heeds none of its failures, also within functions. */
  #heedless<Result extends Soon<unknown> | null>(run: Run, ask: () => Result): Result {
    const { state } = run.ctx;
    const before = state.inCondition;
    state.inCondition = true;
    let result: Soon<Result> | undefined;
    try {
      result = ask();
    } finally {
      if (!(result instanceof Promise)) state.inCondition = before;
    }
    if (!(result instanceof Promise)) return result;
    const settled = result.finally(() => {
      state.inCondition = before;
    });
    return settled as Result & Promise<unknown>;
  }

  /** Statements one after the other. The status of the last. */
  #all(run: Run, statements: readonly StatementNode[], out: Gathered): Soon<number> {
    let status = 0;
    for (const [at, statement] of statements.entries()) {
      const result = this.statement(run, statement) ?? run.ctx.executeStatement(statement);
      if (result instanceof Promise) return this.#rest(run, statements, out, at, result);
      status = out.add(result);
    }
    return status;
  }

  async #rest(
    run: Run,
    statements: readonly StatementNode[],
    out: Gathered,
    at: number,
    pending: Promise<CommandResult>,
  ): Promise<number> {
    let status = out.add(await pending);
    for (const statement of statements.slice(at + 1)) {
      const result = this.statement(run, statement) ?? run.ctx.executeStatement(statement);
      status = out.add(result instanceof Promise ? await result : result);
    }
    return status;
  }

  /** Has the script or the deployment a command of this name that comes first? */
  #isReplaced(name: string, state: InterpreterState): boolean {
    if (state.functions.has(name) || this.#others.has(name)) return true;
    return state.shoptOptions['expand_aliases'] === true && state.env.has(`BASH_ALIAS_${name}`);
  }
}

/** Runs a call to its end, `return` included, and then what puts the shell back. */
function finished(
  run: () => Soon<CommandResult>,
  settle: (result: CommandResult) => CommandResult,
  leave: () => void,
): Soon<CommandResult> {
  const failed = (error: unknown): CommandResult => {
    leave();
    if (!isFlow(error) || error.name !== 'ReturnError') throw error;
    const { stdout = '', stderr = '', exitCode = 0 } = error;
    return settle({ stdout, stderr, exitCode });
  };
  const ended = (result: CommandResult): CommandResult => {
    leave();
    return settle(result);
  };
  let result: Soon<CommandResult>;
  try {
    result = run();
  } catch (error) {
    return failed(error);
  }
  return result instanceof Promise ? result.then(ended, failed) : ended(result);
}
