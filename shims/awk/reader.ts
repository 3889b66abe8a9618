/** Cuts a file's or a command's output into records, as RS says. */
import type { RegexCache } from './regex.ts';

export class RecordReader {
  readonly #text: string;
  #at = 0;
  /** What ended the last record: RT. */
  terminator = '';

  constructor(text: string) {
    this.#text = text;
  }

  /**
   * The next record; undefined at the end.
   * @param separator RS
   */
  next(separator: string, regexes: RegexCache): string | undefined {
    if (separator === '') return this.#paragraph();
    if (this.#at >= this.#text.length) return undefined;
    const folds = regexes.ignoreCase && /[a-z]/i.test(separator);
    if (separator.length > 1 || folds) return this.#byPattern(separator, regexes);
    const end = this.#text.indexOf(separator, this.#at);
    return end < 0 ? this.#rest() : this.#cut(end, end + 1);
  }

  #cut(end: number, next: number): string {
    const record = this.#text.slice(this.#at, end);
    this.terminator = this.#text.slice(end, next);
    this.#at = next;
    return record;
  }

  #rest(): string {
    return this.#cut(this.#text.length, this.#text.length);
  }

  #byPattern(separator: string, regexes: RegexCache): string {
    const regex = regexes.get(separator);
    for (let from = this.#at; from < this.#text.length; ) {
      const found = regex.find(this.#text, from);
      if (found === null) break;
      if (found.end > found.start) return this.#cut(found.start, found.end);
      from = found.end + 1;
    }
    // A newline that ends the file belongs to the last record, whatever separates them.
    return this.#rest();
  }

  /** Blank lines separate; those at the beginning and the end count for nothing. */
  #paragraph(): string | undefined {
    while (this.#text[this.#at] === '\n') this.#at++;
    if (this.#at >= this.#text.length) return undefined;
    let end = this.#text.indexOf('\n\n', this.#at);
    if (end < 0) {
      end = this.#text.endsWith('\n') ? this.#text.length - 1 : this.#text.length;
      return this.#cut(end, this.#text.length);
    }
    let next = end;
    while (this.#text[next] === '\n') next++;
    return this.#cut(end, next);
  }
}
