/**
 * Keeps within a service's limits before it has to refuse: what is left of a
 * window is spread over the rest of it, and the last of it is kept for writes.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { ServiceFailure, tryAgain } from './failure.ts';

/** What a service says of its window of requests. */
export interface Allowance {
  limit: number;
  remaining: number;
  /** When the window ends, by our clock. */
  resetAt: Date;
}

/** Of which service, and by whose clock. */
export interface BudgetOptions {
  /** What the service is called in sentences. */
  service: string;
  /** The clock that the service's own times are held against. */
  now: () => Date;
  /** Points that may be spent within a minute, and what a request costs of them, where there is such a limit. */
  perMinute?: { points: number; read: number; write: number };
  /** What does not fit into the minute is refused at once and does not wait for its turn. */
  refuses?: boolean;
  /** Two writes are so far apart at least, in ms. */
  writeGapMs?: number;
  /** Waits so many ms; given, so that tests need not. */
  wait?: (ms: number) => Promise<unknown>;
}

/** Below this part of the limit reads are spaced. */
const LOW = 0.1;
/** This part of the limit is kept for writes, and no more than so many requests. */
const RESERVED = 0.02;
const MOST_RESERVED = 50;
/** One read waits no longer than this for its turn, in ms: a command has a time-out. */
const LONGEST_GAP_MS = 2_000;
const MINUTE_MS = 60_000;

/** What a service says of its limits, and how long to wait by it. */
export class Budget {
  readonly #options: BudgetOptions;
  readonly #wait: (ms: number) => Promise<unknown>;
  #allowance: Allowance | null = null;
  /** When the next spaced read may go, ms. */
  #nextRead = 0;
  /** When the next write may go, ms. */
  #nextWrite = 0;
  /** What was spent in the last minute. */
  readonly #spent: { at: number; points: number }[] = [];

  constructor(options: BudgetOptions) {
    this.#options = options;
    this.#wait = options.wait ?? delay;
  }

  /** What the service's last answer said. */
  told(allowance: Allowance): void {
    this.#allowance = allowance;
  }

  /** What is left of the window, as far as it is known. */
  get allowance(): Allowance | null {
    return this.#left();
  }

  /** Is little left, so that only what somebody waits for may be asked? */
  get isLow(): boolean {
    const left = this.#left();
    return left !== null && left.remaining < left.limit * LOW;
  }

  /**
   * Lets a request through, at once or when its turn comes.
   *
   * @throws ServiceFailure `limited` where what is left is kept for writes.
   */
  async admit(kind: 'read' | 'write'): Promise<void> {
    await this.#withinMinute(kind);
    if (kind === 'write') await this.#writeTurn();
    const now = this.#now();
    const left = this.#left();
    if (left === null) return;
    if (kind === 'read') {
      const gap = this.#gap(left);
      const turn = Math.max(now, this.#nextRead);
      this.#nextRead = turn + gap;
      left.remaining -= 1;
      if (turn > now) await this.#wait(turn - now);
    } else left.remaining -= 1;
  }

  async #writeTurn(): Promise<void> {
    const now = this.#now();
    const turn = Math.max(now, this.#nextWrite);
    this.#nextWrite = turn + (this.#options.writeGapMs ?? 0);
    if (turn > now) await this.#wait(turn - now);
  }

  /** How far apart reads are now, in ms. */
  #gap(left: Allowance): number {
    const { service, now } = this.#options;
    const reserve = Math.min(MOST_RESERVED, Math.floor(left.limit * RESERVED));
    const free = left.remaining - reserve;
    if (free <= 0) {
      throw new ServiceFailure(
        'limited',
        `of ${service}'s limit of requests ${left.remaining} are left, which are kept for writes: ${tryAgain(left.resetAt, now())}; no request was sent`,
        { retryAt: left.resetAt, unsent: true },
      );
    }
    if (left.remaining >= left.limit * LOW) return 0;
    return Math.min(LONGEST_GAP_MS, (left.resetAt.getTime() - this.#now()) / free);
  }

  async #withinMinute(kind: 'read' | 'write'): Promise<void> {
    const { perMinute } = this.#options;
    if (perMinute === undefined) return;
    const points = perMinute[kind];
    const pause = () => this.#untilFree(points, perMinute.points);
    for (let ms = pause(); ms > 0; ms = pause()) {
      if (this.#options.refuses === true) throw this.#minuteSpent(perMinute.points, ms);
      await this.#wait(ms);
    }
    this.#spent.push({ at: this.#now(), points });
  }

  #minuteSpent(most: number, ms: number): ServiceFailure {
    const { service, now } = this.#options;
    const retryAt = new Date(this.#now() + ms);
    return new ServiceFailure(
      'limited',
      `${service} allows ${most} requests a minute, and these are spent: ${tryAgain(retryAt, now())}; no request was sent`,
      { retryAt, unsent: true },
    );
  }

  /** How long until so many points fit into the minute, in ms. */
  #untilFree(points: number, most: number): number {
    const now = this.#now();
    while ((this.#spent[0]?.at ?? now) <= now - MINUTE_MS) this.#spent.shift();
    const spent = this.#spent.reduce((sum, one) => sum + one.points, 0);
    const [oldest] = this.#spent;
    if (oldest === undefined || spent + points <= most) return 0;
    return oldest.at + MINUTE_MS - now;
  }

  #left(): Allowance | null {
    if (this.#allowance !== null && this.#allowance.resetAt.getTime() <= this.#now()) {
      this.#allowance = null;
    }
    return this.#allowance;
  }

  #now(): number {
    return this.#options.now().getTime();
  }
}
