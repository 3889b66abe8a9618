/** What a command leaves behind of its status, as the interpreter does. */
import type { InterpreterState } from '../interpreter-types.ts';

export function setStatus(state: InterpreterState, status: number): number {
  state.lastExitCode = status;
  state.env.set('?', String(status));
  return status;
}

export function setPipeStatus({ arrays }: InterpreterState, status: number): void {
  const known = arrays.get('PIPESTATUS');
  if (known === undefined) {
    arrays.set('PIPESTATUS', { kind: 'indexed', elements: new Map([['0', String(status)]]) });
    return;
  }
  if (known.elements.size !== 1) known.elements.clear();
  known.elements.set('0', String(status));
}
