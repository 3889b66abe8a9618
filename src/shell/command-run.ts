/** A command of a script, from its words to what it printed: its frame, its redirections, its end. */
import type { CommandNode } from 'just-bash';
import type { NamespaceFs } from '../namespace/types.ts';
import { withAliases } from './aliases.ts';
import { assigningIntegers } from './arithmetic/builtins.ts';
import type { Arithmetics } from './arithmetic/outcome.ts';
import { withCheckedMessages } from './checked-messages.ts';
import { settleCommand } from './command-errors.ts';
import { asReadonly, discarded, endsStage, goesFurther } from './discard.ts';
import { beforeCommand, together } from './error-trap.ts';
import { endingWith } from './exec.ts';
import { runExpanded } from './expanded.ts';
import type { Frame, Place, Run } from './frame.ts';
import { forgetLists } from './hash-order.ts';
import type { CommandResult, InterpreterState } from './interpreter-types.ts';
import { forgetValues } from './parameters.ts';
import { withPipe } from './pipe-input.ts';
import { failedRedirect, forgetAssignments, rememberAssignments } from './redirect-guard.ts';
import { keepsOpen, redirected, redirectionsOf, sameTarget } from './redirects.ts';
import { asText, intoPipe, recounted, withOwnStatus } from './results.ts';
import { isAbort, isFlow, takeFrom } from './run.ts';
import { forgetGiven, withHiddenArrays } from './scalars.ts';
import { hasOwnSeconds, settleSeconds } from './seconds.ts';
import { isSeekable } from './shared-input.ts';

/** just-bash's own way to execute a command. */
export type ExecuteCommand = (
  node: CommandNode,
  stdin: string,
  stdinOwned?: boolean,
) => Promise<CommandResult>;

/** What the commands of a shell have in common. */
export interface CommandHost {
  fs: NamespaceFs;
  arithmetics: Arithmetics;
}

/** What a command reads. */
export interface CommandInput {
  /** As bytes. */
  stdin: string;
  owned: boolean | undefined;
}

/** A command that has begun. */
interface Begun {
  run: Run;
  /** As it is rewritten for what the variables hold. */
  node: CommandNode;
  place: Place | undefined;
  outer: Frame;
  frame: Frame;
  /** Does its output reach the script's own, once its redirections are over? */
  stdout: boolean;
  stderr: boolean;
  /** What its assignments change, as it was. */
  before: ReturnType<typeof rememberAssignments>;
}

/** Runs a command of a script with its redirections. Rejects with what steers the script. */
export async function runCommandNode(
  host: CommandHost,
  run: Run,
  given: CommandNode,
  input: CommandInput,
  original: ExecuteCommand,
): Promise<CommandResult> {
  const outerState = run.rewrites.state;
  const { state } = run.ctx;
  // Before the first look at the node: parts of it are what the variables say now.
  run.rewrites.state = state;
  settleSeconds(state);
  const { startTime } = state;
  const node = run.rewrites.of(withAliases(given, run));
  const traced = run.traps.has('DEBUG') ? await beforeCommand(run, given) : null;
  const begun = begin(host.fs, run, node, run.places.get(given), input.owned === true);
  let result: CommandResult;
  try {
    result = await carryOut(host, begun, input, original);
  } catch (error) {
    result = resultOf(error, begun, host.fs);
  } finally {
    run.frame = begun.outer;
    run.rewrites.state = outerState;
    forgetLists(state);
    forgetValues(state);
    forgetGiven(node, state);
    if (begun.place !== undefined || hasOwnSeconds(node)) {
      state.env.delete('SECONDS');
      state.startTime = startTime;
    }
  }
  if (node.type === 'FunctionDef') noteFunction(run, node.name);
  const flow = begun.frame.flow;
  if (flow !== null && isAbort(flow)) throw flow;
  return settle(await withItsMessages(result, traced, begun, host.fs), begun, host.fs);
}

function noteFunction({ aliasing, ctx }: Run, name: string): void {
  const known = ctx.state.functions.get(name);
  if (known !== undefined) aliasing.defined.set(known, aliasing.reading.at);
}

function begin(
  fs: NamespaceFs,
  run: Run,
  node: CommandNode,
  place: Place | undefined,
  stdinOwned: boolean,
): Begun {
  const outer = run.frame;
  const stdout = outer.stdout && place?.pipes !== true;
  const stderr = outer.stderr && place?.pipesStderr !== true;
  const list = redirectionsOf(node);
  const away = redirected(list);
  const frame: Frame = {
    node,
    stdout: stdout && !away.stdout,
    // A trace precedes what the command prints, but is known only after it.
    stderr: stderr && !away.stderr && run.ctx.state.options['xtrace'] !== true,
    joined: sameTarget(list, outer.joined && place?.pipes !== true) || place?.pipesStderr === true,
    stdin: outer.stdin || away.stdin || place?.piped === true || stdinOwned,
    fed: outer.fed || away.stdin || place?.piped === true,
    expanding: true,
    raw: place?.pipes === true && node.type === 'SimpleCommand' && list.length === 0,
    mark: fs.errorMark(),
    held: fs.heldMark(),
    name: 'bash',
    kept: list.length > 0 || node.type === 'SimpleCommand' ? { stdout: '', stderr: '' } : null,
    flow: null,
    substituted: false,
    script: null,
    stage: outer.stage || place !== undefined,
    seekable: isSeekable(node, place?.piped === true, outer.seekable),
    replaced: null,
  };
  const before = rememberAssignments(node, run.ctx.state);
  run.frame = frame;
  return { run, node, place, outer, frame, stdout, stderr, before };
}

/** The constant to which a `for` would assign its values; null for all other commands. */
function constantOfLoop(node: CommandNode, { readonlyVars }: InterpreterState): string | null {
  if (node.type !== 'For' || readonlyVars?.has(node.variable) !== true) return null;
  return node.words?.length === 0 ? null : node.variable;
}

async function carryOut(
  { fs, arithmetics }: CommandHost,
  { run, node, place, frame }: Begun,
  { stdin, owned }: CommandInput,
  original: ExecuteCommand,
): Promise<CommandResult> {
  const constant = constantOfLoop(node, run.ctx.state);
  if (constant !== null) {
    return { stdout: '', stderr: `bash: ${constant}: readonly variable\n`, exitCode: 1 };
  }
  const piped = place?.piped === true ? stdin : null;
  const result = await withPipe(run.ctx, node, piped, () =>
    assigningIntegers(node, run.ctx.state, arithmetics, () =>
      runExpanded(run, node, run.rewrites, fs, (one) =>
        withHiddenArrays(one, run.ctx.state, () => original(one, stdin, owned)),
      ),
    ),
  );
  if (fs.heldMark() !== frame.held && !keepsOpen(node)) await fs.flush(frame.held);
  return result;
}

/** What an error makes of its command; thrown again where it steers more than that. */
function resultOf(
  error: unknown,
  { run, node, place, outer, frame, stdout, stderr, before }: Begun,
  fs: NamespaceFs,
): CommandResult {
  const { state } = run.ctx;
  if (place !== undefined && isFlow(error) && endsStage(error)) return discarded(error);
  if (!isFlow(error)) {
    forgetAssignments(before, state);
    return failedRedirect(error, node, run, frame, fs);
  }
  // What a stage of a pipeline or a subshell throws ends that alone.
  if (node.type === 'SimpleCommand' && node.name === null) asReadonly(error, state);
  if (isAbort(error) || place === undefined) outer.flow = error;
  takeFrom(error, run, stdout, stderr);
  throw error;
}

async function withItsMessages(
  given: CommandResult,
  traced: CommandResult | null,
  { run, node, place, frame }: Begun,
  fs: NamespaceFs,
): Promise<CommandResult> {
  if (place !== undefined || node.type === 'Subshell') run.unbound = null;
  let result = withOwnStatus(asText(given, frame.raw), node, frame);
  if (traced !== null) result = { ...together(traced, result), exitCode: result.exitCode };
  // `< loop` is told by just-bash itself.
  return redirectionsOf(node).length > 0 ? withCheckedMessages(result, 'bash', run, fs) : result;
}

/** Hands on what it printed. Throws what ends more than the command. */
function settle(given: CommandResult, begun: Begun, fs: NamespaceFs): CommandResult {
  const { run, node, place, outer, frame, stdout, stderr } = begun;
  const settled = settleCommand(given, node, run, frame, fs);
  const result = run.line.live.take(settled, stdout, stderr);
  const { flow, replaced } = frame;
  if (flow !== null && goesFurther(flow) && node.type !== 'Subshell' && place === undefined) {
    outer.flow = flow;
    throw endingWith(flow, result);
  }
  if (replaced !== null) {
    if (place === undefined) outer.flow = replaced;
    throw endingWith(replaced, result);
  }
  if (outer.kept !== null && place?.pipes !== true) outer.kept.stdout += result.stdout;
  if (outer.kept !== null && place?.pipesStderr !== true) outer.kept.stderr += result.stderr;
  return recounted(place?.pipes === true ? intoPipe(result, place.pipesStderr) : result);
}
