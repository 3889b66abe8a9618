/** Does a POSIX pattern match all of a text? On the engine of grep, which no pattern can hold up. */

import { UsageError } from './getopt.ts';
import { PatternError, TooExpensiveError } from './literal/ast.ts';
import { posixRegex, type Syntax } from './regex.ts';
import { TextMatcher } from './text-matcher.ts';

/** Elementary steps for one text: a path is short. */
const STEPS = 10_000_000;

/** @throws UsageError in the words of regcomp(3) */
export function wholeMatcher(
  pattern: string,
  syntax: Syntax,
  ignoreCase: boolean,
): (text: string) => boolean {
  // Its faults are said as the C library says them.
  posixRegex(pattern, syntax);
  const matcher = matcherOf(pattern, syntax, ignoreCase);
  return (text) => {
    try {
      // The longest of the leftmost matches: where any is the whole text, it is this one.
      const found = matcher.find(text, 0);
      return found !== null && found.start === 0 && found.end === text.length;
    } catch (error) {
      if (!(error instanceof TooExpensiveError)) throw error;
      throw new UsageError('pattern too expensive for this text', { hint: false });
    }
  };
}

function matcherOf(pattern: string, syntax: Syntax, ignoreCase: boolean): TextMatcher {
  const source = syntax === 'emacs' ? fromEmacs(pattern) : pattern;
  const rules = { extended: syntax !== 'basic', ignoreCase, rawWords: true, steps: STEPS };
  try {
    return new TextMatcher(source, rules);
  } catch (error) {
    if (!(error instanceof PatternError)) throw error;
    throw new UsageError(error.message, { hint: false });
  }
}

const PIECES = /\[\^?\]?(?:\[[:.=].*?[:.=]\]|[^\]])*\]|\\?[\s\S]/g;

/** Emacs's syntax as the extended one: groups and alternatives have a backslash there, and braces mean nothing. */
function fromEmacs(pattern: string): string {
  return pattern.replace(PIECES, (piece) => {
    if (/^\\[()|]$/.test(piece)) return piece.slice(1);
    return /^[(){}|]$/.test(piece) ? `\\${piece}` : piece;
  });
}
