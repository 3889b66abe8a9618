/** Bracket expressions of POSIX patterns: `[a-z]`, `[^[:space:]]`, `[]x]`. */
import { PatternError } from './ast.ts';
import {
  anyOf,
  type CharSet,
  foldAsciiSet,
  foldSet,
  not,
  posixClass,
  range,
  upper,
} from './charset.ts';

const UNMATCHED = 'Unmatched [, [^, [:, [., or [=';

export interface BracketOptions {
  ignoreCase: boolean;
  /** One byte a character: classes of ASCII alone. */
  unibyte: boolean;
}

interface Atom {
  set?: CharSet;
  cp: number;
  /** Did it come as `[.x.]`? Only then may it be `-` or `]` and still an end of a range. */
  next: number;
}

/** A code point at a position, or UNMATCHED where the pattern ends. */
function charAt(pattern: readonly number[], at: number): number {
  const cp = pattern[at];
  if (cp === undefined) throw new PatternError(UNMATCHED);
  return cp;
}

function special(pattern: readonly number[], at: number, options: BracketOptions): Atom {
  const kind = charAt(pattern, at + 1);
  let end = at + 2;
  while (!(charAt(pattern, end) === kind && charAt(pattern, end + 1) === 0x5d)) end++;
  const name = String.fromCodePoint(...pattern.slice(at + 2, end));
  if (kind === 0x3a) {
    // Without regard to case, capitals are as good as any letter.
    const cased = options.ignoreCase && (name === 'upper' || name === 'lower');
    const set = posixClass(cased ? 'alpha' : name, !options.unibyte);
    if (set === undefined) throw new PatternError('Invalid character class name');
    return { set, cp: -1, next: end + 2 };
  }
  // The C library's collation knows ASCII alone.
  if (name.length !== 1 || name > '\x7f') throw new PatternError('Invalid collation character');
  return { cp: charAt(pattern, at + 2), next: end + 2 };
}

function atom(pattern: readonly number[], at: number, options: BracketOptions): Atom {
  const cp = charAt(pattern, at);
  const follows = pattern[at + 1];
  if (cp === 0x5b && (follows === 0x3a || follows === 0x2e || follows === 0x3d)) {
    return special(pattern, at, options);
  }
  return { cp, next: at + 1 };
}

/** Is it `[:name:]`, a class written without the outer brackets? */
function forgotten(pattern: readonly number[], from: number, to: number): boolean {
  return to - from > 2 && pattern[from] === 0x3a && pattern[to - 1] === 0x3a;
}

/**
 * Parses what follows a `[` at `at - 1`, up to and with its `]`.
 * @throws PatternError in GNU's words
 */
export function parseBracket(
  pattern: readonly number[],
  at: number,
  options: BracketOptions,
): { set: CharSet; next: number } {
  const { ignoreCase, unibyte } = options;
  if (at === pattern.length || (at === pattern.length - 1 && pattern[at] === 0x5e)) {
    throw new PatternError('Invalid regular expression');
  }
  const negated = charAt(pattern, at) === 0x5e;
  const first = negated ? at + 1 : at;
  const sets: CharSet[] = [];
  const singles = new Set<number>();
  let pos = first;
  while (pos === first || charAt(pattern, pos) !== 0x5d) {
    // A hyphen that is neither first nor last can only make a range.
    if (pos > first && pattern[pos] === 0x2d && charAt(pattern, pos + 1) !== 0x5d) {
      throw new PatternError('Invalid range end');
    }
    const from = atom(pattern, pos, options);
    pos = from.next;
    const dash = charAt(pattern, pos) === 0x2d && charAt(pattern, pos + 1) !== 0x5d;
    if (!dash) {
      if (from.set) sets.push(from.set);
      else singles.add(from.cp);
      continue;
    }
    const to = atom(pattern, pos + 1, options);
    if (from.set || to.set) throw new PatternError('Invalid range end');
    // Without regard to case the C library reads the pattern in capitals.
    const ends = ignoreCase ? [upper(from.cp), upper(to.cp)] : [from.cp, to.cp];
    const [low = 0, high = 0] = ends;
    if (high < low) throw new PatternError('Invalid range end');
    sets.push(unibyte ? range(from.cp, to.cp) : range(low, high));
    pos = to.next;
  }
  if (!negated && forgotten(pattern, at, pos)) {
    throw new PatternError('character class syntax is [[:space:]], not [:space:]');
  }
  const named = anyOf([...sets, (cp: number) => singles.has(cp)]);
  const foldAll = unibyte ? foldAsciiSet : foldSet;
  const all = ignoreCase ? foldAll(named) : named;
  return { set: negated ? not(all) : all, next: pos + 1 };
}
