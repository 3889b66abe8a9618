import { describe, expect, it } from 'vitest';
import { Budget } from '../support/literal/budget.ts';
import type { LineMatcher } from '../support/literal/matcher.ts';
import type { Syntax } from './options.ts';
import { grepMatcher } from './pattern.ts';

function matcher(pattern: string, syntax: Syntax, ignoreCase = false): LineMatcher {
  const options = { syntax, ignoreCase, word: false, line: false, eol: 10, unibyte: false };
  return grepMatcher([pattern], options, new Budget(1e8), () => undefined);
}

/** What `-o` would print first, null for no match. */
function first(pattern: string, text: string, syntax: Syntax, ignoreCase = false): string | null {
  const buf = Buffer.from(text);
  const found = matcher(pattern, syntax, ignoreCase);
  found.begin(buf.length);
  if (found.find(buf, 0, buf.length) === -1) return null;
  found.extent(buf, 0, buf.length, 0);
  return buf.toString('utf8', found.start, found.end);
}

const BASIC: [pattern: string, text: string, match: string | null][] = [
  ['a\\|b', 'xb', 'b'],
  ['a\\+', 'baa', 'aa'],
  ['a+', 'a+', 'a+'],
  ['colou\\?r', 'color', 'color'],
  ['a\\{2,3\\}', 'aaaa', 'aaa'],
  ['*a', 'x*a', '*a'],
  ['\\(*a\\)', 'x*a', '*a'],
  ['a^b', 'a^b', 'a^b'],
  ['a$b', 'a$b', 'a$b'],
  ['\\(^a\\)', 'ba', null],
  ['x\\|^a', 'ba', null],
  ['\\(ab*\\)c\\1', 'zabbcabb', 'abbcabb'],
  ['[]x]', 'a]', ']'],
  ['[^]x]', ']a', 'a'],
  ['[a-]', '-', '-'],
  ['[[:digit:]]\\+', 'a12', '12'],
  ['[[=a=]b]', 'b', 'b'],
  ['[[.-.]]', '-', '-'],
  ['[\\n]', 'n', 'n'],
  ['\\<foo\\>', 'afoo foo', 'foo'],
  ['\\bfoo\\B', 'foo foob', 'foo'],
  ['\\w\\+', '!ab_1!', 'ab_1'],
  ['\\W', 'ab c', ' '],
  ['\\S\\s', 'a b', 'a '],
  ['a.c', 'aéc', 'aéc'],
  ['[α-ω]\\+', 'xαβγ', 'αβγ'],
];

const EXTENDED: [pattern: string, text: string, match: string | null][] = [
  ['a|ab', 'xab', 'ab'],
  ['(a|ab)(c|bcd)', 'abcd', 'abcd'],
  ['a{,2}', 'aaa', 'aa'],
  ['a{x', 'a{x', 'a{x'],
  ['()', 'a', ''],
  ['a||b', 'b', 'b'],
  ['(^|,)b', 'a,b', ',b'],
  ['x*', '', ''],
  ['a)', 'a)', 'a)'],
  ['(a*)*b', 'aaab', 'aaab'],
  ['(.)\\1', 'abccd', 'cc'],
];

const PERL: [pattern: string, text: string, match: string | null][] = [
  ['a|ab', 'xab', 'a'],
  ['a+?', 'aaa', 'a'],
  ['foo\\Kbar', 'foobar', 'bar'],
  ['(?i)FoO', 'xfoo', 'foo'],
  ['a++a', 'aaa', null],
  ['(?>a+)b', 'aab', 'aab'],
  ['(?<=a)b', 'bab', 'b'],
  ['(?<!a)b', 'abcb', 'b'],
  ['b(?!c)', 'bcb', 'b'],
  ['\\Qa.b\\E+', 'xa.bb', 'a.bb'],
  ['\\h+', 'a \tb', ' \t'],
  ['(?<n>.)\\k<n>', 'abb', 'bb'],
  ['\\x{e9}\\p{Lu}', 'éÀ', 'éÀ'],
  ['(?x) a b # c', 'ab', 'ab'],
  ['^\\d{2}$', '12', '12'],
];

describe('patterns match what they match in GNU grep, and the same piece', () => {
  it.each(BASIC)('basic %s in %j gives %j', (pattern, text, match) => {
    expect(first(pattern, text, 'basic')).toBe(match);
  });
  it.each(EXTENDED)('extended %s in %j gives %j', (pattern, text, match) => {
    expect(first(pattern, text, 'extended')).toBe(match);
  });
  it.each(PERL)('Perl %s in %j gives %j', (pattern, text, match) => {
    expect(first(pattern, text, 'perl')).toBe(match);
  });
  it.each([
    ['straße', 'STRAßE', 'STRAßE'],
    ['É', 'né', 'é'],
    ['[α-ω]', 'Β', 'Β'],
    ['[^a]', 'Ab', 'b'],
  ])('-i folds case beyond ASCII: %s in %s', (pattern, text, match) => {
    expect(first(pattern, text, 'basic', true)).toBe(match);
  });
});

describe('a pattern that cannot be used is refused in GNU grep’s words', () => {
  it.each<[Syntax, string, string]>([
    ['basic', '\\(a', 'Unmatched ( or \\('],
    ['basic', 'a\\)', 'Unmatched ) or \\)'],
    ['basic', '[a', 'Unmatched [, [^, [:, [., or [='],
    ['basic', '[[:foo:]]', 'Invalid character class name'],
    ['basic', '[:space:]', 'character class syntax is [[:space:]], not [:space:]'],
    ['basic', 'a\\', 'Trailing backslash'],
    ['basic', 'a\\{1', 'Unmatched \\{'],
    ['basic', 'a\\{2,1\\}', 'Invalid content of \\{\\}'],
    ['basic', '[z-a]', 'Invalid range end'],
    ['basic', '\\(a\\)\\2', 'Invalid back reference'],
    ['extended', 'a{99999}', 'Regular expression too big'],
    ['extended', '(((a{999}){999}){999}){999}', 'Regular expression too big'],
    ['perl', '(a', 'missing closing parenthesis'],
    ['perl', '*a', 'quantifier does not follow a repeatable item'],
    ['perl', '(?<=a*)b', 'lookbehind assertion is not fixed length'],
  ])('%s %s: %s', (syntax, pattern, message) => {
    expect(() => matcher(pattern, syntax)).toThrowError(
      expect.objectContaining({ name: 'PatternError', message }),
    );
  });

  it.each(['(?R)', '(?1)(a)', '(?|a|b)', '(?(1)a)', '(*SKIP)a'])(
    'what is not translated is said, never guessed: %s',
    (pattern) => {
      expect(() => matcher(pattern, 'perl')).toThrowError(/is not supported here/);
    },
  );
});

describe('invalid bytes', () => {
  it('match neither . nor a negated set', () => {
    const buf = Buffer.from([0x61, 0xff, 0x62]);
    expect(matcher('a.b', 'basic').find(buf, 0, 3)).toBe(-1);
    expect(matcher('a[^x]b', 'basic').find(buf, 0, 3)).toBe(-1);
    expect(matcher('a', 'basic').find(buf, 0, 3)).toBe(0);
  });
});

describe('-w with several patterns: of words that begin together the longer one is the match', () => {
  const longest = (patterns: readonly string[], text: string): string | null => {
    const options = { ignoreCase: false, word: true, line: false, eol: 10, unibyte: false };
    const buf = Buffer.from(text);
    const found = grepMatcher(
      [...patterns],
      { ...options, syntax: 'basic' },
      new Budget(1e8),
      () => undefined,
    );
    found.begin(buf.length);
    if (found.find(buf, 0, buf.length) === -1) return null;
    return found.extent(buf, 0, buf.length, 0)
      ? buf.toString('utf8', found.start, found.end)
      : null;
  };
  const CASES: [patterns: string[], text: string, match: string | null][] = [
    [['foo', 'foo bar'], 'x foo bar', 'foo bar'],
    [['foo', 'foo bar', 'foo b'], 'foo bar', 'foo bar'],
    [['foo bar', 'bar'], 'foo bar', 'foo bar'],
    [['foo', 'bar'], 'x bar foo', 'bar'],
    [['foo ba', 'foo'], 'foo bar', 'foo'],
    [['fo', 'oo'], 'foo', null],
    // A pattern that refers back is one that GNU runs by itself.
    [['\\(f\\)oo\\1*', '\\(f\\)oo bar\\1*'], 'x foo bar', 'foo bar'],
    [['\\(f\\)oo\\1*', '\\(b\\)ar\\1*'], 'x bar foo', 'bar'],
    [['\\(f\\)oo\\1*', 'foo ba', 'foo bar baz'], 'foo bar baz', 'foo bar baz'],
  ];
  it.each(CASES)('%j in %j', (patterns, text, match) => {
    expect(longest(patterns, text)).toBe(match);
    expect(longest([...patterns].reverse(), text)).toBe(match);
  });
});
