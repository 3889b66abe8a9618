/** Ctrl-R: a search through the lines typed before, a key at a time. */

/** What a key came to: go on and show, or the line that it ends with. */
export type SearchStep =
  | { done: false }
  /** `line` takes the place of what was typed, and `key` is still to be acted on. */
  | { done: true; line: string; key: string };

const CTRL_R = '\x12';
const CTRL_S = '\x13';

export class HistorySearch {
  /** Newest first, each once. */
  readonly #lines: readonly string[];
  readonly #typed: string;
  #query = '';
  #at = 0;
  #failed = false;

  /** @param typed what was typed before, which it goes back to */
  constructor(lines: readonly string[], typed: string) {
    this.#lines = [...new Set(lines)];
    this.#typed = typed;
  }

  get query(): string {
    return this.#query;
  }

  /** Is there no line, or no further one, with what is searched for? */
  get failed(): boolean {
    return this.#failed;
  }

  /** The line that was found; empty as long as nothing is searched for. */
  get found(): string {
    return this.#query === '' ? '' : (this.#lines[this.#at] ?? '');
  }

  key(key: string): SearchStep {
    if (key === CTRL_R) this.#look(this.#query === '' ? 0 : this.#at + 1, 1);
    else if (key === CTRL_S) this.#look(this.#at - 1, -1);
    else if (key === '\x7f' || key === '\b') this.#search([...this.#query].slice(0, -1).join(''));
    // Ctrl-G, Ctrl-C and Esc leave what was typed as it was.
    else if (key === '\x07' || key === '\x1b') return { done: true, line: this.#typed, key: '' };
    else if (key === '\x03') return { done: true, line: this.#typed, key };
    else if (key < ' ' || key.startsWith('\x1b'))
      return { done: true, line: this.#query === '' ? this.#typed : this.found, key };
    else this.#search(this.#query + key);
    return { done: false };
  }

  #search(query: string): void {
    const longer = query.startsWith(this.#query) && this.#query !== '';
    this.#query = query;
    this.#look(longer ? this.#at : 0, 1);
  }

  /** From a line on, towards the older ones (1) or the newer ones (-1); stays where there is none. */
  #look(from: number, step: 1 | -1): void {
    for (let at = from; at >= 0 && at < this.#lines.length; at += step) {
      if (this.#lines[at]?.includes(this.#query) !== true) continue;
      this.#at = at;
      this.#failed = false;
      return;
    }
    this.#failed = this.#query !== '';
  }
}
