import { expect, test } from 'vitest';
import { inProcessWorld } from '../../test/world/in-process.ts';

// What they print is compared with the real ones in test/commands; here are their messages and what is this house's own.
test.each([
  [
    'dd if=nope',
    { stdout: '', stderr: "dd: failed to open 'nope': No such file or directory\n", exitCode: 1 },
  ],
  ['dd bs=0 if=a.txt', { stdout: '', stderr: "dd: invalid number: '0'\n", exitCode: 1 }],
  [
    'dd foo=1',
    {
      stdout: '',
      stderr: "dd: unrecognized operand 'foo=1'\nTry 'dd --help' for more information.\n",
      exitCode: 1,
    },
  ],
  [
    'dd conv=nope',
    {
      stdout: '',
      stderr: "dd: invalid conversion: 'nope'\nTry 'dd --help' for more information.\n",
      exitCode: 1,
    },
  ],
  [
    'dd if=/dev/zero of=x',
    {
      stdout: '',
      stderr:
        "dd: '/dev/zero' never ends: say with count= how much of it is wanted, 1 GiB at most\n",
      exitCode: 1,
    },
  ],
  ['dd if=a.txt bs=4 count=1 status=none', { stdout: 'alph', stderr: '', exitCode: 0 }],
  [
    'dd conv=lcase,ucase',
    { stdout: '', stderr: 'dd: cannot combine lcase and ucase\n', exitCode: 1 },
  ],
  [
    'dd status=loud',
    {
      stdout: '',
      stderr: "dd: invalid status level: 'loud'\nTry 'dd --help' for more information.\n",
      exitCode: 1,
    },
  ],
  [
    'dd if=a.txt of=/bin/x status=none',
    {
      stdout: '',
      stderr:
        "dd: failed to open '/bin/x': Permission denied\ndirigent: /bin is mounted ro: nothing here can be changed\n",
      exitCode: 1,
    },
  ],
  [
    'dd bs=1 seek=2G if=a.txt of=o',
    {
      stdout: '',
      stderr: "dd: failed to truncate to 2147483648 bytes in output file 'o': File too large\n",
      exitCode: 1,
    },
  ],
])('dd refuses what it cannot do: %s', async (command, expected) => {
  const { run } = await inProcessWorld({
    roots: ['/work'],
    files: { '/work/a.txt': 'alpha\nbeta\ngamma\n' },
    cwd: '/work',
    env: { HOME: '/work', LC_ALL: 'C.UTF-8', TZ: 'UTC' },
  });
  expect(await run(command)).toEqual(expected);
});
