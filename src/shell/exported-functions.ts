/** `export -f`: functions that the shells see which a shell starts. just-bash exports variables alone. */
import type { CommandResult, InterpreterState } from './interpreter-types.ts';

/** As bash names them in an environment; a name that no variable has. */
const PREFIX = 'BASH_FUNC_';

/** `export [-n] -f NAME…` and `declare -fx NAME…`; null for other commands. */
export function exportFunctions(
  name: string,
  args: readonly string[],
  state: InterpreterState,
): CommandResult | null {
  if (name !== 'export' && name !== 'declare' && name !== 'typeset') return null;
  const flags = args.filter((word) => /^-\w/.test(word)).join('');
  if (!flags.includes('f') || (name !== 'export' && !flags.includes('x'))) return null;
  let stderr = '';
  for (const word of args.filter((one) => !one.startsWith('-'))) {
    if (!state.functions.has(word)) stderr += `bash: ${name}: ${word}: not a function\n`;
    else if (flags.includes('n')) state.exportedVars?.delete(PREFIX + word);
    else {
      state.exportedVars ??= new Set();
      state.exportedVars.add(PREFIX + word);
    }
  }
  return { stdout: '', stderr, exitCode: stderr === '' ? 0 : 1 };
}

/** Gives a shell that begins the functions that its parent exports. */
export function inheritFunctions(child: InterpreterState, parent: InterpreterState): void {
  for (const exported of parent.exportedVars ?? []) {
    if (!exported.startsWith(PREFIX)) continue;
    const known = parent.functions.get(exported.slice(PREFIX.length));
    if (known === undefined) continue;
    child.functions.set(known.name, known);
    child.exportedVars?.add(exported);
  }
}
