/**
 * The matcher that grep and rg share: literals first (a native byte search),
 * then the automaton on the lines they leave, then, for what no automaton can
 * decide, the backtracker.
 */
import { isRegular, type Node, relaxed } from './ast.ts';
import { Backtracker } from './backtrack.ts';
import type { Budget } from './budget.ts';
import { CharClasses, type TextRules } from './classes.ts';
import { Dfa } from './dfa.ts';
import { NeedleScan, type Needles, needlesOf, type NeedleScan as Scan } from './needles.ts';
import { compile } from './program.ts';

/** A parsed pattern and how it is to be run. */
export interface Pattern extends TextRules {
  tree: Node;
  /** POSIX: the longest of the leftmost matches. Otherwise the first by priority. */
  longest: boolean;
}

/** Candidates before the literals are judged. */
const ENOUGH = 64;
/** Literals that turn up more often than once in so many bytes are not worth it. */
const SPARSE = 400;

/** Finds lines, and the matches in them. */
export interface LineMatcher {
  /** The last match that {@link extent} found, as byte offsets. */
  readonly start: number;
  readonly end: number;
  /** Is the pattern nothing but literals, which a byte search decides? */
  readonly literal: boolean;
  /** Texts of which every line that matches has at least one; null where there are none such. */
  readonly required: readonly Buffer[] | null;
  /** A new text begins, of so many bytes. */
  begin(size: number): void;
  /**
   * A position in (or at the end of) the first line that matches, among the
   * lines that begin at or after `from`, itself the beginning of a line, up to
   * `to`. -1 if no line matches.
   * @throws TooExpensiveError where the text would take too long
   */
  find(buf: Uint8Array, from: number, to: number): number;
  /**
   * The next match at or after `from` in the text `buf[base, to)`; its place is
   * then in {@link start} and {@link end}.
   */
  extent(buf: Uint8Array, base: number, to: number, from: number): boolean;
}

export class Matcher implements LineMatcher {
  start = 0;
  end = 0;
  private readonly needles: Needles | null;
  private readonly scan: Scan | null;
  private readonly complete: boolean;
  private readonly only: Buffer | null;
  private readonly exact: boolean;
  private readonly tree: Node;
  private readonly regular: Node;
  private readonly pattern: Pattern;
  private readonly budget: Budget;
  /** How well the literals do: lines they pointed at, of them those that match, bytes seen. */
  private candidates = 0;
  private hits = 0;
  private scanned = 0;
  private finder: Dfa | null = null;
  private anchored: Dfa | null = null;
  private backtracker: Backtracker | null = null;

  /** @throws PatternError where the pattern is too big. */
  constructor(pattern: Pattern, budget: Budget) {
    this.pattern = pattern;
    this.budget = budget;
    this.tree = pattern.tree;
    this.exact = isRegular(pattern.tree);
    this.regular = relaxed(pattern.tree);
    const known = needlesOf(pattern.tree, pattern.encoding);
    // No line holds what ends it.
    const isIdle = !pattern.crossLines && known?.texts.some((text) => text.includes(pattern.eol));
    const needles = isIdle ? null : known;
    this.needles = needles;
    this.scan = needles && new NeedleScan(needles.texts);
    this.complete = needles?.complete ?? false;
    this.only = (this.complete && needles?.texts.length === 1 && needles.texts[0]) || null;
    if (!this.complete) this.existence();
    if (!this.exact) this.backtrack();
  }

  get required(): readonly Buffer[] | null {
    return this.needles?.texts ?? null;
  }

  get literal(): boolean {
    return this.complete;
  }

  begin(size = 0): void {
    this.scanned += size;
    this.scan?.reset();
    this.budget.refill();
  }

  find(buf: Uint8Array, from: number, to: number): number {
    if (this.scan === null) return this.findByAutomaton(buf, from, to);
    let at = this.scan.find(buf, from);
    if (at !== -1 && !this.complete && this.candidates > ENOUGH && this.poor()) {
      return this.findByAutomaton(buf, from, to);
    }
    let tried = 0;
    while (at !== -1 && at < to) {
      if (this.complete) return at;
      const begin = this.lineStart(buf, at, from);
      const end = this.lineEnd(buf, at, to);
      this.candidates++;
      // Within one big text, too, literals that are everywhere are given up.
      if (++tried > ENOUGH && tried * SPARSE > end - from) {
        return this.findByAutomaton(buf, begin, to);
      }
      if (this.holdsIn(buf, begin, end)) {
        this.hits++;
        return at;
      }
      at = end + 1 > to ? -1 : this.scan.find(buf, end + 1);
    }
    return -1;
  }

  /** Are the literals so common that looking for them costs more than it saves? */
  private poor(): boolean {
    return this.hits * 4 < this.candidates && this.candidates * SPARSE > this.scanned;
  }

  private findByAutomaton(buf: Uint8Array, from: number, to: number): number {
    let start = from;
    while (start <= to) {
      const at = this.existence().search(buf, 0, start, to);
      if (at === -1 || this.exact) return at;
      const begin = this.lineStart(buf, at, start);
      const end = this.lineEnd(buf, at, to);
      if (this.extent(buf, begin, end, begin)) return at;
      if (end >= to) return -1;
      start = end + 1;
    }
    return -1;
  }

  /** Does the text between two positions, a line, hold a match? */
  holdsIn(buf: Uint8Array, from: number, to: number): boolean {
    if (this.existence().search(buf, from, from, to) === -1) return false;
    return this.exact || this.extent(buf, from, to, from);
  }

  extent(buf: Uint8Array, base: number, to: number, from: number): boolean {
    if (this.only !== null) return this.extentOfLiteral(buf, to, from, this.only);
    const last = this.existence().search(buf, base, from, to);
    if (last === -1) return false;
    const stop = this.exact ? last : to;
    const { widthAt } = this.pattern.encoding;
    for (let at = from; at <= stop; at += widthAt(buf, at, to)) {
      const end = this.matchAt(buf, base, at, to);
      if (end >= 0) {
        const kept = this.exact ? -1 : this.backtrack().kept;
        this.start = kept >= 0 ? kept : at;
        this.end = Math.max(end, this.start);
        return true;
      }
      if (at === to) break;
    }
    return false;
  }

  /** Groups of the match found last: slots 2i and 2i+1 are its start and end, -1 for none. */
  groups(buf: Uint8Array, base: number, to: number): Int32Array {
    const backtracker = this.backtrack();
    // Of the longest match the groups are known only on the way that leads there.
    backtracker.match(buf, base, this.start, to, this.pattern.longest ? this.end : -1);
    return backtracker.groups;
  }

  /**
   * The end of the longest match that begins at a position and ends at `to` at
   * the latest, -1 for none. The line goes on there.
   */
  longestWithin(buf: Uint8Array, base: number, at: number, to: number): number {
    if (!this.exact) return this.backtrack().match(buf, base, at, to, -1, true);
    return this.extents().longest(buf, base, at, to, true);
  }

  private matchAt(buf: Uint8Array, base: number, at: number, to: number): number {
    if (!this.exact) {
      // Nearly all places are passed over without trying what the automaton cannot decide.
      if (!this.extents().begins(buf, base, at, to)) return -1;
      return this.backtrack().match(buf, base, at, to);
    }
    const longest = this.extents().longest(buf, base, at, to);
    if (longest < 0 || this.pattern.longest) return longest;
    return this.backtrack().match(buf, base, at, to);
  }

  private extentOfLiteral(buf: Uint8Array, to: number, from: number, literal: Buffer): boolean {
    const found = Buffer.prototype.indexOf.call(buf.subarray(from, to), literal);
    if (found === -1) return false;
    this.start = from + found;
    this.end = this.start + literal.length;
    return true;
  }

  private lineStart(buf: Uint8Array, at: number, from: number): number {
    if (at <= from) return from;
    const eol = buf.lastIndexOf(this.pattern.eol, at - 1);
    return Math.max(eol + 1, from);
  }

  private lineEnd(buf: Uint8Array, at: number, to: number): number {
    const eol = buf.indexOf(this.pattern.eol, at);
    return eol === -1 || eol > to ? to : eol;
  }

  private classes(tree: Node): CharClasses {
    return new CharClasses(compile(tree), this.pattern);
  }

  private existence(): Dfa {
    this.finder ??= new Dfa(this.classes(this.regular), false, this.budget);
    return this.finder;
  }

  private extents(): Dfa {
    this.anchored ??= new Dfa(this.classes(this.regular), true, this.budget);
    return this.anchored;
  }

  private backtrack(): Backtracker {
    this.backtracker ??= new Backtracker(
      this.classes(this.tree),
      this.pattern.longest,
      this.exact,
      this.budget,
    );
    return this.backtracker;
  }
}
