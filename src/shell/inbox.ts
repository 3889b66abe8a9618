/** Where the signals to a job go: to the innermost of its shells that has a trap for it. */
import type { Traps } from './trap.ts';

/** A shell, as far as signals are concerned. */
export interface SignalReader {
  traps: Traps;
  /** Signals that have come and whose traps have not yet run. */
  signalled: string[];
}

/** The shells of a job, the innermost last. */
export type Inbox = SignalReader[];
