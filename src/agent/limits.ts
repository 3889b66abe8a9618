/** What may be spent: limits of turns, sessions and days, of all, of one agent, of one principal. */
import type { Account, Ledger, Spent, Sum } from './ledger.ts';

/** Limits of what is spent on a UTC day, over all sessions of a deployment. */
export interface DayLimits {
  /** Tokens, in and out. */
  tokensPerDay?: number | undefined;
  /** USD. */
  moneyPerDay?: number | undefined;
  modelRequestsPerDay?: number | undefined;
}

/** Limits; what is absent is not limited. */
export interface BudgetLimits extends DayLimits {
  /** Tokens, in and out, of one turn, those of its sub-agents among them. */
  tokensPerTurn?: number | undefined;
  /** Tokens, in and out, of one session. */
  tokensPerSession?: number | undefined;
  /** USD. */
  moneyPerTurn?: number | undefined;
  moneyPerSession?: number | undefined;
  /** Requests to services in one turn. */
  requestsPerTurn?: number | undefined;
  /** By agent, and by who asked for the turn; `*` is each of whom nothing else is said. */
  agents?: Readonly<Record<string, DayLimits>> | undefined;
  principals?: Readonly<Record<string, DayLimits>> | undefined;
}

/** What a request may come to. */
export interface Estimate {
  model: string;
  /** Tokens of what is sent. */
  inputTokens: number;
  /** Tokens that its answer may have; fewer are granted where less is left. */
  outputTokens: number;
  /** USD for a token; null where the price is not known. */
  prices: { input: number; output: number } | null;
}

/** One limit, and what counts against it. */
interface Limit {
  unit: 'tokens' | 'micros' | 'requests';
  most: number;
  of: Sum;
  /** `this turn`, `agent reader on this day`. */
  whose: string;
  /** What to do where it is used up. */
  advice: string;
}

const NEW_TURN = 'say "go on" to continue in a new turn';
const NEW_SESSION = 'a new session begins with a new budget';
const NEW_DAY = 'the next day (UTC) begins with a new budget';
const MICROS = 1_000_000;
/** Answers that are cut off after fewer tokens are of no use. */
const LEAST_ANSWER = 256;

/** What is granted, or why nothing is. */
export type Held = { id: number; outputTokens: number } | { refused: string };

/**
 * Counts a request ahead of it, if every limit has room for it.
 * @returns how long its answer may be
 */
export function hold(
  ledger: Ledger,
  limits: BudgetLimits,
  account: Account,
  estimate: Estimate,
): Held {
  const { inputTokens, prices, model } = estimate;
  return ledger.transaction(() => {
    let outputTokens = estimate.outputTokens;
    for (const limit of limitsOf(limits, account)) {
      const spent = ledger.sum(limit.of);
      if (limit.unit === 'micros' && prices === null) return { refused: unpriced(model, limit) };
      const room = answerRoom(limit, spent, estimate);
      if (room < Math.min(LEAST_ANSWER, outputTokens)) return { refused: usedUp(limit, spent) };
      outputTokens = Math.min(outputTokens, room);
    }
    const micros =
      prices === null ? 0 : microsOf(inputTokens * prices.input + outputTokens * prices.output);
    const id = ledger.hold(account, model, { tokens: inputTokens + outputTokens, micros });
    return { id, outputTokens };
  });
}

/** What is used up already, in a sentence; null while something is left. */
export function usedUpNow(ledger: Ledger, limits: BudgetLimits, account: Account): string | null {
  for (const limit of limitsOf(limits, account)) {
    const spent = ledger.sum(limit.of);
    if (spent[limit.unit] >= limit.most) return usedUp(limit, spent);
  }
  return null;
}

export const microsOf = (usd: number): number => Math.ceil(usd * MICROS);

/** Are tokens or money limited at all? Where not, an answer may be as long as it likes. */
export const limitsAnswers = (limits: BudgetLimits, account: Account): boolean =>
  limitsOf(limits, account).some(({ unit }) => unit !== 'requests');

/** Tokens that an answer may have within a limit. */
function answerRoom(limit: Limit, spent: Spent, { inputTokens, prices }: Estimate): number {
  const left = limit.most - spent[limit.unit];
  if (limit.unit === 'requests') return left >= 1 ? Number.POSITIVE_INFINITY : 0;
  if (limit.unit === 'tokens') return Math.floor(left - inputTokens);
  const { input = 0, output = 0 } = prices ?? {};
  const after = left - inputTokens * input * MICROS;
  if (after < 0) return 0;
  return output === 0 ? Number.POSITIVE_INFINITY : Math.floor(after / (output * MICROS));
}

function limitsOf(limits: BudgetLimits, account: Account): Limit[] {
  const { agent, principal, session, turn } = account;
  const part = (
    [unit, most]: [Limit['unit'], number | undefined],
    rest: Pick<Limit, 'of' | 'whose' | 'advice'>,
  ): Limit[] => (most === undefined ? [] : [{ unit, most, ...rest }]);
  const both = (
    tokens: number | undefined,
    money: number | undefined,
    rest: Pick<Limit, 'of' | 'whose' | 'advice'>,
  ): Limit[] => [
    ...part(['tokens', tokens], rest),
    ...part(['micros', money === undefined ? undefined : money * MICROS], rest),
  ];
  const day = (given: DayLimits | undefined, of: Sum, whose: string): Limit[] => {
    const rest = { of: { ...of, day: true }, whose, advice: NEW_DAY };
    return [
      ...both(given?.tokensPerDay, given?.moneyPerDay, rest),
      ...part(['requests', given?.modelRequestsPerDay], rest),
    ];
  };
  const named = (table: BudgetLimits['agents'], name: string): DayLimits | undefined =>
    table !== undefined && Object.hasOwn(table, name) ? table[name] : table?.['*'];
  return [
    ...both(limits.tokensPerTurn, limits.moneyPerTurn, {
      of: { turn },
      whose: 'this turn',
      advice: NEW_TURN,
    }),
    ...both(limits.tokensPerSession, limits.moneyPerSession, {
      of: { session },
      whose: 'this session',
      advice: NEW_SESSION,
    }),
    ...day(limits, {}, 'this day'),
    ...day(named(limits.agents, agent), { agent }, `agent ${agent} on this day`),
    ...day(named(limits.principals, principal), { principal }, `${principal} on this day`),
  ];
}

function usedUp({ unit, most, whose, advice }: Limit, spent: Spent): string {
  const [used, limit, what] =
    unit === 'micros'
      ? [usd(spent.micros), usd(most), '']
      : [`${spent[unit]}`, `${most}`, unit === 'tokens' ? ' tokens' : ' requests to models'];
  const held =
    unit === 'tokens' && spent.heldTokens > 0
      ? ` (${spent.heldTokens} of them held for requests that run now)`
      : '';
  return `I stop here: ${whose} has used ${used} of its ${limit}${what}${held}, and the next request would need more than is left. What was done so far is kept; ${advice}.`;
}

const unpriced = (model: string, { whose }: Limit): string =>
  `I stop here: the money of ${whose} is limited, and the price of ${model} is not known: give it in models.yaml, as prices: { input: …, output: … }, in USD for a million tokens.`;

const usd = (micros: number): string => `$${(micros / MICROS).toFixed(micros < 100_000 ? 4 : 2)}`;
