/**
 * awk's regular expressions. The source is first put into the form of POSIX's
 * extended ones (awk has escape sequences, also within brackets). What backtracking decides
 * as POSIX would (a chain of characters and their repeats, where the first match is
 * the longest) runs as a JavaScript RegExp, everything else on the engine of grep.
 */
import { PatternError, TooExpensiveError } from '../../src/search/literal/ast.ts';
import { Budget } from '../../src/search/literal/budget.ts';
import { posixWord } from '../../src/search/literal/charset.ts';
import { Matcher } from '../../src/search/literal/matcher.ts';
import { parsePosix } from '../../src/search/literal/posix.ts';
import { UTF8 as AS_UTF8 } from '../../src/search/literal/utf8.ts';
import { UsageError } from '../support/getopt.ts';
import { posixRegex } from '../support/regex.ts';
import { FatalError } from './errors.ts';
import { normalise } from './regex-source.ts';
import { UTF8 } from './text.ts';

/** Elementary steps for one text, some seconds' worth. */
const STEPS = 300_000_000;

interface Place {
  start: number;
  end: number;
}

/** The engine of grep works on bytes: this keeps one text in both forms. */
class ByEngine {
  readonly #matcher: Matcher;
  #text = '';
  #buffer = Buffer.alloc(0);
  #plain = true;

  constructor(source: string, ignoreCase: boolean) {
    const { tree } = parsePosix(source, {
      extended: true,
      ignoreCase,
      unibyte: false,
      firstGroup: 0,
      warn: () => undefined,
    });
    const pattern = {
      tree,
      longest: true,
      word: posixWord(),
      eol: -1,
      crossLines: true,
      encoding: AS_UTF8,
      rawWords: false,
    };
    this.#matcher = new Matcher(pattern, new Budget(STEPS));
  }

  find(text: string, from: number): Place | null {
    this.#take(text);
    const matcher = this.#matcher;
    const { length } = this.#buffer;
    if (!matcher.extent(this.#buffer, 0, length, this.#toByte(from))) return null;
    return { start: this.#toUnit(matcher.start), end: this.#toUnit(matcher.end) };
  }

  /** Groups of the match that {@link find} gave last. */
  groups(): Array<Place | null> {
    const slots = this.#matcher.groups(this.#buffer, 0, this.#buffer.length);
    const groups: Array<Place | null> = [];
    for (let i = 2; i + 1 < slots.length; i += 2) {
      const [start = -1, end = -1] = [slots[i], slots[i + 1]];
      groups.push(
        start < 0 || end < 0 ? null : { start: this.#toUnit(start), end: this.#toUnit(end) },
      );
    }
    return groups;
  }

  #take(text: string): void {
    if (text === this.#text) return;
    this.#text = text;
    this.#buffer = Buffer.from(UTF8.encode(text), 'latin1');
    this.#plain = this.#buffer.length === text.length;
    this.#matcher.begin(this.#buffer.length);
  }

  #toByte(unit: number): number {
    return this.#plain ? unit : UTF8.encode(this.#text.slice(0, unit)).length;
  }

  #toUnit(byte: number): number {
    return this.#plain ? byte : UTF8.decode(this.#buffer.toString('latin1', 0, byte)).length;
  }
}

export class Regex {
  readonly source: string;
  /** Tells whether there is a match; null where only the engine may. */
  readonly #test: RegExp | null;
  readonly #find: RegExp | null;
  readonly #groups: RegExp | null;
  #engine: ByEngine | null = null;
  readonly #normalised: string;
  readonly #ignoreCase: boolean;

  /** @throws FatalError where it is no regular expression */
  constructor(source: string, ignoreCase: boolean) {
    this.source = source;
    this.#ignoreCase = ignoreCase;
    try {
      const { text, alternatives, repeatedGroups } = normalise(source);
      this.#normalised = text;
      const flags = ignoreCase ? 'i' : '';
      this.#test = repeatedGroups ? null : posixRegex(text, 'extended', flags);
      const chain = !repeatedGroups && !alternatives;
      this.#find = chain ? posixRegex(text, 'extended', `${flags}g`) : null;
      this.#groups = chain ? posixRegex(text, 'extended', `${flags}gd`) : null;
      if (!chain) this.#engine = new ByEngine(text, ignoreCase);
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
    if (this.#find === null) return this.#guarded(() => this.#byEngine().find(text, from));
    this.#find.lastIndex = from;
    const found = this.#find.exec(text);
    return found === null ? null : { start: found.index, end: found.index + found[0].length };
  }

  /** The first match at or after a position, and its groups. */
  findGroups(text: string, from: number): { whole: Place; groups: Array<Place | null> } | null {
    if (this.#groups === null) {
      return this.#guarded(() => {
        const whole = this.#byEngine().find(text, from);
        return whole === null ? null : { whole, groups: this.#byEngine().groups() };
      });
    }
    this.#groups.lastIndex = from;
    const found = this.#groups.exec(text);
    if (found === null) return null;
    const places = (found.indices ?? []).map((pair) =>
      pair === undefined ? null : { start: pair[0], end: pair[1] },
    );
    const [whole, ...groups] = places;
    return whole === null || whole === undefined ? null : { whole, groups };
  }

  #byEngine(): ByEngine {
    this.#engine ??= new ByEngine(this.#normalised, this.#ignoreCase);
    return this.#engine;
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
