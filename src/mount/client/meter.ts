/** Counts what a service cost, and apart from it what was asked behind the reads. */
import type { MountUsage } from '../contract/contract.ts';

/** One per client. */
export class Meter {
  readonly #isBehind: () => boolean;
  readonly #total = { requests: 0, bytes: 0 };
  readonly #behind = { requests: 0, bytes: 0 };

  /** @param isBehind is what is asked at this moment asked behind the reads? */
  constructor(isBehind: (() => boolean) | undefined) {
    this.#isBehind = isBehind ?? (() => false);
  }

  /** What was spent since it was made. */
  usage(): MountUsage {
    return { ...this.#total, behind: { ...this.#behind } };
  }

  /** A request goes out, with so many bytes. */
  request(bytes: number): void {
    this.#add(1, bytes);
  }

  /** So many bytes came back. */
  received(bytes: number): void {
    this.#add(0, bytes);
  }

  #add(requests: number, bytes: number): void {
    for (const sum of this.#isBehind() ? [this.#total, this.#behind] : [this.#total]) {
      sum.requests += requests;
      sum.bytes += bytes;
    }
  }
}
