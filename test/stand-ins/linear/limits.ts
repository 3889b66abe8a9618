/**
 * The hourly budgets of requests and of complexity points, and the headers that tell of them. The
 * names are those that the SDK's `RatelimitedLinearError` reads. The real service refills by drops;
 * here a window of one hour starts with the first request.
 */
const REQUESTS = 5_000;
const COMPLEXITY = 3_000_000;
const WINDOW_MS = 3_600_000;
/** The schema says of each search: "Rate-limited to 30 requests per minute". */
const SEARCHES = 30;
const MINUTE_MS = 60_000;

export class Limits {
  readonly #clock: () => number;
  #requests = REQUESTS;
  #complexity = COMPLEXITY;
  #resetAt = 0;
  #searched: number[] = [];

  constructor(clock: () => number) {
    this.#clock = clock;
  }

  /** Sets how many requests are left in this window. */
  set(requests: number): void {
    this.#renew();
    this.#requests = requests;
  }

  /** False when the budget is spent. */
  take(complexity: number): boolean {
    this.#renew();
    if (this.#requests < 1 || this.#complexity < complexity) return false;
    this.#requests -= 1;
    this.#complexity -= complexity;
    return true;
  }

  /** Seconds to wait where there were too many searches in this minute; null where there were not. */
  search(): number | null {
    const now = this.#clock();
    this.#searched = this.#searched.filter((at) => now - at < MINUTE_MS);
    const [oldest = now] = this.#searched;
    if (this.#searched.length >= SEARCHES) return Math.ceil((oldest + MINUTE_MS - now) / 1000);
    this.#searched.push(now);
    return null;
  }

  /** @param retryAfter seconds, for an answer that is refused though the budget is not spent */
  headers(complexity: number, retryAfter: number | null): Record<string, string> {
    this.#renew();
    const limited = retryAfter !== null;
    const resetAt = limited ? this.#clock() + retryAfter * 1000 : this.#resetAt;
    return {
      'x-complexity': String(complexity),
      'x-ratelimit-requests-limit': String(REQUESTS),
      'x-ratelimit-requests-remaining': String(limited ? 0 : this.#requests),
      'x-ratelimit-requests-reset': String(resetAt),
      'x-ratelimit-complexity-limit': String(COMPLEXITY),
      'x-ratelimit-complexity-remaining': String(Math.max(0, this.#complexity)),
      'x-ratelimit-complexity-reset': String(resetAt),
      ...(limited ? { 'retry-after': String(retryAfter) } : {}),
    };
  }

  #renew(): void {
    if (this.#clock() < this.#resetAt) return;
    this.#requests = REQUESTS;
    this.#complexity = COMPLEXITY;
    this.#resetAt = this.#clock() + WINDOW_MS;
  }
}
