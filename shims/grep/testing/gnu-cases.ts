/** Generated command lines for GNU grep: every option, in each of its spellings. */
import fc from 'fast-check';
import type { Case } from './native.ts';
import { basic, extended, fixed, oddBasic, oddExtended, oddPerl, perl } from './patterns.ts';

type Words = readonly string[];

function each(...words: Words[]): fc.Arbitrary<Words> {
  return fc.constantFrom(...words);
}

/** A pattern given with -e in its spellings, or bare, which needs to be told apart from options. */
function given(pattern: fc.Arbitrary<string>): fc.Arbitrary<Words> {
  return fc
    .tuple(pattern, fc.constantFrom('-e', '-e', '-eX', '--regexp', '--regexp='))
    .map(([text, way]) => {
      if (way === '-eX') return text === '' ? ['-e', text] : [`-e${text}`];
      if (way === '--regexp=') return [`--regexp=${text}`];
      return [way, text];
    });
}

function inSyntax(names: Words, pattern: fc.Arbitrary<string>): fc.Arbitrary<Words> {
  return fc
    .tuple(fc.constantFrom(...names), given(pattern))
    .map(([name, words]) => [...(name === '' ? [] : [name]), ...words]);
}

const GREP: Words = ['', '', '-G', '--basic-regexp'];
const EGREP: Words = ['-E', '-E', '--extended-regexp'];
const FGREP: Words = ['-F', '-F', '--fixed-strings'];
const PGREP: Words = ['-P', '-P', '--perl-regexp'];

const pattern: fc.Arbitrary<Words> = fc.oneof(
  { weight: 6, arbitrary: inSyntax(GREP, basic) },
  { weight: 6, arbitrary: inSyntax(EGREP, extended) },
  { weight: 3, arbitrary: inSyntax(FGREP, fixed) },
  { weight: 3, arbitrary: inSyntax(PGREP, perl) },
  { weight: 2, arbitrary: inSyntax(GREP, oddBasic) },
  { weight: 2, arbitrary: inSyntax(EGREP, oddExtended) },
  { weight: 2, arbitrary: inSyntax(PGREP, oddPerl) },
  { weight: 2, arbitrary: fc.tuple(given(basic), given(basic)).map(([x, y]) => [...x, ...y]) },
  {
    weight: 1,
    arbitrary: fc.tuple(given(extended), given(extended)).map(([x, y]) => ['-E', ...x, ...y]),
  },
  {
    weight: 1,
    arbitrary: each(
      ['-f', 'patterns'],
      ['-fpatterns'],
      ['--file=patterns'],
      ['-f', 'nopatterns'],
      ['-f', 'emptyline'],
      ['-F', '-f', 'patterns', '-e', 'x1'],
      ['-f', 'missing'],
      ['-f', '-'],
      ['-P', '-f', 'patterns'],
      ['-E', '-f', 'patterns', '-f', 'emptyline'],
    ),
  },
  {
    weight: 1,
    arbitrary: each(
      ['-E', '-F', '-e', 'a'],
      ['-P', '-G', '-e', 'a'],
      ['-E', '-E', '-e', 'a|b'],
      ['-P', '-e', 'a', '-e', 'b'],
      ['-y', '-e', 'FOO'],
      ['--colour=always', '-e', 'o'],
    ),
  },
);

/** Options without a value, one spelling each for a bundle. */
const LETTERS = 'ivwxclLonHhqsaIzZTbUyu'.split('').concat('n', 'n', 'o', 'o', 'c', 'i', 'H', 'w');

const bundle: fc.Arbitrary<Words> = fc
  .tuple(
    fc.uniqueArray(fc.constantFrom(...LETTERS), { minLength: 1, maxLength: 4 }),
    fc.constantFrom('', '', '', 'm1', 'm2', 'A1', 'B1', 'C1', 'C2', '1', '2', 'm0', 'A0'),
  )
  .map(([letters, tail]) => [`-${letters.join('')}${tail}`]);

const LONG: Words[] = [
  ...[['--ignore-case'], ['--no-ignore-case'], ['--invert-match'], ['--word-regexp']],
  ...[['--line-regexp'], ['--count'], ['--files-with-matches'], ['--files-without-match']],
  ...[['--only-matching'], ['--line-number'], ['--with-filename'], ['--no-filename'], ['--quiet']],
  ...[['--silent'], ['--no-messages'], ['--text'], ['--null-data'], ['--null'], ['--initial-tab']],
  ...[['--byte-offset'], ['--binary'], ['--line-buffered'], ['--only-match'], ['--inv'], ['--cou']],
  ...[['--max-count=1'], ['--max-count', '2'], ['-m', '1'], ['-m', '0'], ['--max-count=-1']],
  ...[
    ['-A', '1'],
    ['-B', '2'],
    ['-C', '1'],
    ['-A1', '-B0'],
    ['--after-context=1'],
    ['-3'],
    ['-10'],
  ],
  ...[['--before-context', '1'], ['--context=2'], ['--context', '1'], ['-1'], ['-2', '-A0']],
  ...[
    ['--no-group-separator', '-A1'],
    ['--group-separator=##', '-C1'],
    ['--group-separator', ''],
  ],
  ...[['--binary-files=text'], ['--binary-files=without-match'], ['--binary-files', 'binary']],
  ...[['--label=IN', '-H'], ['--color=always'], ['--color=always'], ['--color=never'], ['--colo']],
  ...[
    ['--color=always', '-n'],
    ['--color=always', '-C1'],
    ['--color=always', '-v'],
  ],
  ...[
    ['--color=always', '-o', '-b'],
    ['--color=always', '-c'],
    ['--color=always', '-l'],
  ],
  ...[
    ['--color=always', '-nH', '-A1'],
    ['--color=always', '-Z', '-l'],
    ['--color=always', '-T'],
  ],
  ...[['-D', 'skip'], ['--devices=read'], ['-d', 'read'], ['--directories=skip'], ['-b', '-o']],
  ...[['-z', '-o'], ['-zx'], ['-zc'], ['-zv'], ['-Zl'], ['-ZL'], ['-Zc', '-H'], ['-Z', '-n', '-H']],
];

/** Command lines that are refused. */
const WRONG: Words[] = [
  ...[
    ['-A', 'x'],
    ['-C', '-1'],
    ['-m', 'x'],
    ['--context=z'],
    ['--nosuch'],
    ['-k'],
    ['--no'],
    ['-nk'],
  ],
  ...[['--binary-files=foo'], ['-d', 'foo'], ['--directories=r'], ['-D', 'x'], ['--color=foo']],
  ...[
    ['--count=3'],
    ['--regexp'],
    ['-m'],
    ['-A'],
    ['--max-count='],
    ['--max'],
    ['--in'],
    ['--nosuch=3'],
  ],
  ...[
    ['-A', '99999999999999999999'],
    ['-m', '99999999999999999999'],
    ['-m', '1k'],
    ['-A', '1k'],
    ['-m', ''],
  ],
];

const flags: fc.Arbitrary<Words> = fc.oneof(
  { weight: 6, arbitrary: bundle },
  { weight: 6, arbitrary: fc.constantFrom(...LONG) },
  { weight: 3, arbitrary: fc.constant([]) },
);

const NAMES: Words = [
  ...['one.txt', 'two.txt', 'empty.txt', 'nl.txt', 'code.c', 'crlf.txt', 'missing', 'sub', '-'],
  ...['sub/deep.txt', './two.txt', 'sub//deep.txt', 'link.txt', 'dangling', 'linkdir', 'bin.dat'],
  ...['sp ace.txt', 'inv.txt', 'two.txt/', 'zero.dat', 'long.txt', 'late.dat', '/dev/null'],
];

const places: fc.Arbitrary<Words> = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.constantFrom(...NAMES.slice(0, 6), 'one.txt', 'two.txt').map((n) => [n]),
  },
  { weight: 4, arbitrary: fc.subarray([...NAMES], { minLength: 1, maxLength: 4 }) },
  {
    weight: 3,
    arbitrary: each(['bin.dat'], ['inv.txt'], ['zero.dat'], ['late.dat'], ['bin.dat', 'inv.txt']),
  },
  { weight: 2, arbitrary: each([], ['-'], ['long.txt'], ['--', '-dash'], ['./-dash', 'one.txt']) },
  {
    weight: 6,
    arbitrary: fc
      .tuple(
        each(
          ['-r'],
          ['-r'],
          ['-R'],
          ['--recursive'],
          ['--dereference-recursive'],
          ['-d', 'recurse'],
        ),
        fc.oneof(
          each(
            [],
            [],
            ['--include=*.c'],
            ['--include', '*.txt'],
            ['--exclude=*.txt'],
            ['--exclude=d*'],
          ),
          each(
            ['--exclude-dir=more'],
            ['--exclude-dir=sub'],
            ['--exclude-dir=sub/'],
            ['--exclude-dir=./sub'],
            ['--exclude-dir=sub/more'],
            ['--exclude-dir=*'],
            ['--exclude-dir=.'],
            ['--exclude-dir', 'm[a-z]re'],
            ['--exclude=sub/deep.txt'],
            ['--include=sub/*.txt'],
            ['--include=*.txt', '--exclude=d*'],
            ['--exclude=d*', '--include=*.txt'],
            ['--exclude-from=excludes'],
            ['--exclude-from', 'missing'],
            ['--include=?ne.*'],
            ['--include=[!o]*.txt'],
            ['--include=*.{c,md}'],
            ['--exclude=.*'],
            ['--exclude-dir=other', '--exclude-dir=more'],
            ['--include=\\*.txt'],
          ),
        ),
        each(
          [],
          ['.'],
          ['sub'],
          ['sub/'],
          ['./sub'],
          ['sub', 'two.txt'],
          ['other', 'missing'],
          ['linkdir'],
          ['linkdir/'],
          ['sub//'],
          ['.', '-'],
          ['link.txt', 'sub'],
        ),
      )
      .map((parts) => parts.flat()),
  },
  {
    weight: 2,
    arbitrary: each(
      ['-d', 'skip', 'sub', 'one.txt'],
      ['-s', 'sub', 'missing', 'one.txt'],
      ['--include=*.txt', 'one.txt', 'code.c'],
      ['--exclude=one*', 'one.txt', 'two.txt', 'sub/deep.txt'],
      ['--exclude=deep.txt', 'sub/deep.txt', 'one.txt'],
      ['--exclude-dir=sub', 'sub', 'one.txt'],
      ['--exclude=*.txt', '-', 'one.txt'],
      ['--include=*.c', '-', 'one.txt', 'code.c'],
      ['--label=x', '-', 'one.txt', '-'],
    ),
  },
);

const STDIN = ['foo from stdin\nbar\n', 'ab\nfoo', '', 'foo\0bar\nab\n', 'caf\xc3\xa9\n\xe9 foo\n'];

/** Command lines, with what stands on stdin and the locale. */
export const gnuCase: fc.Arbitrary<Case> = fc
  .tuple(
    pattern,
    flags,
    flags,
    fc.oneof({ weight: 30, arbitrary: each([]) }, { weight: 1, arbitrary: each(...WRONG) }),
    places,
    fc.boolean(),
    fc.constantFrom(...STDIN),
    fc.integer({ min: 0, max: 5 }),
  )
  .map(([matcher, one, two, wrong, files, late, stdin, locale]) => {
    const options = [...matcher, ...one, ...two, ...wrong];
    const operandsOnly = files.includes('--');
    const args = late && !operandsOnly ? [...files, ...options] : [...options, ...files];
    const reads = files.length === 0 || args.includes('-');
    return { args, stdin: reads ? stdin : '', bytes: locale === 0 };
  });
