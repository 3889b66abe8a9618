/** Where the signals to a job go: to the innermost of its shells that has a trap for it. */
import { signalName } from './signal-numbers.ts';
import type { Traps } from './trap.ts';

/** A shell, as far as signals are concerned. */
export interface SignalReader {
  traps: Traps;
  /** Signals that have come and whose traps have not yet run. */
  signalled: string[];
}

/** The shells of a job, the innermost last. */
export type Inbox = SignalReader[];

/** Has a job a trap for the signal? Then it runs once the command has ended that runs now. */
export function takesSignal(inbox: Inbox, signal: number): boolean {
  const name = signalName(String(signal)) ?? '';
  const reader = name === 'KILL' ? undefined : inbox.findLast(({ traps }) => traps.has(name));
  if (reader?.traps.get(name)?.command !== '') reader?.signalled.push(name);
  return reader !== undefined;
}
