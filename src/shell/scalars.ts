/**
 * A text that is given to a name which has an array: to bash it is the array's element 0, or a variable
 * of its own that hides the array. just-bash keeps texts and arrays apart, and reads the array.
 */
import type { CommandNode } from 'just-bash';
import { DECLARES } from './array-literals.ts';
import type { CommandResult, InterpreterState, ShellArray } from './interpreter-types.ts';

type Call = (name: string, args: string[]) => Promise<CommandResult>;
/** What is left to do once a builtin has run. */
type After = (call: Call) => Promise<void>;

const NAME = /^[A-Za-z_]\w*$/;
const ELEMENT = /^[A-Za-z_]\w*\[.+\]$/s;
/** `name`, `name=text` or `name+=text`, but no list of elements. */
const DECLARED = /^([A-Za-z_]\w*)(?:(\+?)=((?!\()[\s\S]*))?$/;
/** Options of `read` that are followed by a value. */
const VALUED = /^-[ers]*([adinNptu])(.*)$/s;
/** For `read a[1]`. The script cannot see it. */
const SCRATCH = '__dirigent_read_';

const nothing: After = async () => undefined;

/** Prepares the arguments of a builtin that sets variables; what it returns is to be called after it. */
export function settingVariables(name: string, args: string[], state: InterpreterState): After {
  if (DECLARES.has(name)) return declaring(name, args, state);
  switch (name) {
    case 'read':
      return reading(args, state);
    case 'printf':
      return args[0] === '-v' ? async () => settle(args[1] ?? '', state) : nothing;
    case 'unset':
      return unsetting(args, state);
    case 'getopts':
      return async () => settle(args[1] ?? '', state);
    default:
      return nothing;
  }
}

/** A function's own variable that is unset has no value, also where the function was given one for the call. */
function unsetting(args: readonly string[], state: InterpreterState): After {
  const scope = state.localScopes?.at(-1);
  // just-bash remembers a local that was unset beyond the end of its function.
  for (const name of args) {
    if (state.localScopes?.some((one) => one.has(name)) !== true) state.localVarDepth?.delete(name);
  }
  const own = args.filter((name) => scope?.has(name) === true && !state.namerefs?.has(name));
  return args.includes('-f') || own.length === 0
    ? nothing
    : async () => {
        for (const name of own) if (!state.readonlyVars?.has(name)) state.env.delete(name);
      };
}

/** Drops what just-bash noted of variables that a command alone was given; it would take the next for them. */
export function forgetGiven(node: CommandNode, state: InterpreterState): void {
  if (node.type !== 'SimpleCommand' || node.name === null) return;
  for (const { name } of node.assignments) {
    state.accessedTempEnvVars?.delete(name);
    state.mutatedTempEnvVars?.delete(name);
  }
}

/** Runs a command without the arrays that its loop variable, or an assignment before it, hides. */
export async function withHiddenArrays(
  node: CommandNode,
  state: InterpreterState,
  run: () => Promise<CommandResult>,
): Promise<CommandResult> {
  const names = hiding(node).filter((name) => state.arrays.has(name));
  if (names.length === 0) return run();
  const hidden = names.map((name) => [name, hide(name, state)] as const);
  try {
    return await run();
  } finally {
    for (const [name, array] of hidden) {
      // The commands of a loop may have made another one.
      if (array === undefined || state.arrays.has(name)) continue;
      show(name, array, state);
      if (node.type === 'For') settle(name, state);
    }
  }
}

function hiding(node: CommandNode): string[] {
  if (node.type === 'For') return [node.variable];
  if (node.type !== 'SimpleCommand' || node.name === null) return [];
  return node.assignments.filter(({ array }) => array == null).map(({ name }) => name);
}

function hide(name: string, state: InterpreterState): ShellArray | undefined {
  const array = state.arrays.get(name);
  state.arrays.delete(name);
  state.associativeArrays?.delete(name);
  return array;
}

function show(name: string, array: ShellArray, state: InterpreterState): void {
  state.arrays.set(name, array);
  if (array.kind !== 'associative') return;
  state.associativeArrays ??= new Set();
  state.associativeArrays.add(name);
}

/** What just-bash has put beside an array becomes its element. */
function settle(name: string, { arrays, env }: InterpreterState): void {
  const value = env.get(name);
  const array = arrays.get(name);
  if (array === undefined || value === undefined) return;
  array.elements.set('0', value);
  env.delete(name);
}

function reading(args: string[], state: InterpreterState): After {
  const from = operandsOf(args);
  const elements = new Map<string, string>();
  for (const [at, word] of args.entries()) {
    if (at < from || !ELEMENT.test(word)) continue;
    const name = `${SCRATCH}${at}`;
    elements.set(name, word);
    args[at] = name;
  }
  return async (call) => {
    for (const name of [...args.slice(from), 'REPLY']) {
      const value = state.env.get(name);
      // A variable holds no NUL.
      if (value?.includes('\0') === true) state.env.set(name, value.replaceAll('\0', ''));
      settle(name, state);
    }
    for (const [name, element] of elements) {
      await call('printf', ['-v', element, '%s', state.env.get(name) ?? '']);
      state.env.delete(name);
    }
  };
}

/** Where the names that `read` sets begin. */
function operandsOf(args: readonly string[]): number {
  let at = 0;
  for (; /^-./.test(args[at] ?? ''); at++) {
    if (args[at] === '--') return at + 1;
    const [, letter, attached] = VALUED.exec(args[at] ?? '') ?? [];
    if (letter !== undefined && attached === '') at++;
  }
  return at;
}

function declaring(command: string, args: string[], state: InterpreterState): After {
  const flags = args.filter((arg) => /^-[a-zA-Z]+$/.test(arg)).join('');
  const scope = state.localScopes?.at(-1);
  const own = command === 'readonly' || command === 'export' || flags.includes('g');
  const local = own ? undefined : scope;
  const isArray = /[aA]/.test(flags) && !/[pfFn]/.test(flags);
  const values = new Map<string, string>();
  for (const [at, arg] of args.entries()) {
    const [, name = '', append = '', text] = DECLARED.exec(arg) ?? [];
    if (!NAME.test(name)) continue;
    const isNew = local !== undefined && !local.has(name);
    if (isNew) hideGlobal(name, state);
    if (!isArray || state.arrays.has(name) || state.readonlyVars?.has(name) === true) continue;
    const before = isNew ? undefined : state.env.get(name);
    if (text === undefined && before === undefined) continue;
    if (!isNew) state.env.delete(name);
    values.set(name, append === '' ? (text ?? before ?? '') : (before ?? '') + (text ?? ''));
    args[at] = name;
  }
  return values.size === 0
    ? nothing
    : async () => {
        for (const [name, value] of values) state.arrays.get(name)?.elements.set('0', value);
      };
}

/** A local variable hides the array of its caller until the function ends. */
function hideGlobal(name: string, state: InterpreterState): void {
  if (!state.arrays.has(name) || state.readonlyVars?.has(name) === true) return;
  state.localScopes?.at(-1)?.set(name, state.env.get(name));
  state.localArrayScopes?.at(-1)?.set(name, hide(name, state));
}
