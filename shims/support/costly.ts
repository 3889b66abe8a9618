/** What a walk passes over because reading or listing it would cost a request each: said in one line. */

/** Counts what a walk passed over. */
export class Passed {
  readonly #what: string;
  #count = 0;
  #first = '';

  /** @param what the plural of what is counted */
  constructor(what: string = 'files') {
    this.#what = what;
  }

  /** @param shown the path as the command prints paths */
  add(shown: string): void {
    if (this.#count === 0) this.#first = shown;
    this.#count += 1;
  }

  get any(): boolean {
    return this.#count > 0;
  }

  /**
   * The line for stderr.
   * @param how what to do to have them all the same
   */
  line(tool: string, how: string): string {
    const what =
      this.#count === 1 ? this.#first : `${this.#count} ${this.#what} such as ${this.#first}`;
    const cost = this.#count === 1 ? 'it costs a request' : 'each costs a request';
    return `${tool}: skipped ${what}: ${cost}; ${how}\n`;
  }
}
