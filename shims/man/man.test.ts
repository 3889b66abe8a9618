import { expect, test } from 'vitest';
import { inProcessWorld } from '../../test/world/in-process.ts';

// What they print is compared with the real ones in test/commands; here are their messages and what is this house's own.
test.each([
  ['man nosuch', { stdout: '', stderr: 'No manual entry for nosuch\n', exitCode: 16 }],
  [
    "man -k 'numbers$' | head -3",
    { stdout: '', stderr: 'numbers$: nothing appropriate.\n', exitCode: 0 },
  ],
  [
    'man',
    {
      stdout: '',
      stderr: "man: What manual page do you want?\nFor example, try 'man ls'.\n",
      exitCode: 1,
    },
  ],
  [
    'man tsort',
    {
      stdout:
        'Usage: tsort [OPTION] [FILE]\nWrite a total order that agrees with the partial order of the pairs in FILE.\n',
      stderr: '',
      exitCode: 0,
    },
  ],
  ['man 1 tsort | head -1', { stdout: 'Usage: tsort [OPTION] [FILE]\n', stderr: '', exitCode: 0 }],
  [
    'whatis tsort nosuch',
    {
      stdout:
        'tsort (1)            - Write a total order that agrees with the partial order of the pairs in FILE.\n',
      stderr: 'nosuch: nothing appropriate.\n',
      exitCode: 16,
    },
  ],
  ['apropos zzzz', { stdout: '', stderr: 'zzzz: nothing appropriate.\n', exitCode: 16 }],
  ['whereis tsort nope', { stdout: 'tsort: /usr/bin/tsort\nnope:\n', stderr: '', exitCode: 0 }],
  [
    'whereis',
    {
      stdout: '',
      stderr: "whereis: not enough arguments\nTry 'whereis --help' for more information.\n",
      exitCode: 1,
    },
  ],
  ['man cd | head -1', { stdout: 'cd: cd [-L|-P] [dir]\n', stderr: '', exitCode: 0 }],
])('commands are known by what they say of themselves: %s', async (command, expected) => {
  const { run } = await inProcessWorld({
    roots: ['/work'],
    files: { '/work/a.txt': 'alpha\nbeta\ngamma\n' },
    cwd: '/work',
    env: { HOME: '/work', LC_ALL: 'C.UTF-8', TZ: 'UTC' },
  });
  expect(await run(command)).toEqual(expected);
});
