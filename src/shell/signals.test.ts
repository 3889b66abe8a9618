// Held against bash, where there is one: what a signal to the shell itself does.
import { spawnSync } from 'node:child_process';
import { constants } from 'node:os';
import { describe, expect, test } from 'vitest';
import { testShell } from './test-shell.ts';

const SCRIPTS = [
  // Without a trap the shell ends, with 128 and the signal's number.
  ...['', '-TERM', '-SIGTERM', '-term', '-15', '-s TERM', '-s SIGTERM', '-n 15', '--'].map(
    (how) => `kill ${how} $$; echo no`,
  ),
  ...['HUP', 'INT', 'KILL', 'USR1', 'USR2', 'ALRM', 'PIPE'].map(
    (name) => `kill -${name} $$; echo no`,
  ),
  'kill -9 $$; echo no',
  'kill -TERM -- $$; echo no',
  // What is ignored by default, or by a trap, changes nothing.
  'kill -CHLD $$; echo $?; kill -s WINCH $$; echo $?; kill -URG $$; echo $?; kill -CONT $$; echo $?',
  "trap '' TERM USR1; kill $$; echo $?; kill -USR1 $$; echo $?",
  // A trap runs in the place of the end, and the script goes on.
  'trap "echo got" TERM; kill $$; echo "on $?"',
  'trap "echo got" USR1; false; kill -s USR1 $$; echo "on $?"; kill -10 $$; echo end',
  'trap "echo got; exit 3" HUP; kill -1 $$; echo no',
  'trap "echo t" TERM; trap "echo i" INT; kill -INT $$; kill $$; trap - INT; kill -INT $$; echo no',
  // KILL is trapped by nothing, and runs no EXIT trap; every other signal does.
  'trap "echo bye" EXIT; kill -TERM $$; echo no',
  'trap "echo bye" EXIT; kill -KILL $$; echo no',
  'trap "echo bye" EXIT; trap "echo got" TERM; kill $$; echo on',
  // A question is no signal.
  'kill -0 $$; echo $?',
  'f() { kill $$; echo no; }; trap "echo got" TERM; f; echo on',
  'kill $$ 999999; echo no',
  'trap "echo t" TERM; kill 999999 $$ 999998; echo $?',
  // No signal reaches anybody under a name or number that is none.
  'kill -9999 $$; echo $?; kill -s FOO $$; echo $?; kill -n 99 $$; echo $?',
  'kill -l; kill -l 1 TERM sigint 143 64 35 0 EXIT; kill -l 128; echo $?; kill -l FOO 9; echo $?; trap -l',
  'kill -9; echo $?; kill -s; echo $?; kill -sTERM 999999; echo $?; kill -n9 999999; echo $?; kill abc; echo $?',
  'trap "echo x" RTMAX XCPU TSTP 34; trap -p; kill -RTMAX $$; kill -34 $$; trap a FOO 99; echo $?',
];

const hasBash = spawnSync('bash', ['--version']).status === 0;

describe.skipIf(!hasBash)('kill $$ does what it does in bash', () => {
  test.each(SCRIPTS)('%s', async (script) => {
    const { stdout, exitCode } = await testShell().run(script);
    const bash = spawnSync('bash', ['-c', script], { encoding: 'utf8' });
    const ended = bash.signal === null ? bash.status : 128 + constants.signals[bash.signal];
    expect({ stdout, exitCode }).toEqual({ stdout: bash.stdout, exitCode: ended });
  });
});

test('kill of another process says that there is none, whatever the signal', async () => {
  for (const how of ['', '-TERM', '-0', '-s KILL']) {
    const { stdout, stderr } = await testShell().run(
      `trap "echo got" TERM; kill ${how} 999999; echo $?`,
    );
    expect(stdout, how).toBe('1\n');
    expect(stderr, how).toContain('No such process');
  }
});
