/** Generated command lines for grep and rg over one small tree. */
import fc from 'fast-check';

export interface Case {
  args: string[];
  stdin: string;
}

const TEXT = [
  'the quick brown fox',
  'foo bar foo-bar foobar barfoo',
  'aaa abab abcabc aab a',
  'The Quick BROWN Fox',
  'x1 22 333 a1b2c3 _under score_',
  '',
  'tab\there  two spaces ',
  'a.b a*b a+b a?b (a) [a] {1} a{2} ^a$ a|b \\ back',
  'über Straße ΑΒΓ αβγ élan É naïve 日本語 ﬁ',
  'foo',
  'path/to/file.txt:12: error: no such thing',
  'foo.bar(baz, "quux") { return 1; }',
  '  indented line',
  'ab12 cd34 ab12 ab12',
  'word_word word-word word',
  'abcabcabc xyzxyz',
].join('\n');

/** The files that the cases search. `wild`: with bytes that are no text. */
export const FILES: Record<string, string | Uint8Array> = {
  '/t/one.txt': `${TEXT}\n`,
  '/t/two.txt': 'foo\nbar\nbaz\n\nfoo bar\nqux\nfoo\nlast without end',
  '/t/empty.txt': '',
  '/t/nl.txt': '\n\n\nfoo\n\n',
  '/t/code.c': 'int main(void) {\n  return foo(1) + 22;\n}\n/* FOO bar */\n',
  '/t/sub/deep.txt': 'deep foo\nBar\nfoo bar\n',
  '/t/sub/deep.c': 'static int foo;\nint bar = 22;\n',
  '/t/sub/.hidden': 'hidden foo\n',
  '/t/sub/more/x.md': '# foo\n\n- bar\n- aab ab\n',
  '/t/bin.dat': Uint8Array.from(Buffer.from('foo\0bar\nfoo bar\nbaz\n', 'latin1')),
  '/t/inv.txt': Uint8Array.from(
    Buffer.from('plain foo\nbad \xff foo\nbar\xe9\n\xc3\xa9 foo\n', 'latin1'),
  ),
};

const ATOMS_BOTH = ['a', 'b', 'foo', 'bar', 'ab', '.', 'x', '1', '2', ' ', 'é', 'Α', 'ß', 'o', 'F'];
const SETS = [
  '[ab]',
  '[^a]',
  '[a-f]',
  '[[:alpha:]]',
  '[[:digit:]_]',
  '[^[:space:]]',
  '[]a]',
  '[^]a]',
  '[a-]',
  '[éα]',
];
const ESCAPES = ['\\w', '\\W', '\\s', '\\S', '\\b', '\\B', '\\<', '\\>'];
const PERL = [
  '\\d',
  '\\D',
  '\\h',
  '(?:ab)',
  '(?=foo)',
  '(?!bar)',
  '(?<=a)',
  '(?<!o)',
  '\\K',
  'a++',
  '(?>a+)',
  '(?i)f',
  '\\x61',
  '.*?',
  'b+?',
];

function joined(parts: fc.Arbitrary<string>, max: number): fc.Arbitrary<string> {
  return fc.array(parts, { minLength: 1, maxLength: max }).map((all) => all.join(''));
}

function quantified(atom: fc.Arbitrary<string>, marks: string[]): fc.Arbitrary<string> {
  const mark = fc.oneof(
    { weight: 5, arbitrary: fc.constant('') },
    { weight: 2, arbitrary: fc.constantFrom(...marks) },
  );
  return fc.tuple(atom, mark).map(([a, m]) => a + m);
}

function regex(
  open: string,
  close: string,
  or: string,
  marks: string[],
  atoms: string[],
): fc.Arbitrary<string> {
  const piece = quantified(fc.constantFrom(...atoms), marks);
  // The C library errs on word edges inside groups, so groups are made without them.
  const inner = atoms.filter((a) => !/^\\[bB<>]$/.test(a));
  const flat = joined(quantified(fc.constantFrom(...inner), marks), 3);
  const group = fc
    .tuple(flat, fc.option(flat, { nil: null }), fc.constantFrom('', ...marks))
    .map(([x, y, m]) => `${open}${x}${y === null ? '' : or + y}${close}${m}`);
  const item = fc.oneof({ weight: 4, arbitrary: piece }, { weight: 1, arbitrary: group });
  const branch = fc
    .tuple(fc.constantFrom('', '', '', '^'), joined(item, 3), fc.constantFrom('', '', '', '$'))
    .map((parts) => parts.join(''));
  return fc.oneof(
    { weight: 5, arbitrary: branch },
    { weight: 1, arbitrary: fc.tuple(branch, branch).map(([x, y]) => x + or + y) },
    {
      weight: 1,
      arbitrary: flat.map((x) => `${open}${x}${close}\\1`),
    },
  );
}

const BASIC = regex(
  '\\(',
  '\\)',
  '\\|',
  ['*', '\\+', '\\?', '\\{2\\}', '\\{1,2\\}', '\\{0,\\}'],
  [...ATOMS_BOTH, ...SETS, ...ESCAPES],
);
const EXTENDED = regex(
  '(',
  ')',
  '|',
  ['*', '+', '?', '{2}', '{1,2}', '{,2}'],
  [...ATOMS_BOTH, ...SETS, ...ESCAPES, '\\.', '\\('],
);
const PCRE = regex(
  '(',
  ')',
  '|',
  ['*', '+', '?', '{2}', '{1,2}'],
  [...ATOMS_BOTH, ...SETS.slice(0, 6), '\\w', '\\s', '\\b', ...PERL],
);
const RUST = regex(
  '(',
  ')',
  '|',
  ['*', '+', '?', '{2}', '{1,2}', '*?'],
  [
    ...ATOMS_BOTH,
    ...SETS.slice(0, 6),
    '\\w',
    '\\s',
    '\\b',
    '\\d',
    '(?:ab)',
    '(?i:f)',
    '\\.',
    '\\B',
  ],
).filter((p) => !p.includes('\\1'));
const FIXED = fc.constantFrom(
  'foo',
  'a',
  'foo bar',
  'a.b',
  'a*b',
  '',
  'é',
  'FOO',
  'foo\nbar',
  'ab',
  '(a)',
  'o',
  'word',
);
const RAW = fc.constantFrom(
  '*a',
  '\\(*a\\)',
  'a\\|b',
  '^*',
  'a\\{1',
  '\\(',
  '[a',
  '[[:foo:]]',
  '[:space:]',
  'a\\',
  '\\)',
  'a**',
  '\\{1\\}a',
  'x\\{1,0\\}',
  '[z-a]',
  '\\(a\\)\\2',
  '^^a',
  'a$b',
  '\\(^a\\)',
  '\\(a$\\)',
  '',
  '[[.a.]]',
  '[[=a=]b]',
  '\\.',
  '\\w\\+',
  'a\\?b',
  '\\`foo',
  "foo\\'",
  '[\\n]',
  '\\/',
);

const matcher = fc.oneof(
  { weight: 4, arbitrary: BASIC.map((p) => ['-e', p]) },
  { weight: 4, arbitrary: EXTENDED.map((p) => ['-E', '-e', p]) },
  { weight: 2, arbitrary: FIXED.map((p) => ['-F', '-e', p]) },
  { weight: 2, arbitrary: PCRE.map((p) => ['-P', '-e', p]) },
  { weight: 1, arbitrary: fc.tuple(BASIC, BASIC).map(([x, y]) => ['-e', x, '-e', y]) },
  { weight: 1, arbitrary: RAW.map((p) => ['-e', p]) },
);

const FLAGS = [
  ['-i'],
  ['-v'],
  ['-w'],
  ['-x'],
  ['-c'],
  ['-l'],
  ['-L'],
  ['-o'],
  ['-n'],
  ['-H'],
  ['-h'],
  ['-q'],
  ['-b'],
  ['-s'],
  ['-a'],
  ['-I'],
  ['-z'],
  ['-Z'],
  ['-T'],
  ['-m1'],
  ['-m', '2'],
  ['-A1'],
  ['-B', '1'],
  ['-C2'],
  ['-1'],
  ['--color=always'],
  ['-no'],
  ['--max-count=3'],
  ['--no-group-separator'],
  ['--group-separator=##'],
  ['--binary-files=text'],
  ['--null-data'],
  ['--only-match'],
  ['--line-number'],
  ['--label=IN'],
  ['-y'],
  ['-U'],
];

const PLACES = fc.oneof(
  { weight: 5, arbitrary: fc.constantFrom(['one.txt'], ['two.txt']) },
  {
    weight: 4,
    arbitrary: fc.subarray(
      [
        'one.txt',
        'two.txt',
        'empty.txt',
        'nl.txt',
        'code.c',
        'missing',
        'sub',
        '-',
        'sub/deep.txt',
      ],
      { minLength: 1, maxLength: 3 },
    ),
  },
  {
    weight: 1,
    arbitrary: fc.constantFrom(['bin.dat'], ['inv.txt'], ['bin.dat', 'inv.txt', 'two.txt']),
  },
  { weight: 1, arbitrary: fc.constant([]) },
  {
    weight: 2,
    arbitrary: fc.constantFrom(
      ['-r'],
      ['-r', '.'],
      ['-r', 'sub'],
      ['-r', 'sub/', 'two.txt'],
      ['-r', '--include=*.c'],
      ['-r', '--exclude', '*.txt', '.'],
      ['-r', '--exclude-dir=more', 'sub'],
      ['-R', './sub'],
      ['-d', 'skip', 'sub', 'one.txt'],
      ['--include=*.txt', 'one.txt', 'code.c'],
      ['-r', 'sub/deep.txt'],
      ['-r', '--include', '*.txt', '--exclude=d*', '.'],
    ),
  },
);

/** Command lines for GNU grep. */
export const grepCase: fc.Arbitrary<Case> = fc
  .tuple(matcher, fc.array(fc.constantFrom(...FLAGS), { maxLength: 3 }), PLACES, fc.boolean())
  .map(([pattern, flags, places, late]) => {
    const options = [...pattern, ...flags.flat()];
    const args = late ? [...places, ...options] : [...options, ...places];
    return { args, stdin: 'foo from stdin\nbar\n' };
  });

const RG_FLAGS = [
  ['-i'],
  ['-S'],
  ['-s'],
  ['-w'],
  ['-v'],
  ['-c'],
  ['-l'],
  ['-o'],
  ['-n'],
  ['-N'],
  ['-x'],
  ['-H'],
  ['-I'],
  ['-q'],
  ['-b'],
  ['-m1'],
  ['-A1'],
  ['-B', '1'],
  ['-C2'],
  ['--count-matches'],
  ['--column'],
  ['--vimgrep'],
  ['--trim'],
  ['--hidden'],
  ['--heading'],
  ['--files-without-match'],
  ['-r', '<$0>'],
  ['--color=always'],
  ['--no-heading'],
  ['-0'],
  ['-p'],
  ['-U'],
  ['-a'],
  ['--max-depth=1'],
  ['-g', '*.txt'],
  ['-g', '!*.c'],
  ['-tc'],
  ['-Tc'],
  ['--no-ignore'],
  ['-u'],
  ['--context-separator=##'],
];

const RG_PLACES = fc.constantFrom(
  ['one.txt'],
  ['one.txt', 'two.txt'],
  ['.'],
  ['sub'],
  [],
  ['two.txt'],
  ['missing', 'two.txt'],
  ['nl.txt'],
  ['./sub/deep.txt'],
  ['-'],
);

/** Command lines for ripgrep. */
export const rgCase: fc.Arbitrary<Case> = fc
  .tuple(
    fc.oneof(
      { weight: 4, arbitrary: RUST.map((p) => ['-e', p]) },
      {
        weight: 1,
        arbitrary: FIXED.filter((p) => p !== '' && !p.includes('\n')).map((p) => ['-F', '-e', p]),
      },
    ),
    fc.array(fc.constantFrom(...RG_FLAGS), { maxLength: 3 }),
    RG_PLACES,
  )
  .map(([pattern, flags, places]) => ({
    args: ['--sort=path', ...pattern, ...flags.flat(), ...places],
    stdin: 'foo from stdin\nbar\n',
  }));

const WORD_EDGE = /\\[bB<>]|^-w$/;

/**
 * Why a case is left out of the comparison, null for one that counts. Each is
 * a place where the other program departs from its own rules.
 */
export function knownDifference({ args }: Case): string | null {
  const edges = args.some((arg) => WORD_EDGE.test(arg));
  const patterns = args.filter((_, i) => args[i - 1] === '-e');
  const raw = args.some((arg) => arg === 'inv.txt' || /^-[rRuU]+$/.test(arg) || arg === '.');
  if (edges && raw) return 'word edges next to bytes that are no text';
  if (args.includes('-w') && patterns.some(maybeEmpty)) return '-w on a pattern that may be empty';
  if (args.includes('-P') && patterns.some((p) => /\)[*+{]/.test(p) && maybeEmpty(p))) {
    return 'a repeated group of PCRE that may be empty';
  }
  if (args.includes('-P') && raw) return 'PCRE on bytes that are no text';
  if (args.filter((arg) => arg === '-r').length > 1) return 'rg takes -r once';
  if (args[0] === '--sort=path' && patterns.some(maybeEmpty)) {
    const each = ['-o', '--vimgrep', '--count-matches', '-r', '--color=always', '-p', '--column'];
    if (each.some((flag) => args.includes(flag))) return 'an empty match at the end of a text';
  }
  if (args.includes('--vimgrep') && (args.includes('-v') || args.includes('-p')))
    return 'rg --vimgrep with -v or -p';
  return null;
}

function maybeEmpty(pattern: string): boolean {
  return /[*?]|\{0?,|\{0\}|\||\^|\$|\\[bB<>K]|\(\?[=!<]/.test(pattern) || pattern === '';
}
