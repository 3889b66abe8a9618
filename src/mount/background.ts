/**
 * Asks again, behind the reads, for what was read lately: whoever comes next
 * finds it fresh and waits for nothing. What nobody reads any more rests.
 */
import { Pool } from './flight.ts';
import type { Question } from './freshness.ts';

/** So long after it was read last is something kept fresh, in ms. */
const KEPT_MS = 120_000;
/** So many questions at once: one that hangs holds up no other, and what somebody waits for gets through. */
const AT_ONCE = 2;
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

  /** Asks for everything that was read lately and is past half its window. */
  async round(): Promise<void> {
    const pool = new Pool(AT_ONCE);
    await Promise.all([...this.#read.keys()].map((key) => pool.run(() => this.#look(key))));
  }

  async #look(key: string): Promise<void> {
    const { freshMs, refresh, may } = this.#options;
    const read = this.#read.get(key);
    if (read === undefined || this.#stopped || may?.() === false) return;
    if (this.#now() - read.at > KEPT_MS) {
      this.#read.delete(key);
      return;
    }
    const held = read.question.heldSince();
    if (held !== null && this.#now() - held >= freshMs / 2) await refresh(read.question);
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
