import { expect, test } from 'vitest';
import { inProcessWorld } from '../../test/world/in-process.ts';
import { gnuSuite } from '../support/gnu-suite.ts';
import { prShims } from './index.ts';

gnuSuite(['pr'], [prShims], { a: 'alpha\nbeta\ngamma\n', b: 'b\n' }, [
  'pr -t -n a',
  'pr -t -n:2 a',
  'pr -t -n3 a',
  'pr -t -nx3 a',
  'pr -t -n12x a; echo $?',
  'pr -t -2 -l 2 a',
  'pr -t -2 -a -s: a',
  'pr -t -m -s, a a',
  'pr -t -m a b',
  'pr -t -m b a',
  "printf 'x\\n\\ny\\n' > c; pr -t -m c c; pr -t -m a c; pr -t -2 c",
  'pr -t -m -s a b; pr -t -m -S: a b',
  "pr -t -2 -s: -w 40 a; pr -t -2 -S' : ' a; pr -t -2 -S'   ' a; pr -t -2 -S a; pr -t -2 -s -w 40 a",
  'pr -t -o 3 a',
  'pr -t -d a',
  'pr -t -N 5 -n a',
  'pr +2 -t a; echo $?',
  'pr -t -w 5 -2 a',
  'pr -t -m -w 20 a a',
]);

// What they print is compared with the real ones in test/commands; here are their messages and what is this house's own.
test.each([
  ['pr -t a.txt', { stdout: 'alpha\nbeta\ngamma\n', stderr: '', exitCode: 0 }],
  ['pr nope', { stdout: '', stderr: 'pr: nope: No such file or directory\n', exitCode: 1 }],
  [
    'pr -m -3 a.txt',
    {
      stdout: '',
      stderr: 'pr: cannot specify number of columns when printing in parallel\n',
      exitCode: 1,
    },
  ],
  [
    'pr -l x a.txt',
    { stdout: '', stderr: "pr: '-l PAGE_LENGTH' invalid number of lines: 'x'\n", exitCode: 1 },
  ],
  [
    'pr -a -m a.txt',
    {
      stdout: '',
      stderr: 'pr: cannot specify both printing across and printing in parallel\n',
      exitCode: 1,
    },
  ],
  [
    'pr -D X -h T -l 12 a.txt',
    {
      stdout:
        '\n\nX                                T                                Page 1\n\n\nalpha\nbeta\n\n\n\n\n\n\n\nX                                T                                Page 2\n\n\ngamma\n\n\n\n\n\n\n',
      stderr: '',
      exitCode: 0,
    },
  ],
  [
    'pr -n:: a.txt',
    {
      stdout: '',
      stderr:
        "pr: '-n' extra characters or invalid number in the argument: ':'\nTry 'pr --help' for more information.\n",
      exitCode: 1,
    },
  ],
  [
    'pr -Q',
    {
      stdout: '',
      stderr: "pr: invalid option -- 'Q'\nTry 'pr --help' for more information.\n",
      exitCode: 1,
    },
  ],
])('pr says which page it cannot make: %s', async (command, expected) => {
  const { run } = await inProcessWorld({
    roots: ['/work'],
    files: { '/work/a.txt': 'alpha\nbeta\ngamma\n' },
    cwd: '/work',
    env: { HOME: '/work', LC_ALL: 'C.UTF-8', TZ: 'UTC' },
  });
  expect(await run(command)).toEqual(expected);
});
