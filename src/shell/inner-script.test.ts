// What a script inside a script takes from the one around, and what it leaves as it was.
import { spawnSync } from 'node:child_process';
import { describe, expect, test } from 'vitest';
import { testShell } from './test-shell.ts';

const SCRIPTS = [
  // The output of a substitution is a word, its errors are not, and what follows prints as before.
  'echo before; x=$(echo in; echo err >&2); echo "[$x]"; echo after',
  'echo "$(echo one)" "$(echo two)"; echo three',
  'f() { echo "f $(echo "g $(echo h)")"; echo on; }; f; echo end',
  '{ echo a; x=$(echo b); echo "c $x"; } | tr a-z A-Z; echo d',
  'for i in $(echo 1 2); do echo "$i $(echo in)"; done; echo out',
  'echo $(echo in | tr i I) | tr n N; echo "$(cat <<< here)"',
  // `set -e` rests in a substitution, and is in force again behind it.
  'set -e; echo "$(false; echo in)"; echo on; false; echo no',
  'set -e; x=$(false; echo in); echo "$x"; (false); echo no',
  'set -e; shopt -s inherit_errexit; echo "$(echo a; false; echo b)"; echo on',
  'set -e -o posix; echo "$(echo a; false; echo b)"; echo on',
  'set -e; cat <(false; echo in); echo on; false; echo no',
  // The second substitution of a word is one like the first.
  'set -e; echo "$(echo a)$(false; echo in)"; echo on; false; echo no',
  'x=$(echo a)$(printf "b\\0c"); echo "$x ${#x}"; echo "$(exit 3)$(exit 4)$?"',
  // `eval` and `source` inherit where their output goes, and end what is around them.
  'x=$(eval "echo in; echo err >&2" 2>/dev/null); echo "[$x]"; eval "echo out"',
  'eval "echo a; exit 3; echo b"; echo no',
  'x=$(eval "echo a; exit 3"); echo "$? $x"; echo on',
  'set -u; eval "echo a; echo \\$nope; echo b"; echo no',
  'set -u; x=$(echo a; echo $nope; echo b); echo "$? [$x]"',
  'echo "echo sourced; return 4; echo no" > s; . ./s; echo $?; x=$(. ./s); echo "$? $x"',
  // A word holds no NUL; a file holds every byte.
  'x=$(printf "a\\0b"); echo "$x"; echo ${#x}',
  'cat <(printf "a\\0b\\377\\n") | wc -c; echo "$(printf "\\303\\251")" | wc -c; cat <(printf "\\377\\303\\251") > f; wc -c < f',
  'cat <(echo one) <(echo two); while read -r l; do echo "[$l]"; done < <(echo x; echo y)',
  // Traps are a substitution's own.
  'trap "echo outer" EXIT; x=$(trap "echo inner" EXIT; echo in); echo "[$x]"',
  'x=$(echo in; exit 5); echo "$? $x"; echo $(exit 6); echo $?',
];

const hasBash = spawnSync('bash', ['--version']).status === 0;

describe.skipIf(!hasBash)('a script inside a script prints and ends as in bash', () => {
  test.each(SCRIPTS)('%s', async (script) => {
    const { stdout, stderr, exitCode } = await testShell().run(`cd /tmp; ${script}`);
    const bash = spawnSync('bash', ['-c', `cd "$(mktemp -d)"; ${script}; s=$?; exit $s`], {
      encoding: 'utf8',
    });
    expect({ stdout, exitCode }).toEqual({ stdout: bash.stdout, exitCode: bash.status });
    const isErr = (text: string) => text.split('\n').filter((line) => line === 'err');
    expect(isErr(stderr)).toEqual(isErr(bash.stderr));
  });
});

test('what a substitution prints is not shown as it comes, and what follows is', async () => {
  const { run, live } = testShell();
  await run('x=$(echo hidden; echo hidden too); echo "shown ${#x}"');
  expect(live).toEqual([{ stream: 'stdout', text: 'shown 17\n' }]);
});

test('of NULs that a word cannot hold there is a warning, of others none', async () => {
  const { run } = testShell();
  expect((await run('x=$(printf "a\\0b")')).stderr).toContain('ignored null byte');
  expect((await run('x=$(printf ab); cat <(printf "a\\0b") > f')).stderr).toBe('');
});
