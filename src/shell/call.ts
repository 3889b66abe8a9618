/** A call: a builtin, a function, a shell or a command by its name, after the expansion of its words. */
import { isDeepStrictEqual } from 'node:util';
import type { NamespaceFs } from '../namespace/types.ts';
import { adviceForAbsent } from './absent-commands.ts';
import { computedBuiltin, withWideTests } from './arithmetic/builtins.ts';
import type { Arithmetics } from './arithmetic/outcome.ts';
import { normalise } from './builtin-arguments.ts';
import { history, mendBuiltin, runBuiltin } from './builtins.ts';
import { keepEscapedBytes } from './byte-escapes.ts';
import { textFromBytes } from './bytes.ts';
import { onStacks, sourcedFile } from './call-stack.ts';
import { withCheckedMessages } from './checked-messages.ts';
import { type ShellHost, STDIN, shellName, startShell } from './child-shells.ts';
import { settleRun } from './command-errors.ts';
import { withListings } from './declared.ts';
import { discarded, isReadonly } from './discard.ts';
import { endlessInput, heedEndless } from './endless.ts';
import { afterFunction } from './error-trap.ts';
import { replacedShell } from './exec.ts';
import { globHost } from './expanded.ts';
import type { Frame, Run } from './frame.ts';
import { withFunctionTexts } from './function-text.ts';
import { expandMarks, NoMatch } from './glob/expand.ts';
import { noMatch } from './glob/words.ts';
import type { RunCommand } from './interpreter-class.ts';
import type {
  CommandResult,
  FunctionNode,
  InterpreterState,
  RedirectionNode,
} from './interpreter-types.ts';
import { fromKeyboard } from './keyboard.ts';
import { evaluateLong } from './long-scripts.ts';
import { steer } from './loops.ts';
import { positional, setPositional } from './positional.ts';
import { asRead } from './reading.ts';
import { redirected, sameTarget } from './redirects.ts';
import { asText, textOf } from './results.ts';
import { isFlow } from './run.ts';
import { settingVariables } from './scalars.ts';
import { sharedInput, takeInput } from './shared-input.ts';
import { marksOf } from './shim-io.ts';
import { signalSelf } from './signals.ts';
import { prepareEval } from './source.ts';

/** What the calls of a shell have in common. */
export interface CallHost {
  fs: NamespaceFs;
  arithmetics: Arithmetics;
  /** The letters for shims, by a call's argument array. */
  marks: WeakMap<readonly string[], string>;
}

/** A call as just-bash makes it. */
export interface Call {
  name: string;
  /** The very array, of which just-bash also takes `$_`. */
  args: string[];
  quoted: boolean[];
  /** As bytes. */
  stdin: string;
  rest: unknown[];
  original: RunCommand;
}

/** Runs a call, and tells what it met in messages that are true. */
export async function runCall(
  host: CallHost,
  shells: ShellHost,
  call: Call,
): Promise<CommandResult> {
  const { fs } = host;
  const { run } = shells;
  const { name, args } = call;
  forgetPlaces(run.ctx.state);
  const outer = run.frame;
  const frame = begin(run, call);
  let entry = fs.errorMark();
  const endless = endlessInput(frame, run, fs);
  run.frame = frame;
  let result: CommandResult;
  try {
    args.splice(0, args.length, ...(await expandMarks(args, globHost(run, fs))));
    entry = fs.errorMark();
    result = await carryOut(host, shells, frame, call);
  } catch (error) {
    if (isFlow(error) && isReadonly(error)) result = discarded(error);
    else if (error instanceof NoMatch) result = noMatch(error.message);
    else throw error;
  } finally {
    run.frame = outer;
    outer.flow ??= frame.flow;
    outer.replaced ??= frame.replaced;
  }
  result = await withCheckedMessages(withAdvice(result, name, run), name, run, fs);
  result = heedEndless(asText(result, frame.raw), call, run, frame, fs, endless);
  result = settleRun(result, args, run, frame, entry, fs);
  // A function or `eval` has added what it ran already, command by command.
  if (outer.kept !== null) outer.kept = { stdout: textOf(result), stderr: result.stderr };
  return result;
}

/** Where commands were found holds as long as PATH is what it was. */
function forgetPlaces(state: InterpreterState): void {
  const path = state.env.get('PATH') ?? '';
  if (state.hashTable !== undefined && state.hashedPath !== path) state.hashTable.clear();
  state.hashedPath = path;
}

function begin(run: Run, { name, stdin, rest }: Call): Frame {
  const { groupStdin } = run.ctx.state;
  const hasStdin = stdin !== '' || ownsStdin(rest) || groupStdin !== undefined;
  return {
    ...run.frame,
    expanding: false,
    stdin: run.frame.stdin || hasStdin,
    name,
    flow: null,
    script: null,
    replaced: null,
  };
}

/** Was the command given a stdin of its own, if an empty one? */
const ownsStdin = (rest: readonly unknown[]): boolean => rest[3] === true;

async function carryOut(
  host: CallHost,
  shells: ShellHost,
  frame: Frame,
  call: Call,
): Promise<CommandResult> {
  const { run } = shells;
  const { state } = run.ctx;
  const { name, args, stdin, rest } = call;
  if (name === 'exit' && args.length === 0 && run.exiting !== null) args.push(String(run.exiting));
  if (name === 'eval') frame.script = prepareEval(args, state.shoptOptions['extglob'] === true);
  normalise(name, args);
  const given = withWideTests(name, keepEscapedBytes(name, args));
  host.marks.set(given, marksOf(frame, run.line));
  const called = state.functions.get(name);
  if (called !== undefined) enterFunction(frame, called.redirections);
  const builtin = called === undefined ? await ownBuiltin(host.fs, run, call) : null;
  const asked = called === undefined && builtin === null && !frame.stdin;
  const typed = asked ? await fromKeyboard(run.line.init.terminal, name, args) : '';
  const shared = sharedInput(name, stdin, ownsStdin(rest), state);
  const input = typed === '' ? (shared ?? stdin) : typed;
  // `continue` succeeds, and tells so when the loop goes on.
  if (called === undefined && (name === 'continue' || name === 'break')) {
    setStatus(state, 0);
    steer(run, args[0]);
  }
  const start = (words: string[]) => startCall(shells, called, call, words, input);
  const after = called === undefined ? settingVariables(name, given, state) : null;
  let result =
    builtin ??
    (await computedBuiltin(name, given, state, host.arithmetics, async (words) =>
      mendBuiltin(name, args, await start(words), state),
    ));
  await after?.((command, words) =>
    call.original(
      command,
      words,
      words.map(() => true),
      '',
    ),
  );
  if (shared !== null) takeInput(shared, name, args, result, state, frame.seekable);
  result = withFunctionTexts(name, withListings(name, result, state), state);
  if (called !== undefined) result = await afterFunction(run, result);
  if (name === 'exec' && args.length > 0) {
    frame.replaced = await replacedShell(run, result, call.original);
  }
  return result;
}

/** What the shell answers itself, in just-bash's place; null where it does not. */
async function ownBuiltin(
  fs: NamespaceFs,
  run: Run,
  { name, args, original }: Call,
): Promise<CommandResult | null> {
  return (
    (name === 'kill' ? await signalSelf(run, args, original) : null) ??
    (await runBuiltin(name, args, run)) ??
    (await evaluateLong(name, args, run, fs)) ??
    (await history(name, args, run))
  );
}

/** Starts what the name stands for: a shell, a function, or what just-bash has. */
async function startCall(
  shells: ShellHost,
  called: FunctionNode | undefined,
  { name, args, quoted, rest, original }: Call,
  words: string[],
  input: string,
): Promise<CommandResult> {
  const { state } = shells.run.ctx;
  const shell = called === undefined ? shellName(name) : null;
  if (shell !== null) return startShell(shells, shell, name, words, input);
  const sourced = called === undefined ? sourcedFile(name, args) : null;
  const { frame } = shells.run;
  const direct = () =>
    sourced !== null && STDIN.has(sourced)
      ? sourceInput(frame, state, words, input, original)
      : original(name, words, quoted, input, ...rest);
  if (called === undefined && sourced === null) return direct();
  const read = () =>
    called === undefined ? direct() : asRead(shells.run.aliasing, called, direct);
  return outsideLoops(state, called !== undefined, () => onStacks(state, sourced, read));
}

/** `source /dev/stdin`: to just-bash that is an empty file. */
async function sourceInput(
  frame: Frame,
  state: InterpreterState,
  words: readonly string[],
  input: string,
  original: RunCommand,
): Promise<CommandResult> {
  const script = [textFromBytes(input === '' ? (state.groupStdin ?? '') : input)];
  if (state.groupStdin !== undefined) state.groupStdin = '';
  frame.script = prepareEval(script, state.shoptOptions['extglob'] === true);
  const args = words.slice(words[0] === '--' ? 2 : 1);
  const before = args.length === 0 ? null : positional(state);
  if (before !== null) setPositional(state, args);
  state.sourceDepth = (state.sourceDepth ?? 0) + 1;
  try {
    return await original('eval', script, [true], '');
  } catch (error) {
    if (!isFlow(error) || error.name !== 'ReturnError') throw error;
    return discarded(error);
  } finally {
    state.sourceDepth--;
    // Those that the file has set itself stay.
    if (before !== null && isDeepStrictEqual(positional(state), args)) setPositional(state, before);
  }
}

/** What a function's own redirections do to the streams of a call. */
function enterFunction(frame: Frame, list: readonly RedirectionNode[]): void {
  const away = redirected(list);
  frame.joined = sameTarget(list, frame.joined);
  frame.stdout &&= !away.stdout;
  frame.stderr &&= !away.stderr;
  frame.stdin ||= away.stdin;
  frame.fed ||= away.stdin;
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

function withAdvice(result: CommandResult, name: string, run: Run): CommandResult {
  const absent = result.exitCode === 127 && result.stderr === `bash: ${name}: command not found\n`;
  if (!absent) return result;
  // At a terminal the prompt tells what a mistyped name may have meant.
  const names = run.line.init.terminal === null ? run.ctx.commands.keys() : null;
  return { ...result, stderr: result.stderr + adviceForAbsent(name, names) };
}
