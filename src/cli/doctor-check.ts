/** What a check of the doctor is told, and one line of its report. */
import type { Host } from '../world/plan.ts';
import type { WorldArguments } from './options.ts';

/** One line of the report. */
export interface Check {
  what: string;
  /** `warn`: it works, and somebody should look at it. */
  state: 'ok' | 'warn' | 'fail';
  text: string;
  /** What to do about it. */
  advice?: string;
}

/** What checks are told. */
export interface DoctorContext {
  options: WorldArguments;
  host: Host;
  /** Nobody is waited for longer, ms. */
  timeoutMs: number;
}
