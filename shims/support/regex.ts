/** POSIX regular expressions (basic, extended, Emacs's) as JavaScript ones. */
import { UsageError } from './getopt.ts';

/** Which syntax a pattern is written in. */
export type Syntax = 'basic' | 'extended' | 'emacs';

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
  readonly #opens: number[] = [];

  constructor(source: string, syntax: Syntax) {
    this.#source = source;
    this.#syntax = syntax;
  }

  run(): string {
    while (this.#at < this.#source.length) this.#step();
    if (this.#depth > 0) throw new UsageError('Unmatched ( or \\(', { hint: false });
    return this.#out.join('');
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
    const extended = this.#syntax === 'extended';
    if (char === '\\') this.#escape();
    else if (char === '[') this.#emitAtom(this.#bracket());
    else if (char === '.') this.#emitAtom('[^]');
    else if (char === '*') this.#repeat('*', char);
    else if ((char === '+' || char === '?') && this.#syntax !== 'basic') this.#repeat(char, char);
    else if (char === '^' && this.#startsHere()) this.#emitAssertion('^');
    else if (char === '$' && this.#endsHere()) this.#emitAssertion('$');
    else if (extended && char === '(') this.#open();
    else if (extended && char === ')' && this.#depth > 0) this.#close();
    else if (extended && char === '|') this.#emitAssertion('|');
    else if (extended && char === '{') this.#interval('}', char);
    else this.#emitAtom(escapeRegex(char));
  }

  #startsHere(): boolean {
    if (this.#syntax === 'extended') return true;
    const last = this.#out.at(-1);
    return last === undefined || last === '(' || last === '|';
  }

  #endsHere(): boolean {
    if (this.#syntax === 'extended') return true;
    const rest = this.#source.slice(this.#at);
    return rest === '' || rest.startsWith('\\)') || rest.startsWith('\\|');
  }

  #escape(): void {
    const char = this.#source[this.#at++];
    if (char === undefined) throw new UsageError('Trailing backslash', { hint: false });
    if (this.#syntax !== 'extended') {
      if (char === '(') return this.#open();
      if (char === ')') return this.#close();
      if (char === '|') return this.#emitAssertion('|');
      if (char === '{') return this.#interval('\\}', char);
      if (this.#syntax === 'basic' && (char === '+' || char === '?'))
        return this.#repeat(char, char);
    }
    const assertion = ASSERTIONS[char];
    if (assertion !== undefined) return this.#emitAssertion(assertion);
    if (/[1-9]/.test(char)) {
      if (Number(char) > this.#groups) {
        throw new UsageError('Invalid back reference', { hint: false });
      }
      return this.#emitAtom(`(?:\\${char})`);
    }
    if (char === 'w') return this.#emitAtom(WORD);
    if (char === 'W') return this.#emitAtom(WORD.replace('[', '[^'));
    if (/[sS]/.test(char)) return this.#emitAtom(`\\${char}`);
    const number = /^(?:x([0-9a-fA-F]{1,2})|d(\d{3})|o([0-7]{3}))/.exec(
      this.#source.slice(this.#at - 1),
    );
    if (number !== null) {
      this.#at += number[0].length - 1;
      const code = number[1]
        ? parseInt(number[1], 16)
        : parseInt(number[2] ?? number[3] ?? '', number[2] ? 10 : 8);
      return this.#emitAtom(escapeRegex(String.fromCharCode(code)));
    }
    this.#emitAtom(CONTROL[char] ?? escapeRegex(char));
  }

  #open(): void {
    this.#depth++;
    this.#groups++;
    this.#opens.push(this.#out.length);
    this.#emitAssertion('(');
  }

  #close(): void {
    const open = this.#opens.pop();
    if (open === undefined) throw new UsageError('Unmatched ) or \\)', { hint: false });
    this.#depth--;
    const inner = this.#out.splice(open).join('');
    this.#emitAtom(`${inner})`);
  }

  /** A repeat where nothing can be repeated is the character itself. */
  #repeat(quantifier: string, literal: string): void {
    if (this.#atom < 0) {
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
    if (match === null || match[0] === '' || this.#atom < 0) {
      if (this.#syntax === 'basic')
        throw new UsageError('Invalid content of \\{\\}', { hint: false });
      this.#emitAtom(escapeRegex(literal));
      return;
    }
    this.#at = stop + end.length;
    this.#repeat(`{${match[1] || '0'}${match[2]}${match[3]}}`, literal);
  }

  #bracket(): string {
    let out = '[';
    if (this.#source[this.#at] === '^') {
      out += '^';
      this.#at++;
    }
    const first = this.#at;
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
    throw new UsageError('Invalid preceding regular expression', { hint: false });
  }
}
