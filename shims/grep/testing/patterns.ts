/** Generated patterns in each of grep's syntaxes, sound ones and broken ones. */
import fc from 'fast-check';

const ATOMS = [
  ...['a', 'b', 'foo', 'bar', 'ab', '.', 'x', '1', '2', ' ', 'é', 'Α', 'ß', 'o', 'F', '-', ','],
];
const SETS = [
  ...['[ab]', '[^a]', '[a-f]', '[[:alpha:]]', '[[:digit:]_]', '[^[:space:]]', '[]a]', '[^]a]'],
  ...['[a-]', '[éα]', '[[=a=]b]', '[[.a.]-c]', '[[:upper:]x]', '[^[:alnum:]]', '[.*]', '[\\w]'],
];
const SHORTHANDS = ['\\w', '\\W', '\\s', '\\S'];
const EDGES = ['\\b', '\\B', '\\<', '\\>'];
const PERL_ATOMS = [
  ...['\\d', '\\D', '\\h', '(?:ab)', '(?=foo)', '(?!bar)', '(?<=a)', '(?<!o)', '\\K', 'a++'],
  ...['(?>a+)', '(?i)f', '\\x61', '.*?', 'b+?', '\\bfoo', '\\N', '\\R', '\\x{e9}', '\\p{Lu}'],
  ...['\\Qa.b\\E', '(?<n>a)', '(?i:F)', '\\A', '\\z', '\\Z', '[^\\d\\s]', '[\\w.]', '\\.', '\\t'],
];

interface Syntax {
  open: string;
  close: string;
  or: string;
  marks: string[];
}

const BASIC: Syntax = {
  open: '\\(',
  close: '\\)',
  or: '\\|',
  marks: ['*', '*', '\\+', '\\?', '\\{2\\}', '\\{1,2\\}', '\\{0,\\}', '\\{,2\\}', '\\{0\\}', '**'],
};
const EXTENDED: Syntax = {
  open: '(',
  close: ')',
  or: '|',
  marks: ['*', '*', '+', '?', '{2}', '{1,2}', '{,2}', '{0}', '{3,}', '+*', '*?'],
};
const PERL: Syntax = { ...EXTENDED, marks: ['*', '+', '?', '{2}', '{1,2}', '{2,}', '*?', '++'] };

function joined(parts: fc.Arbitrary<string>, max: number): fc.Arbitrary<string> {
  return fc.array(parts, { minLength: 1, maxLength: max }).map((all) => all.join(''));
}

/** Alternatives of sequences of pieces, some of them groups, two levels deep. */
function regex({ open, close, or, marks }: Syntax, atoms: string[]): fc.Arbitrary<string> {
  const mark = fc.oneof(
    { weight: 5, arbitrary: fc.constant('') },
    { weight: 2, arbitrary: fc.constantFrom(...marks) },
  );
  const marked = (atom: fc.Arbitrary<string>): fc.Arbitrary<string> =>
    fc.tuple(atom, mark).map(([a, m]) => a + m);
  const piece = marked(fc.constantFrom(...atoms));
  const grouped = (inner: fc.Arbitrary<string>): fc.Arbitrary<string> =>
    fc
      .tuple(inner, fc.option(inner, { nil: null, freq: 2 }), mark)
      .map(([x, y, m]) => `${open}${x}${y === null ? '' : or + y}${close}${m}`);
  const flat = joined(piece, 3);
  const nested = joined(
    fc.oneof({ weight: 3, arbitrary: piece }, { weight: 1, arbitrary: grouped(flat) }),
    2,
  );
  const item = fc.oneof(
    { weight: 8, arbitrary: piece },
    { weight: 2, arbitrary: grouped(flat) },
    { weight: 1, arbitrary: grouped(nested) },
  );
  const anchor = (c: string): fc.Arbitrary<string> => fc.constantFrom('', '', '', c);
  const branch = fc.tuple(anchor('^'), joined(item, 3), anchor('$')).map((parts) => parts.join(''));
  return fc.oneof(
    { weight: 6, arbitrary: branch },
    { weight: 1, arbitrary: fc.tuple(branch, branch).map(([x, y]) => x + or + y) },
    {
      weight: 1,
      arbitrary: fc
        .tuple(flat, fc.constantFrom('', 'a', '.*'), mark, anchor('$'))
        .map(([x, between, m, end]) => `${open}${x}${close}${between}\\1${m}${end}`),
    },
  );
}

export const basic = regex(BASIC, [...ATOMS, ...SETS, ...SHORTHANDS, ...EDGES]);
export const extended = regex(EXTENDED, [...ATOMS, ...SETS, ...SHORTHANDS, ...EDGES, '\\.', '\\(']);
export const perl = regex(PERL, [
  ...[...ATOMS, ...SETS.slice(0, 9), ...SHORTHANDS, '\\b', '\\B', ...PERL_ATOMS],
]);
export const fixed = fc.constantFrom(
  ...['foo', 'a', 'foo bar', 'a.b', 'a*b', '', 'é', 'FOO', 'foo\nbar', 'ab', '(a)', 'o', 'word'],
  ...['É', '-foo', '\\', '[a]', '^a$', 'foo\n', '\nx1', 'ﬁ', 'ΑΒΓ', 'ss', 'x1\nab12\nquick'],
);

/** Patterns at the borders of the syntax, and beyond them. */
export const oddBasic = fc.constantFrom(
  ...['*a', '\\(*a\\)', 'a\\|b', '^*', 'a\\{1', '\\(', '[a', '[[:foo:]]', '[:space:]', 'a\\'],
  ...['\\)', 'a**', '\\{1\\}a', 'x\\{1,0\\}', '[z-a]', '\\(a\\)\\2', '^^a', 'a$b', '\\(^a\\)'],
  ...[
    '\\(a$\\)',
    '',
    '[[.a.]]',
    '\\.',
    'a\\?b',
    '\\`foo',
    "foo\\'",
    '[\\n]',
    '\\/',
    'a^b',
    'a\\|*b',
  ],
  ...[
    '\\(^*a\\)',
    'a\\{1,2\\}\\{2\\}',
    '[[.hyphen.]]',
    '[[.space.]]',
    '[a-[.z.]]',
    '[[=é=]]',
    '[]',
  ],
  ...['[^]', '[[]', '[]-a]', '[a-z-9]', '[--/]', '\\(\\)', '\\(a\\|\\)', '\\|a', 'a\\|', '$', '^$'],
  ...['^', '$a', 'a\\{99999\\}', '\\{', 'a\\{,\\}', 'a\\{x\\}', '+a', '?a', '\\+a', '\\?a', '\\d'],
  ...[
    '\\n',
    '\\t',
    'a\\{1a\\}',
    '\\(\\(a\\)\\2\\)',
    '\\(a*\\)*\\1',
    '\\(^\\|x\\)a',
    'x\\{0\\}',
    '\\-',
  ],
);
export const oddExtended = fc.constantFrom(
  ...['*a', '(*a)', 'a|*b', '^*', 'a{1', 'a{1,', 'a{,', 'a{', '(', ')', 'a)', '()', '(|a)', 'a||b'],
  ...[
    '{1}a',
    'a{2,1}',
    'a{1a}',
    'a{99999}',
    '[a',
    '[[:foo:]]',
    '[:digit:]',
    'a\\',
    '(a)\\2',
    '\\1',
  ],
  ...[
    '+a',
    '?a',
    'a+?',
    'a++',
    '(^a)',
    '(a$)',
    'a^b',
    'a$b',
    '^^a$$',
    '|',
    '',
    '(a|b)*\\1',
    '\\d+',
  ],
  ...[
    'a{,3}b',
    'a{0}',
    '(a{2}){2}',
    '\\<',
    '\\>',
    '\\bfoo\\b',
    '(a*)+',
    '(a*|b)*',
    '\\w+\\W',
    '[]a',
  ],
  ...['(()())', '(a)(b)\\2\\1', '^(.*)\\1$', '(^|[^a])foo', 'foo($|[^a])', '((a))', '{', '}', 'a}'],
);
export const oddPerl = fc.constantFrom(
  ...['(', ')', '[a', 'a{2,1}', '*a', '+', '(?<n>a)(?<n>b)', '\\2(a)', '(?z)', '(?', '\\p{Foo}'],
  ...[
    '[z-a]',
    '[[:foo:]]',
    '\\x{110000}',
    '(?<=a*)b',
    'a\\',
    '(?P<x>o)(?P=x)',
    '(a)\\g1',
    '\\g{-1}',
  ],
  ...[
    '(?x) f o o # c',
    '(?s).',
    '(?m)^foo$',
    '(?U)a+',
    '(?-i)F',
    '\\Qa.b',
    '\\E',
    '\\cA',
    '\\o{141}',
  ],
  ...[
    '\\N{U+61}',
    '(*UTF8)é',
    '(*FOO)a',
    '\\Kfoo',
    'fo\\Ko',
    '(?#c)a',
    'a{,2}',
    'x{',
    '\\d{3}',
    '\\H',
  ],
  ...[
    '^\\s*$',
    '(?<![\\w-])foo',
    '(?<=foo |bar )bar',
    '(?=.*bar)foo',
    '\\bfoo\\b(?!-)',
    '[^\\x00-\\x7f]',
  ],
  ...[
    '(?i)É',
    '\\S+$',
    '^.{3}$',
    'a|',
    '|a',
    '(a|ab)(c|bcd)',
    '(?|a|b)',
    '(?1)(a)',
    '(?R)',
    '\\G',
    '\\X',
  ],
  ...[
    '(?(1)a)',
    '(?<a>a)\\k<a>',
    "\\k'a'(?<a>a)",
    '\\C',
    '\\y',
    '[\\b]',
    '[\\d-z]',
    '[a-\\d]',
    '(?i',
    '\\u0041',
  ],
);
