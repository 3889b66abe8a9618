/** Parses POSIX basic and extended patterns, with GNU's additions, into a tree. */
import { type Assertion, alt, assertion, cat, EMPTY, type Node, PatternError } from './ast.ts';
import { parseBracket } from './bracket.ts';
import {
  ANY,
  asciiWord,
  type CharSet,
  fold,
  hasCase,
  not,
  posixClass,
  posixWord,
} from './charset.ts';

export interface PosixOptions {
  extended: boolean;
  ignoreCase: boolean;
  /** One byte a character, its letters ASCII: the C locale. */
  unibyte: boolean;
  /**
   * Are operators after anchors read as the C library reads them? Unless said,
   * where GNU grep's automaton leaves the whole decision to the library.
   */
  byRegex?: boolean;
  /** Groups that patterns before this one have used. */
  firstGroup: number;
  /** Told about what is legal and yet surely a mistake. */
  warn: (message: string) => void;
}

const MAX_REPEAT = 32767;

type Token =
  | { type: 'char'; cp: number }
  | { type: 'set'; has: CharSet }
  | { type: 'assert'; at: Assertion }
  | { type: 'repeat'; min: number; max: number; text: string; first: boolean }
  | { type: 'ref'; index: number }
  | { type: 'open' | 'close' | 'or' | 'end' };

const ESCAPED_ASSERTIONS: Record<string, Assertion> = {
  '<': 'wordStart',
  '>': 'wordEnd',
  b: 'wordEdge',
  B: 'notWordEdge',
  '`': 'lineStart',
  "'": 'lineEnd',
};

/** A character, or all that equal it but for case. */
export function literal(cp: number, ignoreCase: boolean, unibyte = false): Node {
  if (!ignoreCase || !hasCase(cp) || (unibyte && cp >= 128)) return { kind: 'char', cp };
  const folded = fold(cp);
  return { kind: 'set', has: (other) => other === cp || fold(other) === folded };
}

/** The sets of `\w` and `\s` are shared by all their uses, so that they count once. */
interface Shorthands {
  w: CharSet;
  W: CharSet;
  s: CharSet;
  S: CharSet;
}

function shorthands(unibyte: boolean): Shorthands {
  const w = unibyte ? asciiWord : posixWord();
  const s = posixClass('space', !unibyte) ?? ANY;
  return { w, W: not(w), s, S: not(s) };
}

export interface ParsedPosix {
  tree: Node;
  groups: number;
  /** Would the C library read it differently than GNU grep's automaton? */
  contested: boolean;
  /** Is it by a brace with nothing before it? Then neither reading holds all that the other does. */
  braced: boolean;
  /** Is it read as the C library reads it? */
  byRegex: boolean;
}

/** A repetition; one of a repetition without an end is one repetition, or it would explode. */
function repeated(item: Node, min: number, max: number): Node {
  const endless = max === Infinity && min <= 1;
  if (endless && item.kind === 'repeat' && item.max === Infinity && item.min <= 1) {
    return { ...item, min: item.min * min };
  }
  return { kind: 'repeat', item, min, max, mode: 'greedy' };
}

/** Does GNU grep's automaton leave it to the C library which lines match? */
function leftToRegex(pattern: string, unibyte: boolean): boolean {
  return (unibyte ? /\\[1-9]|\[[.=]/ : /\\[bB<>1-9]/).test(pattern);
}

class PosixParser {
  private at = 0;
  private groups: number;
  private closed: ReadonlySet<number> = new Set();
  private readonly text: number[];
  private readonly short: Shorthands;
  private token: Token = { type: 'end' };
  /** Would an operator here have nothing to its left? */
  private atStart = true;
  private depth = 0;
  /** Where the token ahead begins. */
  private began = 0;
  /**
   * Patterns with word edges or back-references are what GNU grep hands from its
   * automaton to the C library, which reads operators after anchors differently.
   */
  private readonly byRegex: boolean;
  /** Did it matter who reads it? */
  private contested = false;
  private braced = false;

  private readonly options: PosixOptions;

  constructor(pattern: string, options: PosixOptions) {
    this.options = options;
    this.short = shorthands(options.unibyte);
    this.text = Array.from(pattern, (c) => c.codePointAt(0) ?? 0);
    this.groups = options.firstGroup;
    this.byRegex = options.byRegex ?? leftToRegex(pattern, options.unibyte);
  }

  parse(): ParsedPosix {
    this.next();
    const tree = this.alternatives();
    if (this.token.type === 'close') throw new PatternError('Unmatched ) or \\)');
    const { groups, contested, braced, byRegex } = this;
    return { tree, groups, contested, braced, byRegex };
  }

  private alternatives(): Node {
    // What one alternative captures is not there for the others to refer to.
    const before = this.closed;
    const items = [this.sequence()];
    let after = this.closed;
    while (this.token.type === 'or') {
      this.next();
      this.closed = before;
      items.push(this.sequence());
      after = new Set([...after, ...this.closed]);
    }
    this.closed = after;
    return alt(items);
  }

  private sequence(): Node {
    const items: Node[] = [];
    for (;;) {
      const token = this.token;
      if (token.type === 'end' || token.type === 'or' || token.type === 'close') return cat(items);
      if (token.type === 'repeat') {
        // Only extended patterns come here: an operator with nothing to its left.
        this.dropOperator(token);
        continue;
      }
      const anchor = token.type === 'assert';
      let node = this.atom(token);
      if (anchor && this.is('repeat')) this.contested = true;
      if (anchor && this.byRegex && this.is('repeat')) {
        items.push(node);
        if (!this.options.extended) this.operatorAsText();
        continue;
      }
      for (let repeat = this.token; repeat.type === 'repeat'; repeat = this.token) {
        this.warnOf(repeat);
        node = repeated(node, repeat.min, repeat.max);
        this.next();
      }
      items.push(node);
    }
  }

  /** An operator with nothing before it counts for nothing; of an interval, GNU drops the brace alone. */
  private dropOperator(token: Token & { type: 'repeat' }): void {
    this.warnOf(token);
    this.contested = true;
    if (this.byRegex && token.text === '{...}') this.at = this.began + 1;
    this.next();
    // To the C library a bracket that closes right here is a character like any other.
    if (this.byRegex && this.token.type === 'close') this.token = { type: 'char', cp: 41 };
    while (!this.byRegex && this.token.type === 'repeat') {
      this.warnOf(this.token);
      this.next();
    }
  }

  private warnOf({ first, text }: Token & { type: 'repeat' }): void {
    if (first) this.options.warn(`${text} at start of expression`);
  }

  /** In a basic pattern an operator after a word's edge stands for itself. */
  private operatorAsText(): void {
    const escaped = this.text[this.began] === 92;
    this.at = this.began + (escaped ? 2 : 1);
    this.token = { type: 'char', cp: this.text[this.at - 1] ?? 0 };
    this.atStart = false;
  }

  private is(type: Token['type']): boolean {
    return this.token.type === type;
  }

  private atom(token: Token): Node {
    switch (token.type) {
      case 'char':
        this.next();
        return literal(token.cp, this.options.ignoreCase, this.options.unibyte);
      case 'set':
        this.next();
        return { kind: 'set', has: token.has };
      case 'assert':
        this.next();
        return assertion(token.at);
      case 'ref': {
        if (!this.closed.has(token.index)) throw new PatternError('Invalid back reference');
        this.next();
        return { kind: 'ref', index: token.index, fold: this.options.ignoreCase };
      }
      case 'open': {
        const index = ++this.groups;
        this.depth++;
        this.next();
        const item = this.alternatives();
        if (!this.is('close')) throw new PatternError('Unmatched ( or \\(');
        this.depth--;
        this.closed = new Set(this.closed).add(index);
        this.next();
        return { kind: 'group', item, index };
      }
      default:
        return EMPTY;
    }
  }

  private next(): void {
    this.began = this.at;
    this.token = this.read();
    const { token } = this;
    const { type } = token;
    const passes = type === 'assert' || (type === 'repeat' && token.text !== '{...}');
    this.atStart = type === 'open' || type === 'or' || (passes && this.atStart);
  }

  private read(): Token {
    const cp = this.text[this.at];
    if (cp === undefined) return { type: 'end' };
    this.at++;
    const c = String.fromCodePoint(cp);
    if (c === '\\') return this.escape();
    if (c === '.') return { type: 'set', has: ANY };
    if (c === '[') {
      const { set, next } = parseBracket(this.text, this.at, this.options);
      this.at = next;
      return { type: 'set', has: set };
    }
    if (c === '*') return this.star(c);
    if (c === '^') return this.caret(cp);
    if (c === '$') return this.dollar(cp);
    return this.options.extended ? this.operator(c, cp, false) : { type: 'char', cp };
  }

  private star(c: string): Token {
    const plain = !this.options.extended && this.atStart;
    return plain ? { type: 'char', cp: 42 } : this.repeat(0, Infinity, c);
  }

  private repeat(min: number, max: number, text: string): Token {
    return { type: 'repeat', min, max, text, first: this.atStart };
  }

  private caret(cp: number): Token {
    const anchor = this.options.extended || this.anchorsHere();
    return anchor ? { type: 'assert', at: 'lineStart' } : { type: 'char', cp };
  }

  /** In a basic pattern `^` is an anchor at the start, and after `\(` and `\|`. */
  private anchorsHere(): boolean {
    const before = this.text.slice(this.at - 3, this.at - 1);
    if (this.at === 1) return true;
    return before.length === 2 && before[0] === 92 && (before[1] === 40 || before[1] === 124);
  }

  /** In a basic pattern `$` is an anchor at the end, and before `\)` and `\|`. */
  private dollar(cp: number): Token {
    const [one, two] = [this.text[this.at], this.text[this.at + 1]];
    const last = one === undefined || (one === 92 && (two === 41 || two === 124));
    return this.options.extended || last ? { type: 'assert', at: 'lineEnd' } : { type: 'char', cp };
  }

  private escape(): Token {
    const cp = this.text[this.at];
    if (cp === undefined) throw new PatternError('Trailing backslash');
    this.at++;
    const c = String.fromCodePoint(cp);
    if (c >= '1' && c <= '9') {
      const index = this.options.firstGroup + Number(c);
      return { type: 'ref', index };
    }
    if (c === 'w' || c === 'W' || c === 's' || c === 'S')
      return { type: 'set', has: this.short[c] };
    const at = ESCAPED_ASSERTIONS[c];
    if (at !== undefined) return { type: 'assert', at };
    return this.options.extended ? { type: 'char', cp } : this.operator(c, cp, true);
  }

  /** Operators that an extended pattern writes bare and a basic one with a backslash. */
  private operator(c: string, cp: number, escaped: boolean): Token {
    switch (c) {
      case '(':
        return { type: 'open' };
      case ')':
        // An extended pattern may hold a `)` that closes nothing.
        return this.depth === 0 && !escaped ? { type: 'char', cp } : { type: 'close' };
      case '|':
        return { type: 'or' };
      case '+':
      case '?':
        if (escaped && this.atStart) return { type: 'char', cp };
        return this.repeat(c === '+' ? 1 : 0, c === '+' ? Infinity : 1, c);
      case '{':
        return this.interval(cp, escaped);
      default:
        return { type: 'char', cp };
    }
  }

  private interval(cp: number, escaped: boolean): Token {
    if (escaped && this.atStart) return { type: 'char', cp };
    const rest = String.fromCodePoint(...this.text.slice(this.at, this.at + 32));
    const found = /^(\d*)(,?)(\d*)(\\?\})?/.exec(rest) ?? [];
    const [whole = '', low = '', comma = '', high = '', close] = found;
    const closes = close === (escaped ? '\\}' : '}');
    const min = low === '' ? 0 : Number(low);
    const max = comma === '' ? min : high === '' ? Infinity : Number(high);
    const isNone = !closes || (low === '' && comma === '');
    if (!escaped && this.atStart && (isNone || max < min)) return this.braceAtStart(cp);
    if (isNone) {
      if (!escaped && !/^(?:\}|\d*,\d*,)/.test(rest)) return { type: 'char', cp };
      const ahead = String.fromCodePoint(...this.text.slice(this.at));
      const open = escaped && !ahead.includes('\\}') && !/,.*,/s.test(ahead);
      throw new PatternError(open ? 'Unmatched \\{' : 'Invalid content of \\{\\}');
    }
    if (max < min) throw new PatternError('Invalid content of \\{\\}');
    if (min > MAX_REPEAT || (max > MAX_REPEAT && max !== Infinity)) {
      throw new PatternError('Regular expression too big');
    }
    this.at += whole.length;
    return this.repeat(min, max, '{...}');
  }

  /** A brace with nothing before it that is no interval: text, and to the C library an operator to drop. */
  private braceAtStart(cp: number): Token {
    this.contested = true;
    this.braced = true;
    if (!this.byRegex) return { type: 'char', cp };
    return { type: 'repeat', min: 0, max: Infinity, text: '{', first: false };
  }
}

/**
 * Parses one pattern (no newline in it).
 * @throws PatternError in GNU grep's words
 */
export function parsePosix(pattern: string, options: PosixOptions): ParsedPosix {
  return new PosixParser(pattern, options).parse();
}

/** A string that stands for itself. */
export function parseFixed(pattern: string, ignoreCase: boolean, unibyte = false): Node {
  return cat(Array.from(pattern, (c) => literal(c.codePointAt(0) ?? 0, ignoreCase, unibyte)));
}
