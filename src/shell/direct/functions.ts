/** What a call of a function changes in the shell, and puts back: as the interpreter does it. */
import { isBelowMain } from '../call-stack.ts';
import type { FunctionNode, InterpreterState } from '../interpreter-types.ts';

/** Enters a call. What it returns ends it. */
export function enterCall(
  state: InterpreterState,
  { name, sourceFile }: FunctionNode,
  args: readonly string[],
): () => void {
  state.callDepth = (state.callDepth ?? 0) + 1;
  state.funcNameStack ??= [];
  state.callLineStack ??= [];
  state.sourceStack ??= [];
  state.localScopes ??= [];
  state.localArrayScopes ??= [];
  state.localExportedVars ??= [];
  const main = isBelowMain(state);
  if (main) state.funcNameStack.push('main');
  state.funcNameStack.unshift(name);
  state.callLineStack.unshift(state.currentLine ?? 0);
  state.sourceStack.unshift(sourceFile ?? 'main');
  state.localScopes.push(new Map());
  state.localArrayScopes.push(new Map());
  state.localExportedVars.push(new Set());
  const positional = enterArguments(state, args);
  return () => {
    leaveScopes(state);
    restore(state.env, positional);
    state.funcNameStack?.shift();
    if (main) state.funcNameStack?.pop();
    state.callLineStack?.shift();
    state.sourceStack?.shift();
    state.callDepth = (state.callDepth ?? 1) - 1;
  };
}

/** Sets the positional parameters. What they were before. */
function enterArguments(
  { env }: InterpreterState,
  args: readonly string[],
): Map<string, string | undefined> {
  const before = new Map<string, string | undefined>();
  const count = Math.max(args.length, Number(env.get('#') ?? '0'));
  for (let at = 0; at < count; at++) {
    const key = String(at + 1);
    const value = args[at];
    before.set(key, env.get(key));
    if (value === undefined) env.delete(key);
    else env.set(key, value);
  }
  before.set('@', env.get('@'));
  before.set('#', env.get('#'));
  env.set('@', args.join(' '));
  env.set('#', String(args.length));
  return before;
}

function leaveScopes(state: InterpreterState): void {
  const { localScopes = [], localVarStack, fullyUnsetLocals, exportedVars } = state;
  const index = localScopes.length - 1;
  const scope = localScopes.pop();
  const arrays = state.localArrayScopes?.pop();
  if (scope !== undefined) restore(state.env, scope);
  for (const [name, array] of arrays ?? []) {
    if (array === undefined) {
      state.arrays.delete(name);
      state.associativeArrays?.delete(name);
      continue;
    }
    state.arrays.set(name, { kind: array.kind, elements: new Map(array.elements) });
    state.associativeArrays ??= new Set();
    if (array.kind === 'associative') state.associativeArrays.add(name);
    else state.associativeArrays.delete(name);
  }
  for (const [name, stack] of localVarStack ?? []) {
    while (stack.at(-1)?.scopeIndex === index) stack.pop();
    if (stack.length === 0) localVarStack?.delete(name);
  }
  for (const [name, depth] of fullyUnsetLocals ?? []) {
    if (depth === index) fullyUnsetLocals?.delete(name);
  }
  for (const name of state.localExportedVars?.pop() ?? []) exportedVars?.delete(name);
}

function restore(env: Map<string, string>, before: Map<string, string | undefined>): void {
  for (const [name, value] of before) {
    if (value === undefined) env.delete(name);
    else env.set(name, value);
  }
}
