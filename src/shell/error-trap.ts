/** The traps on ERR, RETURN and DEBUG: run between commands, in the shell that set them. */
import { type CommandNode, parse, type ScriptNode, type StatementNode } from 'just-bash';
import type { FlowError, Run } from './frame.ts';
import type { CommandResult, InterpreterState } from './interpreter-types.ts';
import { asText, textOf } from './results.ts';
import { isFlow } from './run.ts';
import { asTyped } from './source.ts';

/** Commands whose failure is one: the others pass on that of a command inside them. */
const FAILING = new Set(['SimpleCommand', 'Subshell', 'ArithmeticCommand', 'ConditionalCommand']);

/** Before each of these the trap on DEBUG runs. */
const TRACED = new Set([
  'SimpleCommand',
  'For',
  'CStyleFor',
  'Case',
  'ArithmeticCommand',
  'ConditionalCommand',
]);

/** Runs a statement, and after its failure the trap on ERR. */
export async function withErrorTrap(
  run: Run,
  node: StatementNode,
  original: () => Promise<CommandResult>,
): Promise<CommandResult> {
  if (!run.traps.has('ERR')) return original();
  const { state } = run.ctx;
  let result: CommandResult;
  try {
    result = await original();
  } catch (error) {
    if (!isFlow(error) || error.name !== 'ErrexitError' || error.settled === true) throw error;
    // The command that failed decides, and nothing that it is in: a function ends with the script.
    error.settled = true;
    if (!fails(run, node)) throw error;
    // `set -e` ends the script, after the trap.
    standAt(state, node);
    const after = await runTrap(run, 'ERR', error.exitCode ?? 1, asTyped(node.sourceText ?? ''));
    run.traps.delete('ERR');
    throw withMore(error, after);
  }
  const asked = state.inCondition === true || state.errexitSafe === true;
  if (result.exitCode === 0 || asked || !fails(run, node)) return result;
  standAt(state, node);
  const after = await runTrap(run, 'ERR', result.exitCode, asTyped(node.sourceText ?? ''));
  return together(result, after);
}

/** What the trap on RETURN adds to the result of a function that set it, or that inherits traps. */
export async function afterFunction(run: Run, result: CommandResult): Promise<CommandResult> {
  const set = run.traps.get('RETURN');
  if (set === undefined || set.pid !== run.ctx.state.bashPid) return result;
  const depth = depthOf(run.ctx.state) + 1;
  if (set.depth !== depth && run.ctx.state.options['functrace'] !== true) return result;
  const after = await runTrap(run, 'RETURN', result.exitCode, '');
  // It stays, and no other function inherits it.
  set.depth = Number.POSITIVE_INFINITY;
  return together(result, after);
}

/** How many functions are running. */
export function depthOf(state: InterpreterState): number {
  return state.localScopes?.length ?? 0;
}

/** Runs the trap on DEBUG before a command. What it prints; null where there is none. */
export async function beforeCommand(run: Run, node: CommandNode): Promise<CommandResult | null> {
  const set = run.traps.get('DEBUG');
  const { state } = run.ctx;
  if (set === undefined || set.command === '' || !TRACED.has(node.type)) return null;
  const own = set.depth >= depthOf(state) || state.options['functrace'] === true;
  if (set.running || set.pid !== state.bashPid || !own) return null;
  if ('line' in node && node.line !== undefined) state.currentLine = node.line;
  return runTrap(run, 'DEBUG', state.lastExitCode, '');
}

/** What has failed is the statement, not the last command of a function that it called. */
function standAt(state: InterpreterState, { pipelines }: StatementNode): void {
  const command = pipelines.at(-1)?.commands.at(-1);
  if (command !== undefined && 'line' in command && command.line !== undefined)
    state.currentLine = command.line;
}

/** Does its failure count, here? Neither subshells nor functions inherit the trap. */
function fails(run: Run, node: StatementNode): boolean {
  const set = run.traps.get('ERR');
  const { state } = run.ctx;
  if (set === undefined || set.command === '' || set.running) return false;
  const own = set.pid === state.bashPid && !run.frame.stage && set.depth >= depthOf(state);
  if (!own && state.options['errtrace'] !== true) return false;
  const { commands } = node.pipelines.at(-1) ?? { commands: [] };
  return commands.length > 1 || FAILING.has(commands[0]?.type ?? '');
}

/** Runs the commands of a trap; `$?` is what it was before and after. */
export async function runTrap(
  run: Run,
  name: string,
  status: number,
  failed: string,
): Promise<CommandResult> {
  const set = run.traps.get(name);
  if (set === undefined) return { stdout: '', stderr: '', exitCode: 0 };
  const { state } = run.ctx;
  const setStatus = (): void => {
    state.lastExitCode = status;
    state.env.set('?', String(status));
  };
  setStatus();
  if (failed !== '') state.env.set('BASH_COMMAND', failed);
  set.running = true;
  try {
    return await run.ctx.executeScript(onLine(parse(set.command), state.currentLine ?? 1));
  } finally {
    set.running = false;
    setStatus();
  }
}

/** In a trap, `$LINENO` is that of the command before it. */
function onLine(script: ScriptNode, line: number): ScriptNode {
  const visit = (node: unknown): void => {
    if (typeof node !== 'object' || node === null) return;
    const known = node as { line?: unknown };
    if (typeof known.line === 'number') known.line = line;
    for (const inner of Object.values(node)) visit(inner);
  };
  visit(script);
  return script;
}

/** A result with the output of what ran after it. */
export function together(result: CommandResult, after: CommandResult): CommandResult {
  const before = asText(result, false);
  const { internalOutputAccounting: _counted, ...rest } = before;
  return {
    ...rest,
    stdout: before.stdout + textOf(after),
    stderr: before.stderr + after.stderr,
  };
}

function withMore(error: FlowError, after: CommandResult): FlowError {
  error.stdout = (error.stdout ?? '') + textOf(after);
  error.stderr = (error.stderr ?? '') + after.stderr;
  return error;
}
