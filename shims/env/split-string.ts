/** What `env -S` makes of its one argument: words, as a line that begins with #! has them. */
import { UsageError } from '../support/getopt.ts';

const ESCAPES: Readonly<Record<string, string>> = {
  '"': '"',
  '#': '#',
  $: '$',
  "'": "'",
  '\\': '\\',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
  v: '\v',
};

const misuse = (text: string): UsageError => new UsageError(text, { hint: false });

/** Reads the text from left to right. */
class Splitter {
  readonly #text: string;
  readonly #lookUp: (name: string) => string | undefined;
  readonly #words: string[] = [];
  #word: string | undefined;
  #quote: string | undefined;
  #at = 0;

  constructor(text: string, lookUp: (name: string) => string | undefined) {
    this.#text = text;
    this.#lookUp = lookUp;
  }

  run(): string[] {
    while (this.#at < this.#text.length) {
      if (this.#step(this.#text[this.#at++] ?? '') === 'end') break;
    }
    if (this.#quote !== undefined) throw misuse('no terminating quote in -S string');
    this.#finish();
    return this.#words;
  }

  #step(char: string): 'end' | undefined {
    const quote = this.#quote;
    if (char === quote) this.#quote = undefined;
    else if (quote === undefined && (char === '"' || char === "'")) {
      this.#quote = char;
      this.#add('');
    } else if (char === '\\') return this.#escape();
    else if (quote === undefined && /\s/.test(char)) this.#finish();
    else if (char === '#' && quote === undefined && this.#word === undefined) return 'end';
    else if (char === '$' && quote !== "'") this.#variable();
    else this.#add(char);
    return undefined;
  }

  #escape(): 'end' | undefined {
    const char = this.#text[this.#at];
    if (this.#quote === "'" && char !== '\\' && char !== "'") {
      this.#add('\\');
      return undefined;
    }
    this.#at++;
    if (char === undefined) throw misuse('invalid backslash at end of string in -S');
    const plain = ESCAPES[char];
    if (plain !== undefined) this.#add(plain);
    else if (char === '_') {
      if (this.#quote === '"') this.#add(' ');
      else this.#finish();
    } else if (char === 'c') {
      if (this.#quote === '"') throw misuse("'\\c' must not appear in double-quoted -S string");
      return 'end';
    } else throw misuse(`invalid sequence '\\${char}' in -S`);
    return undefined;
  }

  #variable(): void {
    const name = /^\{([A-Za-z_]\w*)\}/.exec(this.#text.slice(this.#at));
    if (name === null) {
      throw misuse(
        `only \${VARNAME} expansion is supported, error at: ${this.#text.slice(this.#at - 1)}`,
      );
    }
    this.#at += name[0].length;
    const value = this.#lookUp(name[1] ?? '');
    if (value !== undefined) this.#add(value);
  }

  #add(text: string): void {
    this.#word = (this.#word ?? '') + text;
  }

  #finish(): void {
    if (this.#word !== undefined) this.#words.push(this.#word);
    this.#word = undefined;
  }
}

/**
 * Splits a text into words: quotes, escapes, comments and `${NAME}`.
 *
 * @param lookUp the value of a variable; one without is left out
 */
export function splitString(text: string, lookUp: (name: string) => string | undefined): string[] {
  return new Splitter(text, lookUp).run();
}
