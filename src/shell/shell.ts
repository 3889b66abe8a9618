/** The shell that an agent gets: just-bash over the namespace, with its guards, and with a memory. */
import { Bash, type Command } from 'just-bash';
import type { NamespaceFs } from '../namespace/types.ts';
import type { Background } from './background.ts';
import { withExactWrites } from './byte-fs.ts';
import { PausableClock } from './clock.ts';
import { ShellHooks } from './hooks.ts';
import { hookInterpreter, pristineState } from './interpreter-class.ts';
import { DEFAULT_DEADLINE_MS, SHELL_LIMITS, type ShellLimits } from './limits.ts';
import { Line } from './line.ts';
import type { OnOutput } from './live-output.ts';
import { isLong, STAND_IN } from './long-scripts.ts';
import type { LineJob } from './script-runs.ts';
import { withIo } from './shim-io.ts';
import { prepareSource } from './source.ts';
import { copyState, leave, leftAnything, type ShellState } from './state.ts';
import type { ShellTerminal } from './terminal.ts';

export type { OnOutput, Stream } from './live-output.ts';
export type { ShellState } from './state.ts';

export interface ShellOptions {
  fs: NamespaceFs;
  /** Shims. One with the name of a built-in command replaces it. */
  commands: Command[];
  /** Names of shims that answer as the shell itself would where nothing is out of the ordinary. */
  plain?: ReadonlySet<string>;
  /** Exported variables, besides PATH and the like. */
  env?: Record<string, string>;
  /** Absolute. */
  cwd: string;
  /** Over {@link SHELL_LIMITS}. */
  limits?: ShellLimits;
  onOutput?: OnOutput;
  /** Carries out jobs that outlive their line; absent where all of them end with it. */
  background?: Background;
  /** From {@link Shell.state}, of this or an earlier shell. */
  state?: ShellState;
}

export interface ExecOptions {
  /** For this line alone. Absolute. */
  cwd?: string;
  /** Exported for this line alone. */
  env?: Record<string, string>;
  /** Text, or bytes. */
  stdin?: string | Uint8Array;
  signal?: AbortSignal;
  /** From now, in milliseconds; {@link DEFAULT_DEADLINE_MS} if not given. */
  deadlineMs?: number;
  /** Where a person sits, and its stdin is the keyboard. */
  terminal?: ShellTerminal;
  /** Bytes that it may print, both streams together; what the shell's limits say, if absent. */
  maxOutput?: number;
  /** Do the jobs of this line end with it? */
  keepsJobs?: boolean;
  /** It is a job of another shell: what that runs, and where its signals go. The script is not looked at. */
  job?: LineJob;
  /** By which the deadline is measured; one that whoever makes a command wait can pause. */
  clock?: PausableClock;
}

export interface ExecOutcome {
  /** All that `onOutput` was called with, put together when it is asked for. */
  readonly stdout: Uint8Array;
  readonly stderr: Uint8Array;
  /** 124 when the deadline stopped it, 130 when the signal did. */
  exitCode: number;
  /** It ended with `exit`, or by `set -e`. */
  exited: boolean;
}

export interface Shell {
  /** Runs a line. Lines run one after the other, in the order of the calls. Does not reject. */
  exec(script: string, options?: ExecOptions): Promise<ExecOutcome>;
  /** What lives on, as a copy; may be structured-cloned. */
  state(): ShellState;
  /** Did the last line leave anything that a later one could show? */
  leftAnything(): boolean;
  /** Begins anew: from the next line on nothing of the earlier ones lives on, but what is given of others. */
  reset(state?: ShellState): void;
}

/** What a command may take, once stopped, before the line is given up. Milliseconds. */
const GRACE_MS = 500;
const MiB = 1024 * 1024;

/** Makes a shell. Throws if just-bash is not the version that it was written for. */
export function createShell(options: ShellOptions): Shell {
  const limits: ShellLimits = { ...SHELL_LIMITS, ...options.limits };
  const marks = new WeakMap<readonly string[], string>();
  const scripts = { note: (_text: string): void => undefined };
  const bash = new Bash({
    fs: withExactWrites(options.fs, (text) => scripts.note(text)),
    cwd: options.cwd,
    env: { ...options.env },
    executionLimitProfile: 'hardened',
    executionLimits: limits,
    customCommands: options.commands.map((shim) => withIo(shim, marks)),
    defenseInDepth: true,
  });
  const pristine = pristineState(bash);
  const names = options.commands.map(({ name }) => name);
  const others = new Set(names.filter((name) => options.plain?.has(name) !== true));
  const hooks = new ShellHooks(options.fs, pristine, marks, others, options.background ?? null);
  hookInterpreter(bash, hooks);
  scripts.note = (text) => hooks.noteRead(text);
  const beginning = (): ShellState => {
    const state = copyState({ ...pristine, previousDir: options.cwd });
    // Nobody has changed it yet.
    state.env.delete('OLDPWD');
    return state;
  };
  let carried = options.state === undefined ? beginning() : copyState(options.state);
  let last: { before: ShellState; script: string } | null = null;
  let turn: Promise<unknown> = Promise.resolve();

  const runLine = async (written: string, given: ExecOptions): Promise<ExecOutcome> => {
    const script = prepareSource(written, carried.shoptOptions['extglob'] === true);
    const deadlineMs = given.deadlineMs ?? DEFAULT_DEADLINE_MS;
    const before = carried;
    last = { before, script };
    const clock = given.clock ?? new PausableClock();
    const line = new Line({
      clock,
      carried: before,
      options: {
        ...(given.cwd === undefined ? {} : { cwd: given.cwd }),
        ...(given.env === undefined ? {} : { env: given.env }),
      },
      stdin: given.stdin !== undefined,
      deadline: clock.now() + deadlineMs,
      onOutput: options.onOutput,
      terminal: given.terminal ?? null,
      keepsJobs: given.keepsJobs ?? false,
      maxOutput: given.maxOutput ?? limits.maxOutputSize ?? Number.POSITIVE_INFINITY,
    });
    const ended = await runGuarded(bash, hooks.link(line, script, given.job), line, script, given);
    if (line.after !== null) carried = leave(line.after, before, line.init.options);
    const outcome = outcomeOf(line, ended, deadlineMs);
    if (script.trim() !== '') {
      carried.lastExitCode = outcome.exitCode;
      carried.env.set('?', String(outcome.exitCode));
    }
    return outcome;
  };

  return {
    exec(script, given = {}) {
      const outcome = turn.then(() => runLine(script, given));
      // The next line waits for this one, whatever became of it; its caller has the error.
      turn = outcome.catch(() => undefined);
      return outcome;
    },
    state: () => structuredClone(copyState(carried)),
    leftAnything: () => last !== null && leftAnything(last.before, carried, last.script),
    reset: (state) => {
      carried = state === undefined ? beginning() : copyState(state);
    },
  };
}

/** How just-bash's part ended. */
interface Ended {
  /** Messages of its own, such as syntax errors. */
  stderr: string;
  exitCode: number;
}

/** Runs a line until it ends, or until it has been stopped and has had its grace. */
async function runGuarded(
  bash: Bash,
  key: string[],
  line: Line,
  script: string,
  given: ExecOptions,
): Promise<Ended> {
  let giveUp: NodeJS.Timeout | undefined;
  const stopped = new Promise<Ended>((resolve) => {
    line.signal.addEventListener('abort', () => {
      giveUp = setTimeout(() => resolve({ stderr: '', exitCode: 124 }), GRACE_MS);
    });
  });
  const onAbort = () => line.stop('abort');
  const { clock, deadline } = line.init;
  const stopTimer = clock.at(deadline, () => line.stop('deadline'));
  if (given.signal?.aborted === true) onAbort();
  else given.signal?.addEventListener('abort', onAbort, { once: true });
  const running = bash
    .exec(isLong(script) ? STAND_IN : script, {
      args: key,
      rawScript: true,
      signal: line.signal,
      ...(given.stdin === undefined
        ? {}
        : typeof given.stdin === 'string'
          ? { stdin: given.stdin, stdinKind: 'text' as const }
          : { stdin: Buffer.from(given.stdin).toString('latin1'), stdinKind: 'bytes' as const }),
    })
    .then(
      (result): Ended => ({ stderr: result.stdout + result.stderr, exitCode: result.exitCode }),
      (error: unknown): Ended => ({
        stderr: `bash: internal error: ${String(error)}\n`,
        exitCode: 1,
      }),
    );
  try {
    return await Promise.race([running, stopped]);
  } finally {
    stopTimer();
    clearTimeout(giveUp);
    given.signal?.removeEventListener('abort', onAbort);
  }
}

function outcomeOf(line: Line, ended: Ended, deadlineMs: number): ExecOutcome {
  const { live, stopped, init } = line;
  let { exitCode } = ended;
  if (stopped === null) {
    live.say(ended.stderr);
  } else if (stopped === 'deadline') {
    live.say(`dirigent: stopped after ${oneDecimal(deadlineMs / 1000)} s (deadline)\n`);
    exitCode = 124;
  } else if (stopped === 'output') {
    live.say(`dirigent: stopped after ${oneDecimal(init.maxOutput / MiB)} MiB of output\n`);
    exitCode = 126;
  } else {
    exitCode = 130;
  }
  const { exited } = line;
  live.close();
  return {
    get stdout() {
      return live.bytes('stdout');
    },
    get stderr() {
      return live.bytes('stderr');
    },
    exitCode,
    exited,
  };
}

function oneDecimal(value: number): string {
  return String(Math.round(value * 10) / 10);
}
