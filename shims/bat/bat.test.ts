import { expect, test } from 'vitest';
import { inProcessWorld } from '../../test/world/in-process.ts';

// What they print is compared with the real ones in test/commands; here are their messages and what is this house's own.
test.each([
  ['bat a.txt | head -1', { stdout: 'alpha\n', stderr: '', exitCode: 0 }],
  ['bat -n a.txt', { stdout: '   1 alpha\n   2 beta\n   3 gamma\n', stderr: '', exitCode: 0 }],
  ['bat -r 2 a.txt', { stdout: 'beta\n', stderr: '', exitCode: 0 }],
  ['bat nope', { stdout: '', stderr: "bat: 'nope': No such file or directory\n", exitCode: 1 }],
  [
    'bat --list-themes',
    {
      stdout: '',
      stderr: 'bat: there are no languages and themes here: nothing is coloured\n',
      exitCode: 1,
    },
  ],
  ['bat -r x a.txt', { stdout: '', stderr: "bat: Invalid line range 'x'\n", exitCode: 1 }],
])('bat is cat in a pipe: %s', async (command, expected) => {
  const { run } = await inProcessWorld({
    roots: ['/work'],
    files: { '/work/a.txt': 'alpha\nbeta\ngamma\n' },
    cwd: '/work',
    env: { HOME: '/work', LC_ALL: 'C.UTF-8', TZ: 'UTC' },
  });
  expect(await run(command)).toEqual(expected);
});
