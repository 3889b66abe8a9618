import { expect, test } from 'vitest';
import { inProcessWorld } from '../../test/world/in-process.ts';

// What they print is compared with the real ones in test/commands; here are their messages and what is this house's own.
test.each([
  [
    'fmt nope a.txt',
    {
      stdout: 'alpha beta gamma\n',
      stderr: "fmt: cannot open 'nope' for reading: No such file or directory\n",
      exitCode: 1,
    },
  ],
  ['fmt -w x a.txt', { stdout: '', stderr: "fmt: invalid width: 'x'\n", exitCode: 1 }],
  [
    'fmt -w 9999 a.txt',
    {
      stdout: '',
      stderr: "fmt: invalid width: '9999': Numerical result out of range\n",
      exitCode: 1,
    },
  ],
  [
    'fmt --nope',
    {
      stdout: '',
      stderr: "fmt: unrecognized option '--nope'\nTry 'fmt --help' for more information.\n",
      exitCode: 1,
    },
  ],
])('fmt says which file it cannot read: %s', async (command, expected) => {
  const { run } = await inProcessWorld({
    roots: ['/work'],
    files: { '/work/a.txt': 'alpha\nbeta\ngamma\n' },
    cwd: '/work',
    env: { HOME: '/work', LC_ALL: 'C.UTF-8', TZ: 'UTC' },
  });
  expect(await run(command)).toEqual(expected);
});
