import { defineCommand } from 'just-bash';
import { expect, test } from 'vitest';
import { inProcessWorld } from '../../test/world/in-process.ts';
import { doubleShell } from '../support/double-shell.ts';
import { niceShims } from './index.ts';

// What they print is compared with the real ones in test/commands; here are their messages and what is this house's own.
test.each([
  [
    "nice -n 5 sh -c 'echo out; echo err >&2; exit 3'",
    { stdout: 'out\n', stderr: 'err\n', exitCode: 3 },
  ],
  ['nice -n x true', { stdout: '', stderr: "nice: invalid adjustment 'x'\n", exitCode: 125 }],
  [
    'nice -n 1',
    {
      stdout: '',
      stderr:
        "nice: a command must be given with an adjustment\nTry 'nice --help' for more information.\n",
      exitCode: 125,
    },
  ],
  [
    'stdbuf true',
    {
      stdout: '',
      stderr:
        "stdbuf: you must specify a buffering mode option\nTry 'stdbuf --help' for more information.\n",
      exitCode: 125,
    },
  ],
  ['nohup nope', { stdout: '', stderr: 'bash: nope: command not found\n', exitCode: 127 }],
  [
    'setsid',
    {
      stdout: '',
      stderr: "setsid: missing operand\nTry 'setsid --help' for more information.\n",
      exitCode: 1,
    },
  ],
  [
    'flock l true; flock l flock l true',
    {
      stdout: '',
      stderr: 'flock: l: held by the command that this one is part of, which would wait for ever\n',
      exitCode: 1,
    },
  ],
  ['flock l flock -n l true', { stdout: '', stderr: '', exitCode: 1 }],
  ['flock l flock -w 0 -E 9 l true', { stdout: '', stderr: '', exitCode: 9 }],
  [
    'flock l flock -s l true',
    {
      stdout: '',
      stderr: 'flock: l: held by the command that this one is part of, which would wait for ever\n',
      exitCode: 1,
    },
  ],
  ['flock -s l flock -s l echo both', { stdout: 'both\n', stderr: '', exitCode: 0 }],
  ['flock -s l flock -s l flock -n l echo no', { stdout: '', stderr: '', exitCode: 1 }],
  [
    "flock -s l sh -c 'flock -s l true; flock -n l true; echo $?'; flock -n l echo free",
    { stdout: '1\nfree\n', stderr: '', exitCode: 0 },
  ],
  ['flock a.txt true; head -n 1 a.txt', { stdout: 'alpha\n', stderr: '', exitCode: 0 }],
  ['echo in | flock l cat; flock l false', { stdout: 'in\n', stderr: '', exitCode: 1 }],
  ['flock l --command "echo hi"; flock 9', { stdout: 'hi\n', stderr: '', exitCode: 0 }],
  [
    'flock none/l true',
    {
      stdout: '',
      stderr: 'flock: cannot open lock file none/l: No such file or directory\n',
      exitCode: 66,
    },
  ],
  ['flock x9', { stdout: '', stderr: "flock: bad file descriptor: 'x9'\n", exitCode: 64 }],
  [
    'flock l -c "echo a" b',
    {
      stdout: '',
      stderr: 'flock: -c requires exactly one command argument\n',
      exitCode: 64,
    },
  ],
  [
    'flock -c true l',
    {
      stdout: '',
      stderr: "flock: invalid option -- 'c'\nTry 'flock --help' for more information.\n",
      exitCode: 64,
    },
  ],
  [
    'watch -n 1 echo hi',
    {
      stdout: 'hi\n',
      stderr:
        'watch: run once: nothing redraws a screen here. watch -g COMMAND waits for a change, watch -e for a failure\n',
      exitCode: 0,
    },
  ],
  ["watch -g -n 0.1 'date +%s%N' | wc -l", { stdout: '1\n', stderr: '', exitCode: 0 }],
  ['watch -e -n 0.1 false', { stdout: '', stderr: '', exitCode: 8 }],
  ['stdbuf -oQ true', { stdout: '', stderr: "stdbuf: invalid mode 'Q'\n", exitCode: 125 }],
  [
    'flock',
    {
      stdout: '',
      stderr: "flock: not enough arguments\nTry 'flock --help' for more information.\n",
      exitCode: 64,
    },
  ],
])('a command run through another keeps its output and status: %s', async (command, expected) => {
  const { run } = await inProcessWorld({
    roots: ['/work'],
    files: { '/work/a.txt': 'alpha\nbeta\ngamma\n' },
    cwd: '/work',
    env: { HOME: '/work', LC_ALL: 'C.UTF-8', TZ: 'UTC' },
  });
  expect(await run(command)).toEqual(expected);
});

test.each([
  ['-n 0', '0.1'],
  ['-n 0.05', '0.1'],
  ['-n 0,5', '0.5'],
  ['', '2'],
])('watch %s asks again after %s s', async (option, seconds) => {
  const slept: string[] = [];
  const sleep = defineCommand('sleep', async (args) => {
    slept.push(args.join(' '));
    return { stdout: '', stderr: '', exitCode: 0 };
  });
  const { stdout, exitCode } = await doubleShell([niceShims, () => [sleep]]).run(
    `watch ${option} -q 3 echo hi`,
  );
  expect([stdout, exitCode]).toEqual(['hi\n', 0]);
  expect(slept).toEqual([seconds, seconds]);
});
