/** What a turn and a day may cost. At the limit a turn stops between two steps, and says so. */
import type { TokenUsage } from './answer.ts';

/** Limits; what is absent is not limited. */
export interface BudgetLimits {
  /** Tokens, in and out, of one turn. */
  tokensPerTurn?: number;
  /** Tokens, in and out, of one UTC day, over all sessions of a deployment. */
  tokensPerDay?: number;
  /** Requests to services in one turn. */
  requestsPerTurn?: number;
}

/** Counts what was spent on a day, over processes. */
export interface DayLedger {
  /** Tokens of today. */
  today(): number;
  add(tokens: number): void;
}

/** The budget of one turn. */
export interface Budget {
  /** Null while there is something left; else what is used up, and what to do. */
  exceeded(): string | null;
  spend(usage: TokenUsage): void;
}

/** @param requests the requests to services since the world began */
export function createBudget(
  limits: BudgetLimits,
  ledger: DayLedger,
  requests: () => number,
): Budget {
  let tokens = 0;
  const before = requests();
  const { tokensPerTurn, tokensPerDay, requestsPerTurn } = limits;
  return {
    exceeded: () => {
      if (tokensPerTurn !== undefined && tokens >= tokensPerTurn) {
        return `I stop here: this turn has used ${tokens} of its ${tokensPerTurn} tokens. What was done so far is kept; say "go on" to continue in a new turn.`;
      }
      const today = tokensPerDay === undefined ? 0 : ledger.today();
      if (tokensPerDay !== undefined && today >= tokensPerDay) {
        return `I stop here: ${today} of the ${tokensPerDay} tokens of this day are used. What was done so far is kept; the next day (UTC) begins with a new budget.`;
      }
      const sent = requests() - before;
      if (requestsPerTurn !== undefined && sent >= requestsPerTurn) {
        return `I stop here: this turn has sent ${sent} of its ${requestsPerTurn} requests to services. What was done so far is kept; say "go on" to continue in a new turn.`;
      }
      return null;
    },
    spend: ({ inputTokens = 0, outputTokens = 0 }) => {
      tokens += inputTokens + outputTokens;
      if (tokensPerDay !== undefined) ledger.add(inputTokens + outputTokens);
    },
  };
}
