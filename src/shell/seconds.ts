/** `$SECONDS` counts on from what is given to it: just-bash keeps the text, and reads its clock. */
import type { CommandNode } from 'just-bash';
import type { InterpreterState } from './interpreter-types.ts';

/** Sets the clock by what the script has assigned since the last command. */
export function settleSeconds(state: InterpreterState): void {
  const given = state.env.get('SECONDS');
  if (given === undefined) return;
  const now = Date.now();
  const before = String(Math.floor((now - state.startTime) / 1000));
  // A function's own: what it was before is given back at the end.
  const scope = state.localScopes?.findLast((one) => one.has('SECONDS'));
  if (scope !== undefined && scope.get('SECONDS') === undefined) scope.set('SECONDS', before);
  const from = /^\s*[-+]?\d+\s*$/.test(given) ? Number(given) : 0;
  state.startTime = now - from * 1000;
  state.env.delete('SECONDS');
}

/** Is what a command gives to it forgotten at its end? */
export function hasOwnSeconds(node: CommandNode): boolean {
  if (node.type === 'Subshell') return true;
  return (
    node.type === 'SimpleCommand' &&
    node.name !== null &&
    node.assignments.some(({ name }) => name === 'SECONDS')
  );
}
