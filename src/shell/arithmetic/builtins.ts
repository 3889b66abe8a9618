/** Arithmetic that commands do: `let`, `declare -i`, assignments to integer variables, `test`. */
import type { CommandNode } from 'just-bash';
import type { CommandResult, InterpreterState } from '../interpreter-types.ts';
import { COMPARISONS, INTEGER } from './comparisons.ts';
import { NotHere } from './evaluate.ts';
import type { Arithmetics } from './outcome.ts';
import { referred, StagedVariables } from './variables.ts';

const DECLARES = new Set(['declare', 'typeset', 'local', 'readonly', 'export']);

/** Runs a builtin, its arithmetic in 64 bits. */
export async function computedBuiltin(
  name: string,
  args: string[],
  state: InterpreterState,
  arithmetics: Arithmetics,
  original: (args: string[]) => Promise<CommandResult>,
): Promise<CommandResult> {
  if (state.functions.has(name)) return original(args);
  if (name === 'let') return lets(args, state, arithmetics) ?? original(args);
  if (!DECLARES.has(name)) return original(args);
  const values = declared(args, state, arithmetics);
  if (typeof values === 'string') {
    return { stdout: '', stderr: `bash: ${name}: ${values}\n`, exitCode: 1 };
  }
  const texts = inBrackets(args, state);
  const plain = args.map((arg) => {
    const name = /^(\w+)\+?=/.exec(arg)?.[1] ?? '';
    // just-bash would evaluate it once more.
    if (values.has(name)) return `${name}=0`;
    return arg.replace(texts.pattern, '$1$2=');
  });
  const same = plain.every((arg, i) => arg === args[i]);
  const result = await original(same ? args : plain);
  if (result.exitCode !== 0) return result;
  for (const [variable, text] of texts.values) state.env.set(variable, text);
  for (const [variable, value] of values) {
    if (!state.arrays.has(variable)) state.env.set(variable, String(value));
  }
  return result;
}

/** No argument is like this. */
const NONE = /(?!)/;
const IN_BRACKETS = /^([A-Za-z_]\w*)(\+?)=(\([\s\S]*\))$/;

/** `local x="(none)"` is text in brackets: what is an array was declared elsewhere, but just-bash makes one of it. */
function inBrackets(
  args: readonly string[],
  state: InterpreterState,
): { pattern: RegExp; values: Map<string, string> } {
  const values = new Map<string, string>();
  if (args.some((arg) => /^-[a-zA-Z]*[aAn]/.test(arg))) return { pattern: NONE, values };
  for (const arg of args) {
    const [, name = '', append, text = ''] = IN_BRACKETS.exec(arg) ?? [];
    if (name === '' || state.arrays.has(name)) continue;
    values.set(name, (append === '+' ? (state.env.get(name) ?? '') : '') + text);
  }
  return { pattern: values.size === 0 ? NONE : IN_BRACKETS, values };
}

/** Each argument is an expression; null leaves all of them to just-bash. */
function lets(
  args: readonly string[],
  state: InterpreterState,
  arithmetics: Arithmetics,
): CommandResult | null {
  const variables = new StagedVariables(state);
  let last = 0n;
  for (const arg of args) {
    const outcome = arithmetics.outcome(arg, state, variables);
    if (outcome === null) return null;
    if ('failure' in outcome) {
      variables.commit();
      return { stdout: '', stderr: `bash: let: ${arg}: ${outcome.failure}\n`, exitCode: 1 };
    }
    last = outcome.value;
  }
  if (args.length === 0) return null;
  variables.commit();
  return { stdout: '', stderr: '', exitCode: last === 0n ? 1 : 0 };
}

/** The values of `declare -i x=EXPRESSION`, and of variables that are integers already; or what is wrong. */
function declared(
  args: readonly string[],
  state: InterpreterState,
  arithmetics: Arithmetics,
): Map<string, bigint> | string {
  const values = new Map<string, bigint>();
  const flags = args.filter((arg) => /^[-+][a-zA-Z]+$/.test(arg));
  if (flags.some((flag) => flag.startsWith('+') && flag.includes('i'))) return values;
  const integers = flags.some((flag) => flag.startsWith('-') && flag.includes('i'));
  for (const arg of args) {
    const [, name = '', append, text = ''] = /^([A-Za-z_]\w*)(\+?)=([\s\S]*)$/.exec(arg) ?? [];
    if (name === '' || !(integers || state.integerVars?.has(name) === true)) continue;
    const whole = append === '+' ? `(${state.env.get(name) ?? '0'}) + (${text || '0'})` : text;
    const outcome = arithmetics.outcome(whole, state);
    if (outcome === null) continue;
    if ('failure' in outcome) return outcome.failure;
    outcome.commit();
    values.set(name, outcome.value);
  }
  return values;
}

interface Integer {
  name: string;
  before: string | undefined;
  append: boolean;
}

/** Variables with the integer attribute that a command without a name assigns, in order. */
function integersOf(node: CommandNode, state: InterpreterState): Integer[] {
  if (node.type !== 'SimpleCommand' || node.name !== null || node.assignments.length === 0)
    return [];
  const { integerVars } = state;
  if (integerVars === undefined || integerVars.size === 0) return [];
  return node.assignments.flatMap(({ name: given, append, array }) => {
    const name = nameOf(state, given);
    if (name === null || array !== null || !integerVars.has(name)) return [];
    if (state.arrays.has(name) || state.readonlyVars?.has(name) === true) return [];
    return [{ name, append, before: state.env.get(name) }];
  });
}

function nameOf(state: InterpreterState, given: string): string | null {
  try {
    return /^[A-Za-z_]\w*$/.test(given) ? referred(state, given) : null;
  } catch (error) {
    if (error instanceof NotHere) return null;
    throw error;
  }
}

/**
 * Runs a command whose assignments are to integer variables: just-bash assigns the
 * text, as if they had no such attribute, and the text is worked out afterwards.
 */
export async function assigningIntegers(
  node: CommandNode,
  state: InterpreterState,
  arithmetics: Arithmetics,
  original: () => Promise<CommandResult>,
): Promise<CommandResult> {
  const integers = integersOf(node, state);
  const { integerVars } = state;
  if (integers.length === 0 || integerVars === undefined) return original();
  for (const { name, append } of integers) {
    integerVars.delete(name);
    if (append) state.env.set(name, '');
  }
  let result: CommandResult;
  try {
    result = await original();
  } finally {
    for (const { name } of integers) integerVars.add(name);
  }
  for (const { name, append, before } of integers) {
    const text = state.env.get(name) ?? '';
    // What it names in itself is its value before.
    restore(state, name, before);
    const whole = append ? `(${before || '0'}) + (${text || '0'})` : text;
    const outcome = arithmetics.outcome(whole, state);
    if (outcome !== null && 'value' in outcome) {
      outcome.commit();
      state.env.set(name, String(outcome.value));
      continue;
    }
    const problem = outcome === null ? 'syntax error in expression' : outcome.failure;
    const stderr = `${result.stderr}bash: ${text}: ${problem}\n`;
    return { ...result, stderr, exitCode: 1 };
  }
  return result;
}

function restore(state: InterpreterState, name: string, text: string | undefined): void {
  if (text === undefined) state.env.delete(name);
  else state.env.set(name, text);
}

/** An integer that a double may not hold. */
const WIDE = /^\s*[-+]?0*[1-9]\d{15,}\s*$/;

/** The arguments of `test`, comparisons of numbers beyond doubles replaced by what they come to. */
export function withWideTests(name: string, args: string[]): string[] {
  if ((name !== 'test' && name !== '[') || !args.some((arg) => WIDE.test(arg))) return args;
  const made = [...args];
  for (let at = 1; at + 1 < made.length; at++) {
    const [left = '', operator = '', right = ''] = made.slice(at - 1, at + 2);
    const holds = COMPARISONS.get(operator);
    if (holds === undefined || !INTEGER.test(left) || !INTEGER.test(right)) continue;
    const truth = holds(
      BigInt(left.trim().replace('+', '')),
      BigInt(right.trim().replace('+', '')),
    );
    made.splice(at - 1, 3, '1', '-eq', truth ? '1' : '0');
    at += 2;
  }
  return made;
}
