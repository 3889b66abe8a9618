import { expect, test } from 'vitest';
import { type Answer, inProcessWorld } from '../../test/world/in-process.ts';

// What they print is compared with the real ones in test/commands; here are their messages and what is this house's own.
test.each<[string, Answer]>([
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
  [
    'ps -ef | sed s/..:../HH:MM/; ps aux | sed s/..:../HH:MM/; ps ax',
    {
      stdout: [
        'UID          PID    PPID  C STIME TTY          TIME CMD',
        'user           1       0  0 HH:MM ?        00:00:00 bash',
        'user           2       1  0 HH:MM ?        00:00:00 ps -ef',
        'USER         PID %CPU %MEM    VSZ   RSS TTY      STAT START   TIME COMMAND',
        'user           1  0.0  0.0      0     0 ?        R    HH:MM   0:00 bash',
        'user           2  0.0  0.0      0     0 ?        R    HH:MM   0:00 ps aux',
        '    PID TTY      STAT   TIME COMMAND',
        '      1 ?        R      0:00 bash',
        '      2 ?        R      0:00 ps ax',
        '',
      ].join('\n'),
      stderr: '',
      exitCode: 0,
    },
  ],
  [
    'ps -p 1 -o pid,ppid,user,uid,tty,tt,time,etime,stat,pcpu,%cpu,pmem,%mem,rss,vsz,c,comm,cmd,args,command',
    {
      stdout:
        '    PID    PPID USER       UID TT       TT           TIME     ELAPSED STAT %CPU %CPU %MEM %MEM   RSS    VSZ  C COMMAND         CMD                         COMMAND                     COMMAND\n' +
        '      1       0 user      1000 ?        ?        00:00:00       00:00 R     0.0  0.0  0.0  0.0     0      0  0 bash            bash                        bash                        bash\n',
      stderr: '',
      exitCode: 0,
    },
  ],
  ...[
    'ps -p1 -o comm=',
    'ps -p 1,9 -ocomm=',
    'ps --pid=1 --format=comm=',
    'ps --pid 1 --format comm=',
    'ps p1 o comm=',
    'ps 1 -o comm=',
    'ps -eo comm= -p 1',
    'ps axo comm= 1',
    'ps -p 9 -p 1 -o comm=',
  ].map((command): [string, Answer] => [command, { stdout: 'bash\n', stderr: '', exitCode: 0 }]),
  [
    "ps -o pid=NO -o 'ppid= comm' -p 2; ps -o comm=,args= -p 2; ps -o pid= -p 9",
    {
      stdout:
        '     NO         COMMAND\n      2       1 ps\nps              ps -o comm=,args= -p 2\n',
      stderr: '',
      exitCode: 1,
    },
  ],
  [
    'ps -p 2 | wc -l; ps -p 1 -f | wc -l; pgrep -c x; pgrep -l -u 1; pkill -9; echo $?; pidof; echo $?',
    {
      stdout: '2\n2\n0\n2\n1\n',
      stderr: "pkill: no matching criteria specified\nTry 'pkill --help' for more information.\n",
      exitCode: 0,
    },
  ],
  [
    'killall -q x; echo $?; killall -9 x; killall -9',
    {
      stdout: '1\n',
      stderr:
        "x: no process found\nkillall: a name is needed\nTry 'killall --help' for more information.\n",
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
