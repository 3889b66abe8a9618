/** Keeps requests away from a service that said when to come back. */
import { ServiceFailure, tryAgain } from './failure.ts';

/** One per service and credential. */
export class Breaker {
  readonly #service: string;
  readonly #now: () => Date;
  #until: Date | null = null;

  constructor(service: string, now: () => Date) {
    this.#service = service;
    this.#now = now;
  }

  /** No request passes before this time; an earlier time than one already set is ignored. */
  openUntil(until: Date): void {
    if (this.#until === null || until > this.#until) this.#until = until;
  }

  /** @throws ServiceFailure `limited`, when it is too early. */
  check(): void {
    if (this.#until === null) return;
    const now = this.#now();
    if (now >= this.#until) {
      this.#until = null;
      return;
    }
    throw new ServiceFailure(
      'limited',
      `${this.#service} asked us to wait: ${tryAgain(this.#until, now)}; no request was sent`,
      { retryAt: this.#until },
    );
  }
}
