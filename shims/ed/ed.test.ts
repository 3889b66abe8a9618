import { expect, test } from 'vitest';
import { inProcessWorld } from '../../test/world/in-process.ts';

// What they print is compared with the real ones in edges.json; here are their messages and what is this house's own.
test.each([
  [
    "printf '2d\\nw\\nq\\n' | ed a.txt; cat a.txt",
    { stdout: '17\n12\nalpha\ngamma\n', stderr: '', exitCode: 0 },
  ],
  [
    "printf 'X\\nh\\nQ\\n' | ed -s a.txt",
    { stdout: '?\nUnknown command\n', stderr: '', exitCode: 1 },
  ],
  [
    "printf '1d\\nq\\n' | ed -s a.txt; cat a.txt",
    { stdout: '?\nalpha\nbeta\ngamma\n', stderr: '', exitCode: 0 },
  ],
  [
    "printf 'q\\n' | ed nope",
    { stdout: '', stderr: 'nope: No such file or directory\n', exitCode: 0 },
  ],
  [
    "printf '!ls\\nh\\nQ\\n' | ed -s a.txt",
    { stdout: '?\nCommands of the shell cannot be run from here\n', stderr: '', exitCode: 1 },
  ],
  [
    "printf '1d\\nw /bin/x\\nQ\\n' | ed -s a.txt",
    {
      stdout: '?\n',
      stderr:
        'ed: /bin/x: Permission denied\ndirigent: /bin is mounted ro: nothing here can be changed\n',
      exitCode: 2,
    },
  ],
  [
    "printf '99p\\nh\\ns/\\\\(/x/\\nh\\nQ\\n' | ed -s a.txt",
    { stdout: '?\nInvalid address\n?\nUnmatched ( or \\(\n', stderr: '', exitCode: 1 },
  ],
  [
    'ed -Z a.txt',
    {
      stdout: '',
      stderr: "ed: invalid option -- 'Z'\nTry 'ed --help' for more information.\n",
      exitCode: 1,
    },
  ],
])('ed edits for scripts, and says ? to what it cannot do: %s', async (command, expected) => {
  const { run } = await inProcessWorld({
    roots: ['/work'],
    files: { '/work/a.txt': 'alpha\nbeta\ngamma\n' },
    cwd: '/work',
    env: { HOME: '/work', LC_ALL: 'C.UTF-8', TZ: 'UTC' },
  });
  expect(await run(command)).toEqual(expected);
});
