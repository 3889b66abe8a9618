/** Parses PCRE's and Rust's pattern syntax into a tree. */
import {
  alt,
  assertion,
  cat,
  EMPTY,
  type Node,
  PatternError,
  type RepeatMode,
  widths,
} from './ast.ts';
import { ANY, type CharSet, foldSet } from './charset.ts';
import { Cursor } from './cursor.ts';
import { Anchors, type MatchedText } from './perl-anchors.ts';
import { type ClassFlags, ClassReader, complain, escapedItem, POSIX_ITEM } from './perl-class.ts';
import { type Complaint, type Dialect, type DialectName, dialect } from './perl-dialect.ts';
import { literal } from './posix.ts';

export interface PerlOptions {
  dialect: DialectName;
  ignoreCase: boolean;
  /** Does `.` match a line's end? */
  dotAll: boolean;
  /** What it is matched with; a file unless said. */
  text?: MatchedText;
  /** One byte a character, its letters ASCII: the C locale. */
  unibyte?: boolean;
  /** Does a line end before the `\r` that stands before its end? */
  crlf?: boolean;
  /** May it begin with settings such as `(*UTF)`? Not where something is put before it. */
  verbs?: boolean;
}

/** A parsed pattern: `names` gives the number of each named group. */
export interface PerlPattern {
  tree: Node;
  groups: number;
  names: Map<string, number>;
  word: CharSet;
}

interface Flags {
  i: boolean;
  m: boolean;
  s: boolean;
  x: boolean;
  /** Do blanks count for nothing in classes, too? */
  xx: boolean;
  U: boolean;
}

const NOT_NEWLINE: CharSet = (cp) => cp !== 10;

const FLAGS: ReadonlySet<string> = new Set(['i', 'm', 's', 'x', 'U']);

class PerlParser {
  private readonly cursor: Cursor;
  private readonly dialect: Dialect;
  private flags: Flags;
  private readonly anchors: Anchors;
  private readonly unibyte: boolean;
  private readonly verbs: boolean;
  private groups = 0;
  private readonly names = new Map<string, number>();
  private readonly refs: { index: number; at: number }[] = [];
  private readonly namedRefs: { node: { index: number }; name: string; at: number }[] = [];

  constructor(pattern: string, options: PerlOptions) {
    this.cursor = new Cursor(pattern);
    this.dialect = dialect(options.dialect);
    const text = options.text ?? 'file';
    this.anchors = new Anchors(text, options.dialect === 'pcre', options.crlf ?? false);
    this.unibyte = options.unibyte ?? false;
    this.verbs = options.verbs ?? true;
    const m = text === 'file';
    this.flags = { i: options.ignoreCase, m, s: options.dotAll, x: false, xx: false, U: false };
  }

  parse(): PerlPattern {
    const tree = this.alternatives();
    if (!this.cursor.done) throw this.error('closeGroup');
    for (const ref of this.refs) {
      if (ref.index > this.groups) throw this.error('noGroup', ref.at);
    }
    for (const ref of this.namedRefs) {
      const index = this.names.get(ref.name);
      if (index === undefined) throw this.error('noGroup', ref.at);
      ref.node.index = index;
    }
    return { tree, groups: this.groups, names: this.names, word: this.dialect.word };
  }

  private get pcre(): boolean {
    return this.dialect.name === 'pcre';
  }

  private error(what: Complaint, at = this.cursor.at, more = ''): PatternError {
    return complain(this.dialect, what, at, more);
  }

  private refuse(what: string): PatternError {
    return new PatternError(`${what} is not supported here; write the pattern without it`);
  }

  private alternatives(): Node {
    const flags = this.flags;
    const items = [this.sequence()];
    while (this.cursor.eat('|')) items.push(this.sequence());
    this.flags = flags;
    return alt(items);
  }

  private sequence(): Node {
    const items: Node[] = [];
    for (;;) {
      this.skipIgnored();
      const c = this.cursor.peek();
      if (c === '' || c === '|' || c === ')') return cat(items);
      const { at } = this.cursor;
      const made = this.atom();
      const fixed =
        made === null ||
        made.kind === 'assert' ||
        made.kind === 'keep' ||
        /^[\^$]$|^\\Z$/.test(this.cursor.since(at));
      if (made !== null) items.push(fixed && this.pcre ? made : this.quantified(made));
      if (fixed && this.pcre) this.noQuantifier();
    }
  }

  /** PCRE repeats no assertion but look-around. */
  private noQuantifier(): void {
    this.skipIgnored();
    const { at } = this.cursor;
    if (this.counts() !== null) throw this.error('nothingToRepeat', at);
  }

  /** White space and comments under (?x), `(?#…)`, and `\E` that ends nothing. */
  private skipIgnored(): void {
    for (;;) {
      if (this.flags.x && this.cursor.match(/(?:\s+|#[^\n]*)+/)) continue;
      if (this.pcre && this.cursor.eat('\\E')) continue;
      if (this.pcre && this.cursor.eat('(?#')) {
        if (this.cursor.until(')') === null) throw this.error('openComment');
        continue;
      }
      return;
    }
  }

  private quantified(atom: Node): Node {
    let node = atom;
    for (;;) {
      this.skipIgnored();
      const at = this.cursor.at;
      const counts = this.counts();
      if (counts === null) return node;
      if (node !== atom && this.pcre) throw this.error('nothingToRepeat', at);
      const [min, max] = counts;
      if (max < min) throw this.error('badRepeat', at);
      let mode: RepeatMode = this.flags.U ? 'lazy' : 'greedy';
      if (this.cursor.eat('?')) mode = this.flags.U ? 'greedy' : 'lazy';
      else if (this.pcre && this.cursor.eat('+')) mode = 'possessive';
      node = { kind: 'repeat', item: node, min, max, mode };
    }
  }

  private counts(): [number, number] | null {
    if (this.cursor.eat('*')) return [0, Infinity];
    if (this.cursor.eat('+')) return [1, Infinity];
    if (this.cursor.eat('?')) return [0, 1];
    if (this.cursor.peek() !== '{') return null;
    const found = this.cursor.match(/\{(\d+)(,?)(\d*)\}/);
    if (!found) {
      if (this.pcre) return null;
      throw this.error('badCountedRepeat');
    }
    const min = Number(found[1]);
    const max = found[2] === '' ? min : found[3] === '' ? Infinity : Number(found[3]);
    if (min > 65535 || (max > 65535 && max !== Infinity)) throw this.error('badCountedRepeat');
    return [min, max];
  }

  private atom(): Node | null {
    const { cursor } = this;
    const at = cursor.at;
    if (this.pcre && cursor.eat('\\Q')) return this.quoted();
    const c = cursor.take();
    switch (c) {
      case '.':
        return { kind: 'set', has: this.flags.s ? ANY : NOT_NEWLINE };
      case '^':
        return this.anchors.caret(this.flags.m);
      case '$':
        return this.anchors.dollar(this.flags.m);
      case '[':
        if (this.pcre) {
          const edge = cursor.match(/\[:([<>]):\]\]/);
          if (edge) return assertion(edge[1] === '<' ? 'wordStart' : 'wordEnd');
          cursor.at = at;
          const item = cursor.match(POSIX_ITEM);
          if (item) throw this.error(item[1] === ':' ? 'namedOutside' : 'collating', at);
          cursor.at = at + 1;
        }
        return {
          kind: 'set',
          has: new ClassReader(cursor, this.dialect, this.classFlags()).read(),
        };
      case '(':
        return this.group(at);
      case '*':
      case '+':
      case '?':
        throw this.error('nothingToRepeat', at);
      case '\\':
        return this.escape(at);
      case '{':
        if (!this.pcre) throw this.error('nothingToRepeat', at);
        cursor.at = at;
        if (this.counts() !== null) throw this.error('nothingToRepeat', at);
        cursor.at = at + 1;
        return literal(123, false);
      default:
        return this.literal(c.codePointAt(0) ?? 0);
    }
  }

  private classFlags(): ClassFlags {
    return {
      ignoreCase: this.flags.i,
      verbose: this.pcre ? this.flags.xx : this.flags.x,
      unibyte: this.unibyte,
    };
  }

  private literal(cp: number): Node {
    return literal(cp, this.flags.i, this.unibyte);
  }

  private quoted(): Node {
    const { cursor } = this;
    const text = cursor.until('\\E') ?? '';
    const rest = text === '' && !cursor.done ? (cursor.match(/[\s\S]*/)?.[0] ?? '') : text;
    const nodes = Array.from(rest, (c) => this.literal(c.codePointAt(0) ?? 0));
    const last = nodes.pop();
    if (last === undefined) return EMPTY;
    return cat([...nodes, this.quantified(last)]);
  }

  private escape(at: number): Node | null {
    const { cursor } = this;
    const c = cursor.take();
    const zeroWidth = this.zeroWidth(c);
    if (zeroWidth !== null) return zeroWidth;
    if (this.pcre) {
      const reference = this.reference(c, at);
      if (reference !== null) return reference;
      if (c === 'R') return this.newline();
      if (c === 'X') return this.cluster();
    } else if (/[0-9]/.test(c)) throw this.error('noGroup', at);
    if (this.unibyte && c === 'N' && cursor.ahead(3) === '{U+') throw this.error('unicodeOnly', at);
    const item = escapedItem(c, cursor, this.dialect);
    if (item === null) throw this.error('badEscape', at);
    if ('cp' in item) {
      if (this.unibyte && item.cp > 255) throw this.error('bigCodePoint', at);
      return this.literal(item.cp);
    }
    const property = c === 'p' || c === 'P';
    const folds = property && this.flags.i && !this.pcre;
    return { kind: 'set', has: folds ? foldSet(item.set) : item.set };
  }

  private zeroWidth(c: string): Node | null {
    switch (c) {
      case 'b':
        return assertion('wordEdge');
      case 'B':
        return assertion('notWordEdge');
      case 'A':
        return this.anchors.start;
      case 'z':
        return this.anchors.end;
      case '<':
        return this.pcre ? null : assertion('wordStart');
      case '>':
        return this.pcre ? null : assertion('wordEnd');
    }
    if (!this.pcre) return null;
    if (c === 'Z') return this.anchors.nearEnd;
    if (c === 'K') return { kind: 'keep' };
    if (c === 'G' || c === 'C') throw this.refuse(`\\${c}`);
    return null;
  }

  private reference(c: string, at: number): Node | null {
    const { cursor } = this;
    const node = { kind: 'ref' as const, index: 0, fold: this.flags.i };
    let name: string | undefined;
    if (/[1-9]/.test(c)) {
      const digits = c + (cursor.match(/\d*/)?.[0] ?? '');
      node.index = Number(digits);
      if (node.index > 9 && node.index > this.groups && c < '8') return this.octal(at);
    } else if (c === 'g') {
      const found = cursor.match(/\{(-?\d+)\}/) ?? cursor.match(/(-?\d+)/);
      const named = found ? null : cursor.match(/\{(\w+)\}/);
      if (!found && !named) throw this.refuse('a subroutine call (\\g<…>)');
      name = named?.[1];
      const number = Number(found?.[1] ?? 0);
      node.index = number < 0 ? this.groups + 1 + number : number;
      if (found && node.index < 1) throw this.error('noGroup', at);
    } else if (c === 'k') {
      name = cursor.match(/(?:<(\w+)>|\{(\w+)\}|'(\w+)')/)?.find((g, i) => i > 0 && g !== '');
      if (name === undefined) throw this.error('badName', at);
    } else return null;
    if (name === undefined) this.refs.push({ index: node.index, at });
    else this.namedRefs.push({ node, name, at });
    return node;
  }

  /** `\\141`, where there are not so many groups to refer to. */
  private octal(at: number): Node {
    this.cursor.at = at + 1;
    const cp = Number.parseInt(this.cursor.match(/[0-7]{1,3}/)?.[0] ?? '0', 8);
    if (this.unibyte && cp > 255) throw this.error('bigCodePoint', at);
    return this.literal(cp);
  }

  private newline(): Node {
    const vertical = this.dialect.classes['v'] ?? ANY;
    const crlf = cat([literal(13, false), literal(10, false)]);
    return { kind: 'atomic', item: alt([crlf, { kind: 'set', has: vertical }]) };
  }

  /** A base character and what combines with it: near enough to a grapheme cluster. */
  private cluster(): Node {
    const mark = escapedItem('p', new Cursor('{M}'), this.dialect);
    const marks: Node = { kind: 'set', has: mark && 'set' in mark ? mark.set : ANY };
    const many: Node = { kind: 'repeat', item: marks, min: 0, max: Infinity, mode: 'possessive' };
    return cat([{ kind: 'set', has: ANY }, many]);
  }

  private group(at: number): Node | null {
    const { cursor } = this;
    if (this.pcre && cursor.peek() === '*') {
      const verbs = /\*(?:UTF8?|NO_JIT|NO_START_OPT)\)/;
      if (at === 0 && this.verbs && cursor.match(verbs)) {
        if (this.unibyte) throw this.refuse('(*UTF) in the C locale');
        return null;
      }
      throw cursor.match(/\*[A-Z]+[:)]/) ? this.refuse('a (*VERB)') : this.error('badVerb', at);
    }
    if (!cursor.eat('?')) return this.capture(at, undefined);
    const name = cursor.match(/P?<([A-Za-z_][\w.]*)>|'([A-Za-z_]\w*)'/);
    if (name) return this.capture(at, name[1] || name[2]);
    if (cursor.eat(':')) return this.close(at, this.alternatives());
    if (cursor.eat('|')) throw this.refuse('a branch-reset group (?|…)');
    const look = cursor.match(/(<?)([=!])/);
    if (look) return this.look(at, look[1] === '<', look[2] === '!');
    if (this.pcre) {
      if (cursor.eat('>')) return { kind: 'atomic', item: this.close(at, this.alternatives()) };
      const named = cursor.match(/P=(\w+)\)/);
      if (named) {
        const node = { kind: 'ref' as const, index: 0, fold: this.flags.i };
        this.namedRefs.push({ node, name: named[1] ?? '', at });
        return node;
      }
      if (cursor.match(/(?:R|[+-]?\d+|&\w+|P>\w+)\)/)) throw this.refuse('a recursive pattern');
      if (cursor.peek() === '(') throw this.refuse('a conditional group');
    }
    return this.flagGroup(at);
  }

  private capture(at: number, name: string | undefined): Node {
    const index = ++this.groups;
    if (name !== undefined) {
      if (this.names.has(name)) throw this.error('sameName', at);
      this.names.set(name, index);
    }
    return { kind: 'group', item: this.close(at, this.alternatives()), index };
  }

  private close(at: number, item: Node): Node {
    if (!this.cursor.eat(')')) throw this.error('openGroup', this.pcre ? this.cursor.at : at);
    return item;
  }

  private look(at: number, behind: boolean, negate: boolean): Node {
    if (!this.pcre) throw this.error('lookBehind', at);
    const item = this.close(at, this.alternatives());
    if (behind) {
      const branches = item.kind === 'alt' ? item.items : [item];
      for (const branch of branches) {
        const { min, max } = widths(branch);
        if (min !== max) throw this.error('lookBehind', at);
      }
    }
    return { kind: 'look', item, ahead: !behind, negate };
  }

  /** `(?i)` for the rest of the group, or `(?i:…)`. */
  private flagGroup(at: number): Node | null {
    const { cursor } = this;
    const outer = this.flags;
    const flags = { ...outer };
    let on = true;
    if (this.pcre && cursor.eat('^'))
      Object.assign(flags, { i: false, m: false, s: false, x: false, xx: false });
    for (;;) {
      const c = cursor.take();
      if (c === '-') on = false;
      else if (FLAGS.has(c)) {
        flags[c as keyof Flags] = on;
        if (c === 'x') flags.xx = this.pcre && cursor.eat('x') && on;
      } else if (c === 'u' && !this.pcre) continue;
      else if ((c === 'n' || c === 'J') && this.pcre) throw this.refuse(`the option (?${c})`);
      else if (c === ')') {
        this.flags = flags;
        return null;
      } else if (c === ':') {
        this.flags = flags;
        const item = this.close(at, this.alternatives());
        this.flags = outer;
        return item;
      } else throw c === '' ? this.error('openGroup', at) : this.error('badFlag');
    }
  }
}

/**
 * Parses one pattern. Line anchors hold at every line, as grep and rg want them.
 * @throws PatternError in the words of the tool whose dialect it is
 */
export function parsePerl(pattern: string, options: PerlOptions): PerlPattern {
  return new PerlParser(pattern, options).parse();
}
