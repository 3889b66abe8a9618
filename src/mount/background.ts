/**
 * Asks again, behind the reads, for what was read lately: whoever comes next
 * finds it fresh and waits for nothing. What nobody reads any more rests.
 */
import type { Question } from './freshness.ts';

/** So long after it was read last is something kept fresh, in ms. */
const KEPT_MS = 120_000;
/** No more often than this, whatever the window, in ms. */
const SHORTEST_MS = 1_000;

export interface BackgroundOptions {
  freshMs: number;
  now: () => Date;
  /** Asks, and keeps its failures to itself: the next read meets them. */
  refresh(question: Question): Promise<void>;
  /** False while requests are to be saved for who waits for them. */
  may?: (() => boolean) | undefined;
}

export class Background {
  readonly #options: BackgroundOptions;
  readonly #read = new Map<string, { question: Question; at: number }>();
  #timer: NodeJS.Timeout | null = null;
  #stopped = false;

  constructor(options: BackgroundOptions) {
    this.#options = options;
  }

  /** A question whose answer was read just now. */
  note(question: Question): void {
    this.#read.set(question.key, { question, at: this.#now() });
    this.#schedule();
  }

  stop(): void {
    this.#stopped = true;
    if (this.#timer !== null) clearTimeout(this.#timer);
  }

  /** Asks for everything that was read lately and is past half its window, one after the other. */
  async round(): Promise<void> {
    const { freshMs, refresh, may } = this.#options;
    for (const [key, { question, at }] of this.#read) {
      if (this.#stopped || may?.() === false) return;
      if (this.#now() - at > KEPT_MS) {
        this.#read.delete(key);
        continue;
      }
      const held = question.heldSince();
      if (held !== null && this.#now() - held >= freshMs / 2) await refresh(question);
    }
  }

  #schedule(): void {
    if (this.#timer !== null || this.#stopped || this.#read.size === 0) return;
    const wait = Math.max(SHORTEST_MS, this.#options.freshMs / 2);
    this.#timer = setTimeout(() => {
      void this.round().finally(() => {
        this.#timer = null;
        this.#schedule();
      });
    }, wait);
    // Nobody's process stays for this.
    this.#timer.unref();
  }

  #now(): number {
    return this.#options.now().getTime();
  }
}
