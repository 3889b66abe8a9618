import { expect, test } from 'vitest';
import { inProcessWorld } from '../../test/world/in-process.ts';

// What they print is compared with the real ones in test/commands; here are their messages and what is this house's own.
test.each([
  [
    'ps',
    {
      stdout:
        '    PID TTY          TIME CMD\n      1 ?        00:00:00 bash\n      2 ?        00:00:00 ps\n',
      stderr: '',
      exitCode: 0,
    },
  ],
  [
    'ps -o pid,comm',
    { stdout: '    PID COMMAND\n      1 bash\n      2 ps\n', stderr: '', exitCode: 0 },
  ],
  ['ps -o pid=', { stdout: '      1\n      2\n', stderr: '', exitCode: 0 }],
  [
    'ps -o nope',
    {
      stdout: '',
      stderr: 'ps: error: unknown user-defined format specifier "nope"\n',
      exitCode: 1,
    },
  ],
  ['ps aux | wc -l', { stdout: '3\n', stderr: '', exitCode: 0 }],
  ['ps -p 99999', { stdout: '    PID TTY          TIME CMD\n', stderr: '', exitCode: 1 }],
  ['pgrep bash', { stdout: '', stderr: '', exitCode: 1 }],
  ['pkill x', { stdout: '', stderr: '', exitCode: 1 }],
  [
    'killall x y',
    { stdout: '', stderr: 'x: no process found\ny: no process found\n', exitCode: 1 },
  ],
  ['pidof x', { stdout: '', stderr: '', exitCode: 1 }],
  [
    'pgrep',
    {
      stdout: '',
      stderr: "pgrep: no matching criteria specified\nTry 'pgrep --help' for more information.\n",
      exitCode: 2,
    },
  ],
])('nothing runs beside a command: %s', async (command, expected) => {
  const { run } = await inProcessWorld({
    roots: ['/work'],
    files: { '/work/a.txt': 'alpha\nbeta\ngamma\n' },
    cwd: '/work',
    env: { HOME: '/work', LC_ALL: 'C.UTF-8', TZ: 'UTC' },
  });
  expect(await run(command)).toEqual(expected);
});
