/**
 * The engine of grep over text in memory: POSIX's patterns, with the longest of the
 * leftmost matches, and those of Perl and Rust, with the first.
 */

import { bytesFromText, textFromBytes } from '../../src/shell/bytes.ts';
import { Budget } from './literal/budget.ts';
import { posixWord } from './literal/charset.ts';
import { Matcher } from './literal/matcher.ts';
import { parsePerl } from './literal/perl.ts';
import type { DialectName } from './literal/perl-dialect.ts';
import { parsePosix } from './literal/posix.ts';
import { UTF8 } from './literal/utf8.ts';

/** A stretch of a text, in code units. */
export interface Place {
  start: number;
  end: number;
}

export interface TextMatcherRules {
  extended: boolean;
  ignoreCase: boolean;
  /** May a byte that is no UTF-8 be a letter to word edges, as it may for the C library? */
  rawWords: boolean;
  /** Elementary steps that one text may cost. */
  steps: number;
  /** A pattern that is none of POSIX's. */
  dialect?: DialectName;
}

/** The engine works on bytes: this keeps one text in both forms. */
export class TextMatcher {
  readonly #matcher: Matcher;
  #text = '';
  #buffer = Buffer.alloc(0);
  #plain = true;
  /** Where the last match begins, in code units. */
  #start = 0;

  /** @throws PatternError where the source is no pattern, or too big a one */
  constructor(
    source: string,
    { extended, ignoreCase, rawWords, steps, dialect }: TextMatcherRules,
  ) {
    const rules = { eol: -1, crossLines: true, encoding: UTF8, rawWords };
    const budget = new Budget(steps);
    if (dialect !== undefined) {
      const { tree, word } = parsePerl(source, { dialect, ignoreCase, dotAll: false });
      this.#matcher = new Matcher({ ...rules, tree, longest: false, word }, budget);
      return;
    }
    const { tree } = parsePosix(source, {
      extended,
      ignoreCase,
      unibyte: false,
      firstGroup: 0,
      warn: () => undefined,
    });
    this.#matcher = new Matcher({ ...rules, tree, longest: true, word: posixWord() }, budget);
  }

  /** @throws TooExpensiveError as do all that look at a text */
  has(text: string): boolean {
    this.#take(text);
    return this.#matcher.extent(this.#buffer, 0, this.#buffer.length, 0);
  }

  /** The first match at or after a position. */
  find(text: string, from: number): Place | null {
    this.#take(text);
    const matcher = this.#matcher;
    const { length } = this.#buffer;
    if (!matcher.extent(this.#buffer, 0, length, this.#toByte(from))) return null;
    this.#start = this.#units(0, matcher.start);
    return { start: this.#start, end: this.#toUnit(matcher.end) };
  }

  /** Groups of the match that {@link find} gave last; null for one that took no part. */
  groups(): Array<Place | null> {
    const slots = this.#matcher.groups(this.#buffer, 0, this.#buffer.length);
    const groups: Array<Place | null> = [];
    for (let i = 2; i + 1 < slots.length; i += 2) {
      const [start = -1, end = -1] = [slots[i], slots[i + 1]];
      const took = start >= 0 && end >= start;
      groups.push(took ? { start: this.#toUnit(start), end: this.#toUnit(end) } : null);
    }
    return groups;
  }

  #take(text: string): void {
    if (text === this.#text) return;
    this.#text = text;
    this.#buffer = Buffer.from(bytesFromText(text), 'latin1');
    this.#plain = this.#buffer.length === text.length;
    this.#matcher.begin(this.#buffer.length);
  }

  #toByte(unit: number): number {
    return this.#plain ? unit : bytesFromText(this.#text.slice(0, unit)).length;
  }

  /** A position in the last match, whose beginning is known already. */
  #toUnit(byte: number): number {
    return this.#start + this.#units(this.#matcher.start, byte);
  }

  #units(from: number, to: number): number {
    return this.#plain
      ? to - from
      : textFromBytes(this.#buffer.toString('latin1', from, to)).length;
  }
}
