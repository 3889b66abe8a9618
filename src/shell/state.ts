/** What lives from one line to the next: taken from the interpreter after a line, given to it before the next. */
import { isDeepStrictEqual } from 'node:util';
import type {
  InterpreterState,
  NestedExecOptions,
  ShellArray,
  ShellState,
} from './interpreter-types.ts';
import type { TerminalLooks } from './terminal.ts';

export type { ShellState } from './interpreter-types.ts';

const CARRIED = [
  'env',
  'arrays',
  'functions',
  'cwd',
  'previousDir',
  'lastExitCode',
  'lastArg',
  'options',
  'shoptOptions',
  'readonlyVars',
  'associativeArrays',
  'namerefs',
  'boundNamerefs',
  'invalidNamerefs',
  'integerVars',
  'lowercaseVars',
  'uppercaseVars',
  'exportedVars',
  'declaredVars',
  'directoryStack',
  'completionSpecs',
  'fileDescriptors',
  'inputFds',
  'fdAliases',
  'closedStandardFds',
  'nextFd',
  'startTime',
  'lastBackgroundPid',
  'nextVirtualPid',
] as const satisfies readonly (keyof ShellState)[];

/** Attributes that just-bash shares, by reference, between a script and those it starts. */
const ATTRIBUTES = [
  'readonlyVars',
  'associativeArrays',
  'namerefs',
  'boundNamerefs',
  'invalidNamerefs',
  'integerVars',
  'lowercaseVars',
  'uppercaseVars',
  'exportedVars',
  'declaredVars',
] as const satisfies readonly (keyof ShellState)[];

/** Variables that a new shell sets itself; they are not taken from its parent. */
const OWN_VARIABLES = [
  'IFS',
  'OSTYPE',
  'MACHTYPE',
  'HOSTTYPE',
  'HOSTNAME',
  'OPTIND',
  'SHELLOPTS',
  'BASHOPTS',
];
/** Of these, what no environment can set. */
const NEVER_GIVEN = new Set(['IFS', 'OPTIND']);
const NAME = /^[A-Za-z_][A-Za-z0-9_]*$/;

/** What holds for one line alone, see {@link enter}. */
export interface LineOptions {
  cwd?: string;
  env?: Record<string, string>;
}

/** A copy that shares nothing mutable with its source. Parsed functions are never changed and are shared. */
export function copyState(source: ShellState): ShellState {
  const copy = Object.fromEntries(
    CARRIED.map((key) => [key, copyValue(source[key])]),
  ) as unknown as ShellState;
  copy.arrays = new Map(Array.from(source.arrays, ([name, array]) => [name, copyArray(array)]));
  // Descriptors that are aliases share one Set: only a structured clone keeps that.
  if (source.fdAliases !== undefined) copy.fdAliases = structuredClone(source.fdAliases);
  return copy;
}

/** Puts the state that lives on into an interpreter that is about to run a line. */
export function enter(state: InterpreterState, carried: ShellState, line: LineOptions): void {
  Object.assign(state, copyState(carried));
  // Printed by `$!`, which is empty before any job.
  if (state.lastBackgroundPid === 0) state.lastBackgroundPid = '';
  if (line.cwd !== undefined) {
    state.cwd = line.cwd;
    state.env.set('PWD', line.cwd);
  }
  for (const [name, value] of Object.entries(line.env ?? {})) {
    state.env.set(name, value);
    state.exportedVars?.add(name);
  }
}

/** What bash does at a terminal and not in a script. */
export function enterTerminal(state: InterpreterState, terminal: TerminalLooks): void {
  state.shoptOptions['expand_aliases'] = true;
  state.env.set('COLUMNS', String(terminal.columns));
  state.env.set('LINES', String(terminal.rows));
}

/**
 * What lives on after a line: its state, but for what was given for this line
 * alone, which is as it was before.
 */
export function leave(state: ShellState, before: ShellState, line: LineOptions): ShellState {
  const after = copyState(state);
  if (line.cwd !== undefined) {
    after.cwd = before.cwd;
    after.previousDir = before.previousDir;
    restoreVariable(after, before, 'PWD');
    restoreVariable(after, before, 'OLDPWD');
  }
  for (const name of Object.keys(line.env ?? {})) restoreVariable(after, before, name);
  return after;
}

/**
 * Options for a script started by a command (`bash -c`, `xargs`, `find -exec`):
 * it sees the exported variables of its parent as they are now. just-bash
 * would show it those of the shell's beginning.
 */
export function childOptions(
  parent: InterpreterState,
  pristine: ShellState,
  options: NestedExecOptions,
): NestedExecOptions {
  if (options.replaceEnv === true) return options;
  const env: Record<string, string> = {};
  for (const name of OWN_VARIABLES) {
    const value = pristine.env.get(name);
    if (value !== undefined) env[name] = value;
  }
  for (const names of [parent.exportedVars, parent.tempExportedVars]) {
    for (const name of names ?? []) {
      const value = parent.env.get(name);
      if (value !== undefined && !NEVER_GIVEN.has(name)) env[name] = value;
    }
  }
  return { ...options, replaceEnv: true, env: { ...env, ...options.env } };
}

/** Makes the state of a started script its own: nothing it declares reaches its parent. */
export function isolateChild(
  state: InterpreterState,
  pristine: ShellState,
  given: Iterable<string>,
): void {
  for (const key of ATTRIBUTES) state[key] = new Set(pristine[key]);
  const own = new Set(OWN_VARIABLES);
  state.exportedVars = new Set([...given].filter((name) => NAME.test(name) && !own.has(name)));
  state.shoptOptions = { ...pristine.shoptOptions };
  state.directoryStack = [];
  state.lastBackgroundPid = '';
  delete state.fileDescriptors;
}

/** A job's own copy of the shell that starts it, functions that are running included. */
export function jobState(parent: InterpreterState, pid: number): InterpreterState {
  const { localScopes = [], localArrayScopes = [], localExportedVars = [] } = parent;
  return {
    ...copyState(parent),
    bashPid: pid,
    // Its stdin is empty, as /dev/null.
    groupStdin: '',
    loopDepth: 0,
    inCondition: false,
    currentLine: parent.currentLine ?? 0,
    callDepth: parent.callDepth ?? 0,
    localScopes: localScopes.map((scope) => new Map(scope)),
    localArrayScopes: localArrayScopes.map((scope) => new Map(scope)),
    localExportedVars: localExportedVars.map((names) => new Set(names)),
    funcNameStack: [...(parent.funcNameStack ?? [])],
    callLineStack: [...(parent.callLineStack ?? [])],
    sourceStack: [...(parent.sourceStack ?? [])],
  };
}

/** What every line leaves behind: its status, and the time that has passed. */
const ALWAYS_LEFT = new Set(['lastExitCode', 'startTime', 'lastArg']);
const ALWAYS_SET = [
  '?',
  '_',
  'PIPESTATUS',
  'SECONDS',
  'RANDOM',
  'LINENO',
  'BASH_COMMAND',
  'EPOCHSECONDS',
];

/**
 * Has a line left anything in the shell that a later one could show? Its last
 * argument is looked at by the line's own text: what stands there is no news.
 */
export function leftAnything(before: ShellState, after: ShellState, script: string): boolean {
  if (after.lastArg !== before.lastArg && !script.includes(String(after.lastArg))) return true;
  return CARRIED.some(
    (key) => !ALWAYS_LEFT.has(key) && !isDeepStrictEqual(known(key, before), known(key, after)),
  );
}

/** A part of the state without what every line sets; null where there is nothing of it. */
function known(key: (typeof CARRIED)[number], state: ShellState): unknown {
  const value: unknown = state[key];
  if (value instanceof Map) {
    const own = new Map<unknown, unknown>(value);
    for (const name of ALWAYS_SET) own.delete(name);
    return own.size === 0 ? null : own;
  }
  if (value instanceof Set) return value.size === 0 ? null : value;
  return value || null;
}

function restoreVariable(after: ShellState, before: ShellState, name: string): void {
  const value = before.env.get(name);
  if (value === undefined) after.env.delete(name);
  else after.env.set(name, value);
  if (before.exportedVars?.has(name) === true) after.exportedVars?.add(name);
  else after.exportedVars?.delete(name);
}

function copyArray(array: ShellArray): ShellArray {
  return { kind: array.kind, elements: new Map(array.elements) };
}

function copyValue(value: unknown): unknown {
  if (value instanceof Map) return new Map(value);
  if (value instanceof Set) return new Set(value);
  if (Array.isArray(value)) return [...value];
  return typeof value === 'object' && value !== null ? { ...value } : value;
}
