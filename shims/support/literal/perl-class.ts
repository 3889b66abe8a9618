/** Character classes and escapes of single characters, as PCRE and Rust write them. */
import { PatternError } from './ast.ts';
import {
  ANY,
  anyOf,
  byRegExp,
  type CharSet,
  foldAsciiSet,
  foldSet,
  not,
  posixClass,
  range,
} from './charset.ts';
import type { Cursor } from './cursor.ts';
import { type Complaint, type Dialect, property } from './perl-dialect.ts';

/** What an escape or a class item stands for. */
export type Item = { cp: number } | { set: CharSet };

/** A class by its name, a collating element, or an equivalence: also where it means nothing. */
export const POSIX_ITEM = /\[([:.=])((?:\\[\]\\]|(?!\[\1)[^\]])*?)\1\]/;

/** Properties that PCRE has beside those of Unicode. */
const OWN_PROPERTIES: Record<string, string> = {
  'l&': '[\\p{Lu}\\p{Ll}\\p{Lt}]',
  xan: '[\\p{L}\\p{N}]',
  xwd: '[\\p{L}\\p{N}_]',
  xsp: '\\s',
  xps: '\\s',
};

const CONTROLS: Record<string, number> = { a: 7, f: 12, n: 10, r: 13, t: 9 };

export function complain(dialect: Dialect, what: Complaint, at: number, more = ''): PatternError {
  return new PatternError(dialect.say[what] + more, at);
}

function codePoint(digits: string, radix: number, dialect: Dialect, at: number): Item {
  const cp = Number.parseInt(digits === '' ? '0' : digits, radix);
  if (!(cp <= 0x10ffff) || (cp >= 0xd800 && cp < 0xe000)) {
    throw complain(dialect, 'bigCodePoint', at);
  }
  return { cp };
}

function propertySet(cursor: Cursor, dialect: Dialect, negated: boolean): CharSet {
  const at = cursor.at;
  const found = cursor.match(/\{(\^?)([^{}]*)\}/) ?? cursor.match(/()([A-Za-z])/);
  if (!found && dialect.name === 'pcre') throw complain(dialect, 'badPropertyForm', at);
  const name = found?.[2] ?? '';
  const own = dialect.name === 'pcre' ? OWN_PROPERTIES[name.toLowerCase()] : undefined;
  const set = own === undefined ? property(name.trim().replaceAll(' ', '_')) : byRegExp(own);
  if (!found || !set) throw complain(dialect, 'badProperty', at);
  return (found[1] === '^') !== negated ? not(set) : set;
}

function hex(cursor: Cursor, dialect: Dialect, c: string): Item {
  const at = cursor.at;
  const braced = cursor.match(/\{([0-9A-Fa-f]+)\}/);
  if (braced) return codePoint(braced[1] ?? '', 16, dialect, at);
  if (dialect.name === 'pcre') {
    if (cursor.peek() === '{') throw noDigits(cursor, dialect, 'badHex', at);
    return codePoint(cursor.match(/([0-9A-Fa-f]{0,2})/)?.[1] ?? '', 16, dialect, at);
  }
  const width = c === 'x' ? 2 : c === 'u' ? 4 : 8;
  const fixed = cursor.match(new RegExp(`([0-9A-Fa-f]{${width}})`));
  if (!fixed) throw new PatternError('invalid hexadecimal digit', at);
  return codePoint(fixed[1] ?? '', 16, dialect, at);
}

/** What is wrong with the braces after `\\x` or `\\o`. */
function noDigits(cursor: Cursor, dialect: Dialect, bad: Complaint, at: number): PatternError {
  return complain(dialect, /^\}?$/.test(cursor.peek(1)) ? 'missingDigits' : bad, at);
}

/**
 * The escape whose letter has just been taken, where it stands for a character
 * or a set of them; null where it is something else (an assertion, a reference).
 */
export function escapedItem(c: string, cursor: Cursor, dialect: Dialect): Item | null {
  const at = cursor.at - 2;
  const pcre = dialect.name === 'pcre';
  if (c === '') throw complain(dialect, 'backslash', at);
  if (c === 'N' && pcre) {
    const named = cursor.match(/\{U\+([0-9A-Fa-f]+)\}/);
    if (named) return codePoint(named[1] ?? '', 16, dialect, at);
    if (/^\{(?!\d+(?:,\d*)?\})/.test(cursor.ahead(20))) throw complain(dialect, 'perlOnly', at);
  }
  if (Object.hasOwn(dialect.classes, c)) return { set: dialect.classes[c] ?? ANY };
  if (c === 'p' || c === 'P') return { set: propertySet(cursor, dialect, c === 'P') };
  if (c === 'x' || (!pcre && (c === 'u' || c === 'U'))) return hex(cursor, dialect, c);
  if (Object.hasOwn(CONTROLS, c)) return { cp: CONTROLS[c] ?? 0 };
  if (pcre) return pcreItem(c, cursor, dialect, at);
  if (c === 'v') return { cp: 11 };
  if (/[\w<>]/.test(c) || c > '\x7f') return null;
  return { cp: c.codePointAt(0) ?? 0 };
}

function pcreItem(c: string, cursor: Cursor, dialect: Dialect, at: number): Item | null {
  if (c === 'e') return { cp: 27 };
  if (c === '0') return codePoint(cursor.match(/([0-7]{0,2})/)?.[1] ?? '', 8, dialect, at);
  if (c === 'o') {
    const octal = cursor.match(/\{([0-7]+)\}/);
    if (octal) return codePoint(octal[1] ?? '', 8, dialect, at);
    if (cursor.peek() !== '{') throw complain(dialect, 'noBrace', at);
    throw noDigits(cursor, dialect, 'badOctal', at);
  }
  if (c === 'c') {
    const control = cursor.take();
    if (control === '') throw new PatternError('\\c at end of pattern', at);
    if (!/[ -~]/.test(control)) throw complain(dialect, 'badControl', at);
    return { cp: (control.toUpperCase().codePointAt(0) ?? 0) ^ 64 };
  }
  if (/[FLlUu]/.test(c)) throw complain(dialect, 'perlOnly', at);
  return /[A-Za-z0-9]/.test(c) ? null : { cp: c.codePointAt(0) ?? 0 };
}

/** What is in force where a class stands. */
export interface ClassFlags {
  ignoreCase: boolean;
  /** White space counts for nothing. */
  verbose: boolean;
  /** One byte a character, its letters ASCII. */
  unibyte: boolean;
}

/** Reads one class, after its `[`. */
export class ClassReader {
  private readonly cursor: Cursor;
  private readonly dialect: Dialect;
  private readonly flags: ClassFlags;
  private readonly exact: CharSet[] = [];

  constructor(cursor: Cursor, dialect: Dialect, flags: ClassFlags) {
    this.cursor = cursor;
    this.dialect = dialect;
    this.flags = flags;
  }

  /** @throws PatternError */
  read(): CharSet {
    const { cursor } = this;
    const begin = cursor.at - 1;
    const negated = cursor.eat('^');
    const sets: CharSet[] = [];
    let first = true;
    let all: CharSet | null = null;
    let combine: ((left: CharSet, right: CharSet) => CharSet) | null = null;
    const fold = (): CharSet => {
      const right = anyOf(sets.splice(0));
      return all !== null && combine !== null ? combine(all, right) : right;
    };
    for (;;) {
      if (cursor.done) throw complain(this.dialect, 'openClass', begin);
      if (this.dialect.name === 'pcre' && cursor.eat('\\E')) continue;
      if (!first && cursor.eat(']')) break;
      const operator = this.dialect.name === 'rust' && !first ? this.operator() : null;
      if (operator !== null) {
        all = fold();
        combine = operator;
        continue;
      }
      first = false;
      this.item(sets);
    }
    const { ignoreCase, unibyte } = this.flags;
    let set = fold();
    if (ignoreCase) set = unibyte ? foldAsciiSet(set) : foldSet(set);
    // PCRE asks for a property as it is, whatever the case.
    if (this.exact.length > 0) set = anyOf([set, ...this.exact]);
    return negated ? not(set) : set;
  }

  private operator(): ((left: CharSet, right: CharSet) => CharSet) | null {
    if (this.cursor.eat('&&')) return (left, right) => (cp) => left(cp) && right(cp);
    if (this.cursor.eat('--')) return (left, right) => (cp) => left(cp) && !right(cp);
    if (this.cursor.eat('~~')) return (left, right) => (cp) => left(cp) !== right(cp);
    return null;
  }

  private item(sets: CharSet[]): void {
    const { cursor, dialect } = this;
    if (this.flags.verbose && cursor.match(dialect.name === 'rust' ? /\s+/ : /[ \t]+/)) return;
    const at = cursor.at;
    const named = cursor.match(/\[:(\^?)([A-Za-z]+):\]/);
    if (named) {
      const name = named[2] ?? '';
      const set = name === 'word' ? dialect.classes['w'] : this.posix(name);
      if (!set) throw complain(dialect, 'badPosixClass', at);
      sets.push(named[1] === '^' ? not(set) : set);
      this.noRange(at);
      return;
    }
    const other = dialect.name === 'pcre' ? cursor.match(POSIX_ITEM) : null;
    if (other) throw complain(dialect, other[1] === ':' ? 'badPosixClass' : 'collating', at);
    if (dialect.name === 'rust' && cursor.eat('[')) {
      sets.push(new ClassReader(cursor, dialect, this.flags).read());
      return;
    }
    if (dialect.name === 'pcre' && cursor.eat('\\Q')) {
      const quoted = cursor.until('\\E') ?? '';
      const members = new Set(Array.from(quoted, (c) => c.codePointAt(0)));
      sets.push((cp) => members.has(cp));
      return;
    }
    const from = this.single();
    if ('set' in from) {
      const property = dialect.name === 'pcre' && /^\\[pP]/.test(cursor.since(at));
      (property ? this.exact : sets).push(from.set);
      this.noRange(at);
      return;
    }
    const rust = dialect.name === 'rust';
    if (!rust) cursor.match(/(?:\\E)+/);
    if (cursor.peek() !== '-' || cursor.peek(1) === ']' || (rust && cursor.peek(1) === '-')) {
      sets.push(range(from.cp, from.cp));
      return;
    }
    cursor.take();
    const classAhead = cursor.peek() === '[' && POSIX_ITEM.exec(cursor.ahead(40))?.index === 0;
    if (!rust && classAhead) throw complain(dialect, 'setInRange', at);
    const to = this.single();
    if (!rust && 'set' in to) throw complain(dialect, 'setInRange', at);
    if ('set' in to) {
      sets.push(range(from.cp, from.cp), range(45, 45), to.set);
      return;
    }
    if (to.cp < from.cp) throw complain(dialect, 'badRange', at);
    sets.push(range(from.cp, to.cp));
  }

  /** PCRE takes no range that begins with a set of characters. */
  private noRange(at: number): void {
    const { cursor, dialect } = this;
    if (dialect.name !== 'pcre' || cursor.peek() !== '-' || cursor.peek(1) === ']') return;
    if (cursor.peek(1) !== '') throw complain(dialect, 'setInRange', at);
  }

  private posix(name: string): CharSet | undefined {
    const set = posixClass(name, false);
    if (set || name !== 'ascii') return set;
    return (cp) => cp < 128;
  }

  private single(): Item {
    const { cursor, dialect } = this;
    const at = cursor.at;
    const c = cursor.take();
    if (c === '') throw complain(dialect, 'openClass', at);
    if (c !== '\\') return { cp: c.codePointAt(0) ?? 0 };
    const letter = cursor.take();
    if (letter === 'b' && dialect.name === 'pcre') return { cp: 8 };
    if (dialect.name === 'pcre' && /[1-7]/.test(letter)) {
      const rest = cursor.match(/[0-7]{0,2}/)?.[0] ?? '';
      return { cp: Number.parseInt(letter + rest, 8) };
    }
    if (dialect.name === 'pcre' && /[89]/.test(letter)) return { cp: letter.charCodeAt(0) };
    if (dialect.name === 'pcre' && /[BRX]/.test(letter)) throw complain(dialect, 'notInClass', at);
    const item = escapedItem(letter, cursor, dialect);
    if (letter === 'N' && item !== null && 'set' in item) throw complain(dialect, 'noNInClass', at);
    if (item === null) throw complain(dialect, 'badEscape', at);
    return item;
  }
}
