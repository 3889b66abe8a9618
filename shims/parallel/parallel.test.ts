import { expect, test } from 'vitest';
import { inProcessWorld } from '../../test/world/in-process.ts';

// What they print is compared with the real ones in edges.json; here are their messages and what is this house's own.
test.each([
  ['parallel echo ::: a b', { stdout: 'a\nb\n', stderr: '', exitCode: 0 }],
  ["seq 3 | parallel -j1 'echo {}; exit {}'", { stdout: '1\n2\n3\n', stderr: '', exitCode: 3 }],
  [
    'parallel --results d echo ::: a',
    {
      stdout: '',
      stderr:
        'parallel: --results is not here: redirect what the command prints to a file named by {#}\n',
      exitCode: 255,
    },
  ],
  [
    'parallel --halt x echo ::: a',
    {
      stdout: '',
      stderr: 'parallel: --halt x is not understood here: use now,fail=1\n',
      exitCode: 255,
    },
  ],
  [
    'parallel echo :::: nope',
    {
      stdout: '',
      stderr: "parallel: Cannot open input file `nope': No such file or directory\n",
      exitCode: 255,
    },
  ],
  [
    "parallel --colsep '(a|b)' echo ::: x",
    {
      stdout: '',
      stderr: "parallel: --colsep '(a|b)' is not understood here: use one character, or \\s+\n",
      exitCode: 255,
    },
  ],
  [
    'parallel --joblog l echo ::: a; cut -f7,9 l',
    { stdout: 'a\nExitval\tCommand\n0\techo a\n', stderr: '', exitCode: 0 },
  ],
])('parallel runs jobs in their order: %s', async (command, expected) => {
  const { run } = await inProcessWorld({
    roots: ['/work'],
    files: { '/work/a.txt': 'alpha\nbeta\ngamma\n' },
    cwd: '/work',
    env: { HOME: '/work', LC_ALL: 'C.UTF-8', TZ: 'UTC' },
  });
  expect(await run(command)).toEqual(expected);
});
