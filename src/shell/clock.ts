/** A clock that stands still while a command waits for a person: its deadline is about work. */
export class PausableClock {
  #lost = 0;
  #paused: number | null = null;

  /** Milliseconds; the time of day less what was paused. */
  now(): number {
    return (this.#paused ?? Date.now()) - this.#lost;
  }

  pause(): void {
    this.#paused ??= Date.now();
  }

  resume(): void {
    if (this.#paused === null) return;
    this.#lost += Date.now() - this.#paused;
    this.#paused = null;
  }

  /**
   * Calls back once when the clock comes to a time.
   * @returns how to stop it
   */
  at(time: number, due: () => void): () => void {
    let timer: NodeJS.Timeout | undefined;
    const wait = (): void => {
      const left = time - this.now();
      // Standing still, it is looked at now and then: what is left stays as it is.
      const pace = this.#paused === null ? left : Math.max(left, PAUSED_PACE_MS);
      if (left <= 0) due();
      else timer = setTimeout(wait, Math.min(pace, LONGEST_MS));
    };
    timer = setTimeout(wait, Math.min(Math.max(time - this.now(), 0), LONGEST_MS));
    return () => clearTimeout(timer);
  }
}

/** What a timer can wait at most. */
const LONGEST_MS = 2 ** 31 - 1;
const PAUSED_PACE_MS = 250;
