/**
 * What a turn may still spend. Each request to a model is counted before it is
 * sent, with the most that it may come to, and settled after it: however many
 * turns run at once, none begins what would break a limit.
 */
import { inTime } from '../parts/in-time.ts';
import type { TokenUsage } from './answer.ts';
import { costOf, type ModelFacts } from './catalogue/facts.ts';
import type { Account, Ledger } from './ledger.ts';
import { type BudgetLimits, hold, limitsAnswers, microsOf, usedUpNow } from './limits.ts';

export type { BudgetLimits } from './limits.ts';

/** A request that is about to be sent, as a budget of the deployment's own is asked about it. */
export interface BudgetRequest {
  agent: string;
  /** Who asked for the turn. */
  principal: string;
  session: string;
  /** Requests of one turn, its sub-agents' among them, have the same. */
  turn: string;
  model: string;
  /** Tokens of what is sent, estimated. */
  inputTokens: number;
  /** Tokens that its answer has at most. */
  outputTokens: number;
  /** USD that it comes to at most; null where the price is not known. */
  money: number | null;
}

/** What a request came to. */
export interface BudgetSpent {
  inputTokens: number;
  outputTokens: number;
  /** USD; null where the price is not known. */
  money: number | null;
}

/** A budget of the deployment's own, beside the limits of the config: the part `budget`. */
export interface BudgetPart {
  /**
   * Asked before each request to a model. What it does not answer within 5 s, it refuses.
   * @returns why not, in a sentence that the person is told; or what is called once the request has
   *   ended, with what it came to: the most that it could, where that is not known
   */
  reserve(
    request: BudgetRequest,
    options: { signal: AbortSignal },
  ): BudgetAnswer | Promise<BudgetAnswer>;
}

/** `refused`: why the request is not made, a sentence for the person; or what is told, once, what it has cost. */
export type BudgetAnswer =
  | { refused: string }
  | {
      /** Called when the request has ended, however it did. */
      settle(spent: BudgetSpent): void | Promise<void>;
    };

/** A request was refused because of what it would cost. Its message is for the person. */
export class BudgetExceeded extends Error {
  override readonly name = 'BudgetExceeded';
}

/** A request that was counted. */
export interface Grant {
  /** Tokens that the answer may have; absent, as many as it likes. */
  outputTokens?: number;
  /** It has ended. @param usage null where nobody knows what it came to */
  settle(usage: TokenUsage | null): Promise<void>;
  /** It was refused before anything was spent. */
  release(): Promise<void>;
}

/** What every budget of an agent is made with. */
export interface BudgetSources {
  limits: BudgetLimits;
  ledger: Ledger;
  part?: BudgetPart | null;
  facts(model: string): Promise<ModelFacts>;
  /** Requests to services since the world began. */
  requests(): number;
}

/** A budget of the deployment's own has so long to decide, ms. */
const DECISION_MS = 5_000;
/** Tokens of an answer, where nobody says how long those of the model are, or they are longer. */
const USUAL_ANSWER = 16_384;
const LONGEST_ANSWER = 32_768;

/** The budget of one turn. */
export class Budget {
  readonly account: Account;
  readonly #sources: BudgetSources;
  readonly #before: number;

  constructor(sources: BudgetSources, account: Account) {
    this.#sources = sources;
    this.account = account;
    this.#before = sources.requests();
  }

  /** The same turn, as another agent. */
  of(agent: string): Budget {
    return new Budget(this.#sources, { ...this.account, agent });
  }

  /** Null while there is something left; else what is used up, and what to do. */
  exceeded(): string | null {
    const { limits, ledger, requests } = this.#sources;
    const { requestsPerTurn } = limits;
    const sent = requests() - this.#before;
    if (requestsPerTurn !== undefined && sent >= requestsPerTurn) {
      return `I stop here: this turn has sent ${sent} of its ${requestsPerTurn} requests to services. What was done so far is kept; say "go on" to continue in a new turn.`;
    }
    return usedUpNow(ledger, limits, this.account);
  }

  /**
   * Counts a request to a model before it is sent.
   * @throws BudgetExceeded
   */
  async reserve(model: string, inputTokens: number): Promise<Grant> {
    const { limits, ledger, facts } = this.#sources;
    const { prices, output } = await facts(model);
    const perToken =
      prices === undefined ? null : { input: prices.input / 1e6, output: prices.output / 1e6 };
    const wanted = Math.min(output ?? USUAL_ANSWER, LONGEST_ANSWER);
    const held = hold(ledger, limits, this.account, {
      model,
      inputTokens,
      outputTokens: wanted,
      prices: perToken,
    });
    if ('refused' in held) throw new BudgetExceeded(held.refused);
    const { id, outputTokens } = held;
    const most = { inputTokens, outputTokens };
    const settlePart = await this.#askPart(model, most, prices).catch((error: unknown) => {
      ledger.release(id);
      throw error;
    });
    const settle = async (usage: TokenUsage | null): Promise<void> => {
      const { inputTokens = 0, outputTokens = 0 } = usage ?? most;
      const money = costOf(prices, usage ?? most);
      const micros = microsOf(money ?? 0);
      ledger.settle(id, { tokens: inputTokens + outputTokens, micros });
      await settlePart({ inputTokens, outputTokens, money });
    };
    return {
      ...(limitsAnswers(limits, this.account) ? { outputTokens } : {}),
      settle,
      release: async () => {
        ledger.release(id);
        await settlePart({ inputTokens: 0, outputTokens: 0, money: 0 });
      },
    };
  }

  /** @throws BudgetExceeded where it refuses, or does not answer */
  async #askPart(
    model: string,
    most: Pick<BudgetRequest, 'inputTokens' | 'outputTokens'>,
    prices: ModelFacts['prices'],
  ): Promise<(spent: BudgetSpent) => Promise<void>> {
    const { part } = this.#sources;
    if (part == null) return async () => undefined;
    const request = { ...this.account, model, ...most, money: costOf(prices, most) };
    let answer: unknown;
    try {
      answer = await inTime(DECISION_MS, (signal) => part.reserve(request, { signal }));
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      throw new BudgetExceeded(
        `I stop here: the budget could not be asked, which refuses: ${why}.`,
      );
    }
    if (isRefusal(answer)) throw new BudgetExceeded(answer.refused);
    if (isGrant(answer)) return async (spent) => answer.settle(spent);
    throw new BudgetExceeded(
      'I stop here: the budget answered neither { refused } nor { settle }, which refuses.',
    );
  }
}

const isRefusal = (answer: unknown): answer is { refused: string } =>
  typeof answer === 'object' &&
  answer !== null &&
  typeof (answer as { refused?: unknown }).refused === 'string';

const isGrant = (answer: unknown): answer is Extract<BudgetAnswer, { settle: unknown }> =>
  typeof answer === 'object' &&
  answer !== null &&
  typeof (answer as { settle?: unknown }).settle === 'function';
