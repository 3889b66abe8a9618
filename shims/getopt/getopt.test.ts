import { expect, test } from 'vitest';
import { inProcessWorld } from '../../test/world/in-process.ts';

// What they print is compared with the real ones in test/commands; here are their messages and what is this house's own.
test.each([
  [
    'getopt -n me -o ab: -- -x -b',
    {
      stdout: ' --\n',
      stderr: "me: invalid option -- 'x'\nme: option requires an argument -- 'b'\n",
      exitCode: 1,
    },
  ],
  [
    'getopt',
    {
      stdout: '',
      stderr: "getopt: missing optstring argument\nTry 'getopt --help' for more information.\n",
      exitCode: 2,
    },
  ],
  [
    'getopt -o a -l long,lone -- --lo',
    {
      stdout: ' --\n',
      stderr: "getopt: option '--lo' is ambiguous; possibilities: '--long' '--lone'\n",
      exitCode: 1,
    },
  ],
  [
    'getopt -o a -l long -- --long=1',
    { stdout: ' --\n', stderr: "getopt: option '--long' doesn't allow an argument\n", exitCode: 1 },
  ],
])('getopt speaks in the name of the script: %s', async (command, expected) => {
  const { run } = await inProcessWorld({
    roots: ['/work'],
    files: { '/work/a.txt': 'alpha\nbeta\ngamma\n' },
    cwd: '/work',
    env: { HOME: '/work', LC_ALL: 'C.UTF-8', TZ: 'UTC' },
  });
  expect(await run(command)).toEqual(expected);
});
