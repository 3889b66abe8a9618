import { expect, test } from 'vitest';
import { inProcessWorld } from '../../test/world/in-process.ts';

// What they print is compared with the real ones in test/commands; here are their messages and what is this house's own.
test.each([
  ['TERM=xterm tput bold | od -An -c', { stdout: ' 033   [   1   m\n', stderr: '', exitCode: 0 }],
  [
    'tput cols',
    { stdout: '', stderr: 'tput: No value for $TERM and no -T specified\n', exitCode: 2 },
  ],
  ['TERM=xterm tput cols', { stdout: '80\n', stderr: '', exitCode: 0 }],
  [
    'TERM=xterm tput nope',
    { stdout: '', stderr: "tput: unknown terminfo capability 'nope'\n", exitCode: 4 },
  ],
  // is2 and rs2 of the entry for xterm.
  [
    "TERM=xterm tput init | tr '\\033' E; TERM=xterm tput reset | tr '\\033' E",
    { stdout: 'E[!pE[?3;4lE[4lE>'.repeat(2), stderr: '', exitCode: 0 },
  ],
  [
    "reset | tr '\\033' E; reset -x",
    {
      stdout: 'Ec',
      stderr: "reset: invalid option -- 'x'\nTry 'reset --help' for more information.\n",
      exitCode: 1,
    },
  ],
  [
    'tput -S < a.txt',
    { stdout: '', stderr: 'tput: No value for $TERM and no -T specified\n', exitCode: 2 },
  ],
  [
    'TERM=xterm tput -S < a.txt',
    { stdout: '', stderr: "tput: unknown terminfo capability 'alpha'\n", exitCode: 4 },
  ],
  [
    'TERM=xterm tput',
    {
      stdout: '',
      stderr:
        "tput: usage: tput [-T TERM] capname [parameters]\nTry 'tput --help' for more information.\n",
      exitCode: 2,
    },
  ],
  ['TERM=xterm tput longname', { stdout: 'xterm with 256 colors', stderr: '', exitCode: 0 }],
  ['TERM=xterm tput setaf x', { stdout: '', stderr: 'tput: x: not a number\n', exitCode: 4 }],
  [
    'tput -T xterm setaf 1 | od -An -c',
    { stdout: ' 033   [   3   1   m\n', stderr: '', exitCode: 0 },
  ],
])('tput knows xterm, and wants the name of a terminal: %s', async (command, expected) => {
  const { run } = await inProcessWorld({
    roots: ['/work'],
    files: { '/work/a.txt': 'alpha\nbeta\ngamma\n' },
    cwd: '/work',
    env: { HOME: '/work', LC_ALL: 'C.UTF-8', TZ: 'UTC' },
  });
  expect(await run(command)).toEqual(expected);
});
