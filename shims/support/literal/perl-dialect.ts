/** What PCRE and Rust's regex crate differ in: their classes, words and messages. */
import { asciiWord, byRegExp, type CharSet, not, range } from './charset.ts';

export type DialectName = 'pcre' | 'rust';

export interface Dialect {
  name: DialectName;
  word: CharSet;
  /** Classes by the letter of their escape. */
  classes: Record<string, CharSet>;
  say: Record<Complaint, string>;
}

export type Complaint =
  | 'openGroup'
  | 'closeGroup'
  | 'openClass'
  | 'nothingToRepeat'
  | 'badRepeat'
  | 'sameName'
  | 'badProperty'
  | 'badFlag'
  | 'backslash'
  | 'noGroup'
  | 'badPosixClass'
  | 'badRange'
  | 'setInRange'
  | 'bigCodePoint'
  | 'badEscape'
  | 'perlOnly'
  | 'unicodeOnly'
  | 'badVerb'
  | 'lookBehind'
  | 'badCountedRepeat'
  | 'badName'
  | 'badPropertyForm'
  | 'missingDigits'
  | 'badHex'
  | 'badOctal'
  | 'noBrace'
  | 'badControl'
  | 'collating'
  | 'namedOutside'
  | 'notInClass'
  | 'noNInClass'
  | 'openComment';

const PCRE: Record<Complaint, string> = {
  openGroup: 'missing closing parenthesis',
  closeGroup: 'unmatched closing parenthesis',
  openClass: 'missing terminating ] for character class',
  nothingToRepeat: 'quantifier does not follow a repeatable item',
  badRepeat: 'numbers out of order in {} quantifier',
  sameName: 'two named subpatterns have the same name (PCRE2_DUPNAMES not set)',
  badProperty: 'unknown property after \\P or \\p',
  badFlag: 'unrecognized character after (? or (?-',
  backslash: '\\ at end of pattern',
  noGroup: 'reference to non-existent subpattern',
  badPosixClass: 'unknown POSIX class name',
  badRange: 'range out of order in character class',
  setInRange: 'invalid range in character class',
  bigCodePoint: 'character code point value in \\x{} or \\o{} is too large',
  badEscape: 'unrecognized character follows \\',
  perlOnly: 'PCRE2 does not support \\F, \\L, \\l, \\N{name}, \\U, or \\u',
  unicodeOnly: '\\N{U+dddd} is supported only in Unicode (UTF) mode',
  badVerb: '(*VERB) not recognized or malformed',
  lookBehind: 'lookbehind assertion is not fixed length',
  badCountedRepeat: 'number too big in {} quantifier',
  badName: 'syntax error in subpattern name (missing terminator?)',
  badPropertyForm: 'malformed \\P or \\p sequence',
  missingDigits: 'digits missing in \\x{} or \\o{} or \\N{U+}',
  badHex: 'non-hex character in \\x{} (closing brace missing?)',
  badOctal: 'non-octal character in \\o{} (closing brace missing?)',
  noBrace: 'missing opening brace after \\o',
  badControl: '\\c must be followed by a printable ASCII character',
  collating: 'POSIX collating elements are not supported',
  namedOutside: 'POSIX named classes are supported only within a class',
  notInClass: 'escape sequence is invalid in character class',
  noNInClass: '\\N is not supported in a class',
  openComment: 'missing ) after (?# comment',
};

/** What its parser has no like of is worded as PCRE's, and never said. */
const RUST: Record<Complaint, string> = {
  ...PCRE,
  openGroup: 'unclosed group',
  closeGroup: 'unopened group',
  openClass: 'unclosed character class',
  nothingToRepeat: 'repetition operator missing expression',
  badRepeat: 'invalid repetition count range, the start must be <= the end',
  sameName: 'duplicate capture group name',
  badProperty: 'Unicode property not found',
  badFlag: 'unrecognized flag',
  backslash: 'incomplete escape sequence, reached end of pattern prematurely',
  noGroup: 'backreferences are not supported',
  badPosixClass: 'unrecognized ASCII class name',
  badRange: 'invalid character class range, the start must be <= the end',
  setInRange: 'invalid character class range',
  bigCodePoint: 'hexadecimal literal is not a Unicode scalar value',
  badEscape: 'unrecognized escape sequence',
  perlOnly: 'unrecognized escape sequence',
  unicodeOnly: 'unrecognized escape sequence',
  badVerb: 'repetition operator missing expression',
  lookBehind: 'look-around, including look-ahead and look-behind, is not supported',
  badCountedRepeat: 'repetition quantifier expects a valid decimal',
  badName: 'invalid capture group name',
};

function classesOf(digit: CharSet, space: CharSet, word: CharSet): Record<string, CharSet> {
  return { d: digit, D: not(digit), s: space, S: not(space), w: word, W: not(word) };
}

function pcre(): Dialect {
  const space: CharSet = (cp) => cp === 32 || (cp >= 9 && cp <= 13);
  const horizontal = byRegExp('[\\t\\p{Zs}\\u180e]');
  const vertical: CharSet = (cp) =>
    (cp >= 10 && cp <= 13) || cp === 0x85 || cp === 0x2028 || cp === 0x2029;
  return {
    name: 'pcre',
    word: asciiWord,
    classes: {
      ...classesOf(range(48, 57), space, asciiWord),
      h: horizontal,
      H: not(horizontal),
      v: vertical,
      V: not(vertical),
      N: (cp) => cp !== 10,
    },
    say: PCRE,
  };
}

function rust(): Dialect {
  const wide = byRegExp('[\\p{Alphabetic}\\p{M}\\p{Nd}\\p{Pc}\\u200c\\u200d]');
  const word: CharSet = (cp) => (cp < 128 ? asciiWord(cp) : wide(cp));
  const digit = byRegExp('\\p{Nd}');
  return {
    name: 'rust',
    word,
    classes: classesOf(digit, byRegExp('\\p{White_Space}'), word),
    say: RUST,
  };
}

/** A dialect with sets of its own, so that equal sets of one pattern are one object. */
export function dialect(name: DialectName): Dialect {
  return name === 'pcre' ? pcre() : rust();
}

/** The set of a Unicode property by any of its usual names, undefined if there is none. */
export function property(name: string): CharSet | undefined {
  const [key, value] = name.split(/[=:]/, 2) as [string, string | undefined];
  const title = (s: string): string =>
    s.replace(/[A-Za-z]+/g, (w) => w.slice(0, 1).toUpperCase() + w.slice(1).toLowerCase());
  const bare = value ?? key;
  if (/^any$/i.test(bare)) return () => true;
  const spelled = [bare, title(bare), bare.toUpperCase()];
  const sources =
    value === undefined
      ? spelled.flatMap((s) => [s, `Script=${s}`])
      : spelled.flatMap((s) => [`${key}=${s}`, `${title(key)}=${s}`, `${key.toLowerCase()}=${s}`]);
  for (const source of sources) {
    if (!/^[\w=]+$/.test(source)) continue;
    try {
      return byRegExp(`\\p{${source}}`);
    } catch (error) {
      if (!(error instanceof SyntaxError)) throw error;
    }
  }
  return undefined;
}
