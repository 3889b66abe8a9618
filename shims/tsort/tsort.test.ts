import { expect, test } from 'vitest';
import { inProcessWorld } from '../../test/world/in-process.ts';

// What they print is compared with the real ones in test/commands; here are their messages and what is this house's own.
test.each([
  [
    "printf 'a b\\nb a\\n' | tsort",
    {
      stdout: 'a\nb\n',
      stderr: 'tsort: -: input contains a loop:\ntsort: a\ntsort: b\n',
      exitCode: 1,
    },
  ],
  [
    'echo a b c | tsort',
    { stdout: '', stderr: 'tsort: -: input contains an odd number of tokens\n', exitCode: 1 },
  ],
  ['tsort nope', { stdout: '', stderr: 'tsort: nope: No such file or directory\n', exitCode: 1 }],
  [
    'tsort a b',
    {
      stdout: '',
      stderr: "tsort: extra operand 'b'\nTry 'tsort --help' for more information.\n",
      exitCode: 1,
    },
  ],
])('tsort names the loop that it cuts: %s', async (command, expected) => {
  const { run } = await inProcessWorld({
    roots: ['/work'],
    files: { '/work/a.txt': 'alpha\nbeta\ngamma\n' },
    cwd: '/work',
    env: { HOME: '/work', LC_ALL: 'C.UTF-8', TZ: 'UTC' },
  });
  expect(await run(command)).toEqual(expected);
});
