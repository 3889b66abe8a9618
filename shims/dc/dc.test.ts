import { expect, test } from 'vitest';
import { inProcessWorld } from '../../test/world/in-process.ts';

// What they print is compared with the real ones in edges.json; here are their messages and what is this house's own.
test.each([
  [
    "dc -e '2 200 ^ p'",
    {
      stdout: '1606938044258990275541962092341162602522202993782792835301376\n',
      stderr: '',
      exitCode: 0,
    },
  ],
  ["dc -e '1 0 / p'", { stdout: '0\n', stderr: 'dc: divide by zero\n', exitCode: 0 }],
  ["dc -e 'p'", { stdout: '', stderr: 'dc: stack empty\n', exitCode: 0 }],
  ["dc -e '[a] 1 +'", { stdout: '', stderr: 'dc: non-numeric value\n', exitCode: 0 }],
  [
    "dc -e '!ls\n1 p'",
    { stdout: '1\n', stderr: 'dc: commands of the system cannot be run from here\n', exitCode: 0 },
  ],
  [
    "dc -e '[a] R z p [b] k z p'",
    { stdout: '0\n1\n', stderr: 'dc: scale must be a nonnegative number\n', exitCode: 0 },
  ],
  ["dc -e '[1pR][3pR][2pR][xz0<x]dsxx'", { stdout: '2\n1\n3\n', stderr: '', exitCode: 0 }],
  [
    "dc -e '[a];b z p [a]v z p'",
    {
      stdout: '0\n1\n',
      stderr:
        'dc: array index must be a nonnegative integer\ndc: square root of nonnumeric attempted\n',
      exitCode: 0,
    },
  ],
  ["dc -e '0 0 1|p 1v p 4 k 1v p'", { stdout: '1\n1\n1\n', stderr: '', exitCode: 0 }],
  [
    'dc nope',
    {
      stdout: '',
      stderr: 'dc: Could not open file nope: No such file or directory\n',
      exitCode: 0,
    },
  ],
  [
    'dc -Z',
    {
      stdout: '',
      stderr: "dc: invalid option -- 'Z'\nTry 'dc --help' for more information.\n",
      exitCode: 1,
    },
  ],
  [
    "dc -e '1 k 17 i 1 o z p'",
    {
      stdout: '0\n',
      stderr:
        'dc: input base must be a number between 2 and 16 (inclusive)\ndc: output base must be a number greater than 1\n',
      exitCode: 0,
    },
  ],
])('dc computes with numbers of any length: %s', async (command, expected) => {
  const { run } = await inProcessWorld({
    roots: ['/work'],
    files: { '/work/a.txt': 'alpha\nbeta\ngamma\n' },
    cwd: '/work',
    env: { HOME: '/work', LC_ALL: 'C.UTF-8', TZ: 'UTC' },
  });
  expect(await run(command)).toEqual(expected);
});
