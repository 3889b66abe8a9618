/** What a turn gives. */
import type { Verification } from '../citations/verify.ts';
import type { TokenUsage } from './answer.ts';

/**
 * How a turn ended. `stopped`: by the user; `parked`: it waits for a person, and is gone on with
 * once they have answered; `steps`: at the limit; `budget`: politely.
 */
export type TurnStatus = 'done' | 'stopped' | 'parked' | 'steps' | 'budget' | 'error';

/** What a turn gave. */
export interface TurnResult {
  status: TurnStatus;
  /** The last answer. */
  text: string;
  steps: number;
  usage: Required<Pick<TokenUsage, 'inputTokens' | 'outputTokens'>>;
  /** The background jobs that still run, each by its number and its command. */
  jobs?: readonly string[];
  /** A plan of it was approved, which bounded the rest of the turn. */
  planApproved?: boolean;
  /** What went wrong, in a sentence. */
  error?: string;
  /** What came of the citations of the answer, where they were asked for. */
  citations?: Verification;
}
