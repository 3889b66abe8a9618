/** What `$BASH_SOURCE`, `$FUNCNAME` and `$BASH_LINENO` say: just-bash knows functions, and no files. */
import type { InterpreterState } from './interpreter-types.ts';

/** Where functions come from that no file defines. */
const NO_FILE = 'environment';

/** Begins the stacks of a script. @param file its path; null for one that is an argument */
export function beginStacks(state: InterpreterState, file: string | null): void {
  state.funcNameStack = [];
  state.callLineStack = file === null ? [] : [0];
  state.sourceStack = file === null ? [] : [file];
  state.currentSource = file ?? NO_FILE;
}

/** Is the script that runs a file? */
export function isFile({ sourceStack = [], funcNameStack = [] }: InterpreterState): boolean {
  return sourceStack.length > funcNameStack.length || funcNameStack.at(-1) === 'main';
}

/** Is what is called the first of a file? As long as it runs there is `main` below it. */
export function isBelowMain({ funcNameStack = [], sourceStack = [] }: InterpreterState): boolean {
  return funcNameStack.length === 0 && sourceStack.length > 0;
}

/** Runs `source FILE`, or a function, as a level of the stacks. */
export async function onStacks<T>(
  state: InterpreterState,
  source: string | null,
  call: () => Promise<T>,
): Promise<T> {
  const { funcNameStack = [], callLineStack = [], sourceStack = [] } = state;
  const names = isBelowMain(state) ? ['main'] : funcNameStack;
  const before = { funcNameStack, callLineStack, sourceStack };
  state.funcNameStack = source === null ? [...names] : ['source', ...names];
  state.callLineStack =
    source === null ? [...callLineStack] : [state.currentLine ?? 0, ...callLineStack];
  state.sourceStack = source === null ? [...sourceStack] : [source, ...sourceStack];
  try {
    return await call();
  } finally {
    Object.assign(state, before);
  }
}

/** The file that `source` and `.` name; null for other commands. */
export function sourcedFile(name: string, args: readonly string[]): string | null {
  if (name !== 'source' && name !== '.') return null;
  return (args[0] === '--' ? args[1] : args[0]) ?? null;
}
