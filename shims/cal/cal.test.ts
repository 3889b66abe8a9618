import { expect, test } from 'vitest';
import { inProcessWorld } from '../../test/world/in-process.ts';

// What they print is compared with the real ones in edges.json; here are their messages and what is this house's own.
test.each([
  [
    'cal 2 2023',
    {
      stdout:
        '   February 2023      \nSu Mo Tu We Th Fr Sa  \n          1  2  3  4  \n 5  6  7  8  9 10 11  \n12 13 14 15 16 17 18  \n19 20 21 22 23 24 25  \n26 27 28              \n                      \n',
      stderr: '',
      exitCode: 0,
    },
  ],
  [
    'cal 13 2024',
    { stdout: '', stderr: 'cal: 13 is neither a month number (1..12) nor a name\n', exitCode: 64 },
  ],
  [
    'cal 1 2 3',
    {
      stdout: '',
      stderr: "cal: too many operands\nTry 'cal --help' for more information.\n",
      exitCode: 64,
    },
  ],
  ['cal 0', { stdout: '', stderr: "cal: year `0' not in range 1..9999\n", exitCode: 64 }],
])('a calendar of a month that is, or a message: %s', async (command, expected) => {
  const { run } = await inProcessWorld({
    roots: ['/work'],
    files: { '/work/a.txt': 'alpha\nbeta\ngamma\n' },
    cwd: '/work',
    env: { HOME: '/work', LC_ALL: 'C.UTF-8', TZ: 'UTC' },
  });
  expect(await run(command)).toEqual(expected);
});
