import { expect, test } from 'vitest';
import { inProcessWorld } from '../../test/world/in-process.ts';

// What they print is compared with the real ones in test/commands; here are their messages and what is this house's own.
test.each([
  ['factor 12', { stdout: '12: 2 2 3\n', stderr: '', exitCode: 0 }],
  [
    'factor x',
    { stdout: '', stderr: "factor: 'x' is not a valid positive integer\n", exitCode: 1 },
  ],
  [
    'factor -1',
    {
      stdout: '',
      stderr: "factor: invalid option -- '1'\nTry 'factor --help' for more information.\n",
      exitCode: 1,
    },
  ],
  ['factor -h 360', { stdout: '360: 2^3 3^2 5\n', stderr: '', exitCode: 0 }],
  [
    'factor 1000000000000000000000000000057',
    {
      stdout: '1000000000000000000000000000057: 1000000000000000000000000000057\n',
      stderr: '',
      exitCode: 0,
    },
  ],
])('factor takes positive integers: %s', async (command, expected) => {
  const { run } = await inProcessWorld({
    roots: ['/work'],
    files: { '/work/a.txt': 'alpha\nbeta\ngamma\n' },
    cwd: '/work',
    env: { HOME: '/work', LC_ALL: 'C.UTF-8', TZ: 'UTC' },
  });
  expect(await run(command)).toEqual(expected);
});
