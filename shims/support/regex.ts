/** POSIX regular expressions (basic, extended, Emacs's) as JavaScript ones. */
import { UsageError } from './getopt.ts';

/**
 * Which syntax a pattern is written in. `strict` is extended, too, and refuses what POSIX leaves
 * undefined: operators with nothing before them, brackets that close nothing, braces with no interval.
 */
export type Syntax = 'basic' | 'extended' | 'strict' | 'emacs';

const CLASSES: Readonly<Record<string, string>> = {
  alpha: '\\p{L}',
  digit: '0-9',
  alnum: '\\p{L}\\p{Nd}',
  upper: '\\p{Lu}',
  lower: '\\p{Ll}',
  space: '\\s',
  blank: ' \\t',
  punct: '!-\\/:-@\\[-`\\{-~',
  print: '\\x20-\\x7e\\u{a0}-\\u{10ffff}',
  graph: '\\x21-\\x7e\\u{a1}-\\u{10ffff}',
  cntrl: '\\x00-\\x1f\\x7f',
  xdigit: '0-9A-Fa-f',
};

const CONTROL: Readonly<Record<string, string>> = {
  n: '\\n',
  t: '\\t',
  f: '\\f',
  v: '\\v',
  r: '\\r',
  a: '\\x07',
};

/** A character of a word; JavaScript's own \w knows ASCII alone. */
const WORD = '[\\p{L}\\p{N}\\p{M}_]';

/** Escapes that JavaScript spells differently or the same but that take no repeat of their own. */
const ASSERTIONS: Readonly<Record<string, string>> = {
  b: `(?:(?<=${WORD})(?!${WORD})|(?<!${WORD})(?=${WORD}))`,
  B: `(?:(?<=${WORD})(?=${WORD})|(?<!${WORD})(?!${WORD}))`,
  '<': `(?<!${WORD})(?=${WORD})`,
  '>': `(?<=${WORD})(?!${WORD})`,
  '`': '(?<![^])',
  "'": '(?![^])',
};

/** Escapes text so that it matches itself. */
export function escapeRegex(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&');
}

function classChar(char: string): string {
  return /[\\\]^[-]/.test(char) ? `\\${char}` : char;
}

const NOTHING_BEFORE = 'Invalid preceding regular expression';

/** A group that is open, and what is to be known again when it closes. */
interface Open {
  /** Index in the output where it begins. */
  at: number;
  group: number;
  before: ReadonlySet<number>;
  after: ReadonlySet<number>;
}

class Translator {
  readonly #source: string;
  readonly #syntax: Syntax;
  #at = 0;
  #depth = 0;
  #groups = 0;
  #out: string[] = [];
  /** Index in the output where the last repeatable thing begins; -1 when there is none. */
  #atom = -1;
  #repeated = false;
  readonly #opens: Open[] = [];
  /** Groups that may be referred to: not those of another alternative, nor those that are open. */
  #closed: ReadonlySet<number> = new Set();
  /** Of the alternatives so far: what was closed before the first, and what they closed. */
  #before: ReadonlySet<number> = new Set();
  #after: ReadonlySet<number> = new Set();

  constructor(source: string, syntax: Syntax) {
    this.#source = source;
    this.#syntax = syntax;
  }

  run(): string {
    while (this.#at < this.#source.length) this.#step();
    if (this.#depth > 0) throw new UsageError('Unmatched ( or \\(', { hint: false });
    return this.#out.join('');
  }

  get #extended(): boolean {
    return this.#syntax === 'extended' || this.#syntax === 'strict';
  }

  #emitAtom(text: string): void {
    this.#atom = this.#out.length;
    this.#repeated = false;
    this.#out.push(text);
  }

  #emitAssertion(text: string): void {
    this.#atom = -1;
    this.#out.push(text);
  }

  #step(): void {
    const char = String.fromCodePoint(this.#source.codePointAt(this.#at) ?? 0);
    this.#at += char.length;
    const extended = this.#extended;
    if (char === '\\') this.#escape();
    else if (char === '[') this.#emitAtom(this.#bracket());
    else if (char === '.') this.#emitAtom('[^]');
    else if (char === '*') this.#repeat('*', char);
    else if ((char === '+' || char === '?') && this.#syntax !== 'basic') this.#repeat(char, char);
    else if (char === '^' && this.#startsHere()) this.#emitAssertion('^');
    else if (char === '$' && this.#endsHere()) this.#emitAssertion('$');
    else if (extended && char === '(') this.#open();
    else if (extended && char === ')' && (this.#depth > 0 || this.#syntax === 'strict'))
      this.#close();
    else if (extended && char === '|') this.#or();
    else if (extended && char === '{') this.#interval('}', char);
    else this.#emitAtom(escapeRegex(char));
  }

  #startsHere(): boolean {
    if (this.#extended) return true;
    const last = this.#out.at(-1);
    return last === undefined || last === '(' || last === '|';
  }

  #endsHere(): boolean {
    if (this.#extended) return true;
    const rest = this.#source.slice(this.#at);
    return rest === '' || rest.startsWith('\\)') || rest.startsWith('\\|');
  }

  #escape(): void {
    const char = this.#source[this.#at++];
    if (char === undefined) throw new UsageError('Trailing backslash', { hint: false });
    if (!this.#extended) {
      if (char === '(') return this.#open();
      if (char === ')') return this.#close();
      if (char === '|') return this.#or();
      if (char === '{') return this.#interval('\\}', char);
      if (this.#syntax === 'basic' && (char === '+' || char === '?'))
        return this.#repeat(char, char);
    }
    const assertion = ASSERTIONS[char];
    if (assertion !== undefined) return this.#emitAssertion(assertion);
    if (/[1-9]/.test(char)) {
      if (!this.#closed.has(Number(char))) {
        throw new UsageError('Invalid back reference', { hint: false });
      }
      return this.#emitAtom(`(?:\\${char})`);
    }
    if (char === 'w') return this.#emitAtom(WORD);
    if (char === 'W') return this.#emitAtom(WORD.replace('[', '[^'));
    if (/[sS]/.test(char)) return this.#emitAtom(`\\${char}`);
    this.#emitAtom(CONTROL[char] ?? escapeRegex(char));
  }

  #open(): void {
    this.#depth++;
    this.#groups++;
    const [before, after] = [this.#before, this.#after];
    this.#opens.push({ at: this.#out.length, group: this.#groups, before, after });
    this.#before = this.#closed;
    this.#after = new Set();
    this.#emitAssertion('(');
  }

  #or(): void {
    this.#after = new Set([...this.#after, ...this.#closed]);
    this.#closed = this.#before;
    this.#emitAssertion('|');
  }

  #close(): void {
    const open = this.#opens.pop();
    if (open === undefined) throw new UsageError('Unmatched ) or \\)', { hint: false });
    this.#depth--;
    this.#closed = new Set([...this.#after, ...this.#closed, open.group]);
    this.#before = open.before;
    this.#after = open.after;
    const inner = this.#out.splice(open.at).join('');
    this.#emitAtom(`${inner})`);
  }

  /** A repeat where nothing can be repeated is the character itself. */
  #repeat(quantifier: string, literal: string): void {
    if (this.#atom < 0) {
      if (this.#syntax === 'strict') throw new UsageError(NOTHING_BEFORE, { hint: false });
      this.#emitAtom(escapeRegex(literal));
      return;
    }
    const atom = this.#out.splice(this.#atom).join('');
    this.#out.push(this.#repeated ? `(?:${atom})${quantifier}` : atom + quantifier);
    this.#repeated = true;
  }

  #interval(end: string, literal: string): void {
    const stop = this.#source.indexOf(end, this.#at);
    const match = /^(\d*)(,?)(\d*)$/.exec(stop < 0 ? '-' : this.#source.slice(this.#at, stop));
    const [, low = '', comma = '', high = ''] = match ?? [];
    const why = stop < 0 ? 'Unmatched \\{' : 'Invalid content of \\{\\}';
    const isStrict = this.#syntax === 'basic' || this.#syntax === 'strict';
    if (isStrict && this.#atom < 0) throw new UsageError(NOTHING_BEFORE, { hint: false });
    if (high !== '' && Number(high) < Number(low)) throw new UsageError(why, { hint: false });
    if (match === null || match[0] === '' || this.#atom < 0) {
      if (isStrict) throw new UsageError(why, { hint: false });
      this.#emitAtom(escapeRegex(literal));
      return;
    }
    this.#at = stop + end.length;
    this.#repeat(`{${low || '0'}${comma}${high}}`, literal);
  }

  #bracket(): string {
    let out = '[';
    if (this.#source[this.#at] === '^') {
      out += '^';
      this.#at++;
    }
    const first = this.#at;
    if (first === this.#source.length) {
      throw new UsageError('Invalid regular expression', { hint: false });
    }
    for (;;) {
      const rest = this.#source.slice(this.#at);
      const char = String.fromCodePoint(rest.codePointAt(0) ?? 0);
      if (rest === '') throw new UsageError('Unmatched [, [^, [:, [., or [=', { hint: false });
      if (char === ']' && this.#at > first) break;
      const special = /^\[([:.=])([\s\S]+?)\1\]/.exec(rest);
      if (special !== null) {
        this.#at += special[0].length;
        out += this.#special(special[1] ?? '', special[2] ?? '');
        continue;
      }
      this.#at += char.length;
      const escaped = char === '\\' ? CONTROL[rest[1] ?? ''] : undefined;
      if (escaped !== undefined && this.#syntax !== 'emacs') {
        this.#at++;
        out += escaped;
      } else if (char === '-' && this.#at - 1 > first && this.#source[this.#at] !== ']') out += '-';
      else out += classChar(char);
    }
    this.#at++;
    return `${out}]`;
  }

  #special(kind: string, name: string): string {
    if (kind !== ':') return classChar(name);
    const found = CLASSES[name];
    if (found === undefined) throw new UsageError('Invalid character class name', { hint: false });
    return found;
  }
}

/** Translates a pattern. Fails with {@link UsageError} in the words of regcomp(3). */
export function posixRegex(source: string, syntax: Syntax, flags = ''): RegExp {
  const text = new Translator(source, syntax).run();
  try {
    return new RegExp(text, `u${flags}`);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    throw new UsageError(NOTHING_BEFORE, { hint: false });
  }
}
