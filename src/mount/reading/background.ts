/**
 * Asks again, behind the reads, for what was read lately: whoever comes next
 * finds it fresh and waits for nothing. What nobody reads any more rests.
 */
import { Pool } from '../client/flight.ts';
import type { Question } from './question.ts';

/** So long after it was read last is something kept fresh, in ms. */
const KEPT_MS = 120_000;
/** So many questions at once: one that hangs holds up no other, and what somebody waits for gets through. */
const AT_ONCE = 2;

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
  #stopped = false;

  constructor(options: BackgroundOptions) {
    this.#options = options;
  }

  /** A question whose answer was read just now. */
  note(question: Question): void {
    this.#read.set(question.key, { question, at: this.#now() });
  }

  stop(): void {
    this.#stopped = true;
  }

  /** Asks for everything that was read lately and is past half its window. */
  round(): Promise<void> {
    const half = this.#now() - this.#options.freshMs / 2;
    return this.#askFor(() => true, half);
  }

  /** Asks for what was read lately of what changed, unless it was asked since, ms. */
  changed(isAbout: (key: string) => boolean, since: number): Promise<void> {
    return this.#askFor(isAbout, since);
  }

  async #askFor(isMeant: (key: string) => boolean, heldBefore: number): Promise<void> {
    const pool = new Pool(AT_ONCE);
    const keys = [...this.#read.keys()].filter(isMeant);
    await Promise.all(keys.map((key) => pool.run(() => this.#look(key, heldBefore))));
  }

  async #look(key: string, heldBefore: number): Promise<void> {
    const { refresh, may } = this.#options;
    const read = this.#read.get(key);
    if (read === undefined || this.#stopped || may?.() === false) return;
    if (this.#now() - read.at > KEPT_MS) {
      this.#read.delete(key);
      return;
    }
    const held = read.question.heldSince();
    if (held !== null && held <= heldBefore) await refresh(read.question);
  }

  #now(): number {
    return this.#options.now().getTime();
  }
}
