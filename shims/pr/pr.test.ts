import { expect, test } from 'vitest';
import { inProcessWorld } from '../../test/world/in-process.ts';

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
        "pr: '-n' extra characters or invalid number in the argument: '::'\nTry 'pr --help' for more information.\n",
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
