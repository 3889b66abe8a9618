import { expect, test } from 'vitest';
import { inProcessWorld } from '../../test/world/in-process.ts';

// What they print is compared with the real ones in edges.json; here are their messages and what is this house's own.
test.each([
  ['uname', { stdout: 'Linux\n', stderr: '', exitCode: 0 }],
  ['uname -so', { stdout: 'Linux GNU/Linux\n', stderr: '', exitCode: 0 }],
  [
    'uname -q',
    {
      stdout: '',
      stderr: "uname: invalid option -- 'q'\nTry 'uname --help' for more information.\n",
      exitCode: 1,
    },
  ],
  [
    'uname x',
    {
      stdout: '',
      stderr: "uname: extra operand 'x'\nTry 'uname --help' for more information.\n",
      exitCode: 1,
    },
  ],
  [
    'hostname -i; hostname -I; hostname -d; hostname -a',
    { stdout: '127.0.0.1\n127.0.0.1\n\n\n', stderr: '', exitCode: 0 },
  ],
  ['hostname; hostname -s', { stdout: 'localhost\nlocalhost\n', stderr: '', exitCode: 0 }],
  [
    'hostname other',
    { stdout: '', stderr: 'hostname: you must be root to change the host name\n', exitCode: 1 },
  ],
  ['getconf NOPE', { stdout: '', stderr: "getconf: Unrecognized variable `NOPE'\n", exitCode: 2 }],
  ['getconf ARG_MAX', { stdout: '2097152\n', stderr: '', exitCode: 0 }],
  ['tty; tty -s; echo $?', { stdout: 'not a tty\n1\n', stderr: '', exitCode: 0 }],
  [
    'sync nope',
    { stdout: '', stderr: "sync: error opening 'nope': No such file or directory\n", exitCode: 1 },
  ],
  [
    'unset LC_ALL; export LANG=C LC_TIME=C.UTF-8; locale | grep -E "CTYPE|TIME"; LC_ALL=POSIX locale | grep TIME',
    { stdout: 'LC_CTYPE="C"\nLC_TIME=C.UTF-8\nLC_TIME="POSIX"\n', stderr: '', exitCode: 0 },
  ],
  ['locale charmap', { stdout: 'UTF-8\n', stderr: '', exitCode: 0 }],
  ['echo x > f; sync f', { stdout: '', stderr: '', exitCode: 0 }],
])('the system says what scripts ask: %s', async (command, expected) => {
  const { run } = await inProcessWorld({
    roots: ['/work'],
    files: { '/work/a.txt': 'alpha\nbeta\ngamma\n' },
    cwd: '/work',
    env: { HOME: '/work', LC_ALL: 'C.UTF-8', TZ: 'UTC' },
  });
  expect(await run(command)).toEqual(expected);
});
