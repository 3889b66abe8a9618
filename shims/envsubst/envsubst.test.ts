import { expect, test } from 'vitest';
import { inProcessWorld } from '../../test/world/in-process.ts';

// What they print is compared with the real ones in test/commands; here are their messages and what is this house's own.
test.each([
  [
    "export A=1; B=2; echo '$A $B ${A}x' | envsubst",
    { stdout: '1  1x\n', stderr: '', exitCode: 0 },
  ],
  ['envsubst a b', { stdout: '', stderr: 'envsubst: too many arguments\n', exitCode: 1 }],
  [
    "echo '$PATH_' | envsubst; envsubst --help | head -1",
    { stdout: '\nUsage: envsubst [OPTION] [SHELL-FORMAT]\n', stderr: '', exitCode: 0 },
  ],
])('envsubst replaces exported variables alone: %s', async (command, expected) => {
  const { run } = await inProcessWorld({
    roots: ['/work'],
    files: { '/work/a.txt': 'alpha\nbeta\ngamma\n' },
    cwd: '/work',
    env: { HOME: '/work', LC_ALL: 'C.UTF-8', TZ: 'UTC' },
  });
  expect(await run(command)).toEqual(expected);
});
