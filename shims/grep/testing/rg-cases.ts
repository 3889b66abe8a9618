/** Generated command lines for ripgrep. */
import fc from 'fast-check';
import type { Case } from './native.ts';

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

/**
 * Why a case is left out of the comparison, null for one that counts. Each is
 * a place where ripgrep departs from its own rules.
 */
export function knownDifference({ args }: Case): string | null {
  const patterns = args.filter((_, i) => args[i - 1] === '-e');
  if (args.filter((arg) => arg === '-r').length > 1) return 'rg takes -r once';
  if (patterns.some(maybeEmpty)) {
    const each = ['-o', '--vimgrep', '--count-matches', '-r', '--color=always', '-p', '--column'];
    if (each.some((flag) => args.includes(flag))) return 'an empty match at the end of a text';
    if (args.includes('-w')) return '-w on a pattern that may be empty';
  }
  if (args.includes('--vimgrep') && (args.includes('-v') || args.includes('-p')))
    return 'rg --vimgrep with -v or -p';
  return null;
}

function maybeEmpty(pattern: string): boolean {
  return /[*?]|\{0?,|\{0\}|\||\^|\$|\\[bB<>K]|\(\?[=!<]/.test(pattern) || pattern === '';
}
