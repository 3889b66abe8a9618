import { expect, test } from 'vitest';
import { inProcessWorld } from '../../test/world/in-process.ts';
import { doubleShell } from '../support/double-shell.ts';
import { idShims } from './index.ts';

// What they print is compared with the real ones in test/commands; here are their messages and what is this house's own.
test.each([
  ['id', { stdout: 'uid=1000(user) gid=1000(user) groups=1000(user)\n', stderr: '', exitCode: 0 }],
  ['id -un', { stdout: 'user\n', stderr: '', exitCode: 0 }],
  [
    'id -u -g',
    { stdout: '', stderr: 'id: cannot print "only" of more than one choice\n', exitCode: 1 },
  ],
  [
    'id -n',
    {
      stdout: '',
      stderr: 'id: printing only names or real IDs requires -u, -g, or -G\n',
      exitCode: 1,
    },
  ],
  ['id root', { stdout: '', stderr: "id: 'root': no such user\n", exitCode: 1 }],
  ['id -Gz | od -An -c', { stdout: '   1   0   0   0  \\0\n', stderr: '', exitCode: 0 }],
  [
    'groups; groups root',
    { stdout: 'user\n', stderr: "groups: 'root': no such user\n", exitCode: 1 },
  ],
  [
    'whoami x',
    {
      stdout: '',
      stderr: "whoami: extra operand 'x'\nTry 'whoami --help' for more information.\n",
      exitCode: 1,
    },
  ],
  [
    'id user 1000 nobody; id -rnu; id -G; id -gn 1000; id -gr user',
    {
      stdout: `${'uid=1000(user) gid=1000(user) groups=1000(user)\n'.repeat(2)}user\n1000\nuser\n1000\n`,
      stderr: "id: 'nobody': no such user\n",
      exitCode: 0,
    },
  ],
  [
    'id -Z; id -z; id -r; id -G -u',
    {
      stdout: '',
      stderr: [
        'id: --context (-Z) works only on an SELinux-enabled kernel',
        'id: option --zero not permitted in default format',
        'id: printing only names or real IDs requires -u, -g, or -G',
        'id: cannot print "only" of more than one choice',
        '',
      ].join('\n'),
      exitCode: 1,
    },
  ],
  ['groups user 1000', { stdout: 'user : user\n1000 : user\n', stderr: '', exitCode: 0 }],
  [
    'who -H; who -q; who --count --heading',
    {
      stdout: 'NAME     LINE         TIME             COMMENT\n# users=0\n# users=0\n',
      stderr: '',
      exitCode: 0,
    },
  ],
  ['who', { stdout: '', stderr: '', exitCode: 0 }],
  ['users', { stdout: '\n', stderr: '', exitCode: 0 }],
  ['whoami; logname', { stdout: 'user\nuser\n', stderr: '', exitCode: 0 }],
])('there is one user: %s', async (command, expected) => {
  const { run } = await inProcessWorld({
    roots: ['/work'],
    files: { '/work/a.txt': 'alpha\nbeta\ngamma\n' },
    cwd: '/work',
    env: { HOME: '/work', LC_ALL: 'C.UTF-8', TZ: 'UTC' },
  });
  expect(await run(command)).toEqual(expected);
});

test('who sits at a terminal is told', async () => {
  const terminal = { columns: 80, rows: 24, color: false, ask: async () => null };
  const { run } = doubleShell([(host) => idShims({ ...host, terminal: () => terminal })]);
  expect((await run('who; who -H; who -q; users')).stdout).toBe(
    'user     tty\nNAME     LINE         TIME             COMMENT\nuser     tty\nuser\n# users=1\nuser\n',
  );
});
