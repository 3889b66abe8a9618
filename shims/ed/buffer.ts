/** ed's buffer: its lines, the current one, marks, and the addresses that lead to lines. */
import { PosixPattern } from '../support/posix-pattern.ts';

/** What ed answers with `?`; the text is what `h` explains. */
export class EdError extends Error {
  override readonly name = 'EdError';
}

export interface Range {
  /** From 1; how many were given is in `count`. */
  first: number;
  last: number;
  count: number;
}

export class EdBuffer {
  lines: string[] = [];
  /** The current line, from 1; 0 before the first. */
  dot = 0;
  readonly #extended: boolean;
  readonly #marks = new Map<string, string>();
  #pattern: PosixPattern | undefined;
  #kept: { lines: string[]; dot: number } | undefined;

  /** @param extended the patterns, as with `-E` */
  constructor(extended: boolean) {
    this.#extended = extended;
  }

  /** Keeps what is there for {@link undo}. */
  keep(): void {
    this.#kept = { lines: [...this.lines], dot: this.dot };
  }

  /** Goes back to what was kept; the next goes forth again. */
  undo(): void {
    if (this.#kept === undefined) throw new EdError('Nothing to undo');
    const { lines, dot } = this;
    Object.assign(this, this.#kept);
    this.#kept = { lines, dot };
  }

  /** Gives a line a name; the name is the line's, wherever that moves. */
  mark(name: string, line: number): void {
    this.#marks.set(name, this.lines[line - 1] ?? '');
  }

  insert(after: number, lines: readonly string[]): void {
    this.lines.splice(after, 0, ...lines);
    this.dot = after + lines.length;
  }

  /** Reads addresses off the front of a command. */
  addresses(given: string): [Range, string] {
    let text = given.trimStart();
    const found: number[] = [];
    const special = /^[,%;]/.exec(text)?.[0];
    if (special !== undefined) {
      text = text.slice(1);
      const next = this.#address(text);
      if (next === undefined)
        return [{ first: special === ';' ? this.dot : 1, last: this.lines.length, count: 2 }, text];
      return [{ first: special === ';' ? this.dot : 1, last: next[0], count: 2 }, next[1]];
    }
    for (;;) {
      const next = this.#address(text);
      if (next !== undefined) {
        found.push(next[0]);
        text = next[1];
      }
      const separator = /^\s*([,;])/.exec(text);
      if (separator === null) break;
      if (next === undefined) found.push(this.dot);
      if (separator[1] === ';') this.dot = found.at(-1) ?? this.dot;
      text = text.slice(separator[0].length);
      if (this.#address(text) === undefined) found.push(found.at(-1) ?? this.dot);
    }
    const [first = this.dot, last = first] = found.slice(-2);
    return [{ first, last, count: Math.min(2, found.length) }, text];
  }

  #address(given: string): [number, string] | undefined {
    let text = given.trimStart();
    let at: number | undefined;
    const plain = /^(?:(\d+)|(\.)|(\$)|'([a-z]))/.exec(text);
    if (plain !== null) {
      text = text.slice(plain[0].length);
      const mark = plain[4];
      if (plain[1] !== undefined) at = Number(plain[1]);
      else if (plain[2] !== undefined) at = this.dot;
      else if (plain[3] !== undefined) at = this.lines.length;
      else at = this.lines.indexOf(this.#marks.get(mark ?? '') ?? '\0') + 1;
      if (mark !== undefined && at === 0) throw new EdError('Invalid address');
    } else if (/^[/?]/.test(text)) {
      const delimiter = text[0] ?? '/';
      const match = new RegExp(
        `^\\${delimiter}((?:\\\\.|\\[[^\\]]*\\]|[^\\\\\\${delimiter}])*)(?:\\${delimiter}|$)`,
        's',
      ).exec(text);
      text = text.slice(match?.[0].length ?? 1);
      at = this.#search(match?.[1] ?? '', delimiter === '/');
    }
    for (;;) {
      const offset = /^\s*([+-])(\d*)/.exec(text);
      const bare = at === undefined ? null : /^\s+(\d+)/.exec(text);
      if (offset === null && bare === null) break;
      at =
        (at ?? this.dot) +
        (offset === null
          ? Number(bare?.[1])
          : (offset[1] === '-' ? -1 : 1) * Number(offset[2] || 1));
      text = text.slice((offset ?? bare)?.[0].length);
    }
    return at === undefined ? undefined : [at, text];
  }

  compile(source: string): PosixPattern {
    if (source === '') {
      if (this.#pattern === undefined) throw new EdError('No previous pattern');
      return this.#pattern;
    }
    this.#pattern = new PosixPattern(source, { extended: this.#extended });
    return this.#pattern;
  }

  #search(source: string, forward: boolean): number {
    const pattern = this.compile(source);
    const count = this.lines.length;
    for (let step = 1; step <= count; step++) {
      const at = forward
        ? (this.dot - 1 + step) % count
        : (((this.dot - 1 - step) % count) + count) % count;
      if (pattern.test(this.lines[at] ?? '')) return at + 1;
    }
    throw new EdError('No match');
  }

  check({ first, last }: Range, least: number): void {
    if (first > last || first < least || last > this.lines.length)
      throw new EdError('Invalid address');
  }
}
