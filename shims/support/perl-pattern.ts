/** A pattern as Perl or Rust reads it, on the engine of grep, which no pattern can hold up. */

import { UsageError } from './getopt.ts';
import { PatternError, TooExpensiveError } from './literal/ast.ts';
import type { DialectName } from './literal/perl-dialect.ts';
import { type Place, TextMatcher } from './text-matcher.ts';

/** Elementary steps for one text. */
const STEPS = 200_000_000;

export class PerlPattern {
  readonly #matcher: TextMatcher;

  /** @throws UsageError where the source is no pattern */
  constructor(source: string, ignoreCase = false, dialect: DialectName = 'pcre') {
    const rules = { extended: true, ignoreCase, rawWords: false, steps: STEPS, dialect };
    try {
      this.#matcher = new TextMatcher(source, rules);
    } catch (error) {
      if (!(error instanceof PatternError)) throw error;
      throw new UsageError(`invalid pattern: ${error.message}`, { hint: false });
    }
  }

  /** @throws UsageError where the pattern would take too long on this text, as all here do */
  test(text: string): boolean {
    return guarded(() => this.#matcher.has(text));
  }

  /** The first match at or after a position, in code units. */
  find(text: string, from = 0): Place | null {
    return guarded(() => this.#matcher.find(text, from));
  }

  /** The text with its first match, or all, replaced. */
  replace(
    text: string,
    all: boolean,
    by: (match: string, groups: readonly string[]) => string,
  ): string {
    let out = '';
    let at = 0;
    for (let found = this.find(text, 0); found !== null; found = this.find(text, at)) {
      const { start, end } = found;
      const groups = guarded(() => this.#matcher.groups());
      const texts = groups.map((group) =>
        group === null ? '' : text.slice(group.start, group.end),
      );
      out += text.slice(at, start) + by(text.slice(start, end), texts);
      at = end;
      if (start === end) {
        if (end >= text.length) break;
        out += text[at] ?? '';
        at++;
      }
      if (!all) break;
    }
    return out + text.slice(at);
  }
}

function guarded<T>(run: () => T): T {
  try {
    return run();
  } catch (error) {
    if (!(error instanceof TooExpensiveError)) throw error;
    throw new UsageError('pattern too expensive for this text', { hint: false });
  }
}
