/**
 * awk's regular expressions. The source is first put into the form of POSIX's
 * extended ones (awk has escape sequences, also within brackets). What backtracking decides
 * as POSIX would (a chain of characters and their repeats, where the first match is
 * the longest) runs as a JavaScript RegExp, everything else on the engine of grep.
 */

import { UsageError } from '../support/getopt.ts';
import { PatternError, TooExpensiveError } from '../support/literal/ast.ts';
import { posixRegex } from '../support/regex.ts';
import { type Place, TextMatcher } from '../support/text-matcher.ts';
import { FatalError } from './errors.ts';
import { normalise } from './regex-source.ts';

/** Elementary steps for one text, some seconds' worth. */
const STEPS = 300_000_000;

/** What backtracking decides as POSIX would, once without the places of groups, which cost. */
interface Chain {
  find: RegExp;
  groups: RegExp;
}

export class Regex {
  readonly source: string;
  /** Tells whether there is a match; null where only the engine may. */
  readonly #test: RegExp | null;
  readonly #finder: Chain | TextMatcher;

  /** @throws FatalError where it is no regular expression */
  constructor(source: string, ignoreCase: boolean) {
    this.source = source;
    try {
      const { text, alternatives, repeatedGroups } = normalise(source);
      const flags = ignoreCase ? 'i' : '';
      const regex = (more: string): RegExp => posixRegex(text, 'extended', flags + more);
      this.#test = repeatedGroups ? null : regex('');
      this.#finder =
        repeatedGroups || alternatives
          ? new TextMatcher(text, { extended: true, ignoreCase, rawWords: false, steps: STEPS })
          : { find: regex('g'), groups: regex('gd') };
    } catch (error) {
      if (!(error instanceof PatternError) && !(error instanceof UsageError)) throw error;
      throw new FatalError(`invalid regexp: ${error.message}: /${source}/`);
    }
  }

  test(text: string): boolean {
    return this.#test === null ? this.find(text, 0) !== null : this.#test.test(text);
  }

  /** The leftmost longest match at or after a position, in code units; null for none. */
  find(text: string, from: number): Place | null {
    const finder = this.#finder;
    if (finder instanceof TextMatcher) return this.#guarded(() => finder.find(text, from));
    finder.find.lastIndex = from;
    const found = finder.find.exec(text);
    return found === null ? null : { start: found.index, end: found.index + found[0].length };
  }

  /** The first match at or after a position, and its groups. */
  findGroups(text: string, from: number): { whole: Place; groups: Array<Place | null> } | null {
    const finder = this.#finder;
    if (finder instanceof TextMatcher) {
      return this.#guarded(() => {
        const whole = finder.find(text, from);
        return whole === null ? null : { whole, groups: finder.groups() };
      });
    }
    finder.groups.lastIndex = from;
    const found = finder.groups.exec(text);
    if (found === null) return null;
    const places = (found.indices ?? []).map((pair) =>
      pair === undefined ? null : { start: pair[0], end: pair[1] },
    );
    const [whole, ...groups] = places;
    return whole === null || whole === undefined ? null : { whole, groups };
  }

  #guarded<T>(run: () => T): T {
    try {
      return run();
    } catch (error) {
      if (!(error instanceof TooExpensiveError)) throw error;
      throw new FatalError(
        `regexp too expensive for this text: /${this.source}/; use fewer nested repetitions`,
      );
    }
  }
}

const MAX_KEPT = 500;

/** Patterns that were compiled already, for one run of a program. */
export class RegexCache {
  readonly #kept = new Map<string, Regex>();
  #ignoreCase = false;

  set ignoreCase(ignore: boolean) {
    if (ignore !== this.#ignoreCase) this.#kept.clear();
    this.#ignoreCase = ignore;
  }

  get ignoreCase(): boolean {
    return this.#ignoreCase;
  }

  get(source: string): Regex {
    let regex = this.#kept.get(source);
    if (regex === undefined) {
      if (this.#kept.size >= MAX_KEPT) this.#kept.clear();
      regex = new Regex(source, this.#ignoreCase);
      this.#kept.set(source, regex);
    }
    return regex;
  }
}
