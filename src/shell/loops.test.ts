/** What a loop comes to is what it ran last, `break` and `continue` included, as bash 5.2 has it. */
import { describe, expect, test } from 'vitest';
import { testShell } from './test-shell.ts';

type Row = readonly [what: string, script: string, stdout: string, status: number];

const LOOPS: readonly Row[] = [
  [
    'the last round tells',
    'for i in 1 2; do [ $i = 3 ] && continue; [ $i = 2 ] && break; done; echo $?',
    '0\n',
    0,
  ],
  [
    'one that was asked whether to end',
    'for i in 1 2; do [ $i = 2 ] && break; done; echo $?',
    '0\n',
    0,
  ],
  [
    'a failure after continue counts',
    'for i in 1 2; do [ $i = 1 ] && continue; false; done; echo $?',
    '1\n',
    0,
  ],
  [
    'a failure before break and continue does not',
    'for i in 1 2; do false; continue; done; echo $?; for i in 1; do false; break; done; echo $?; while true; do false; break; done; echo $?',
    '0\n0\n0\n',
    0,
  ],
  [
    'of while and until',
    'i=0; while ((i < 3)); do ((i++)); [ $i = 9 ] && continue; [ $i = 2 ] && break; done; echo $?; until false; do [ a = b ] && :; [ a = a ] && break; done; echo $?',
    '0\n0\n',
    0,
  ],
  [
    'of a loop with three expressions, and of two at once',
    'for ((i=0;i<3;i++)); do [ $i = 9 ] && continue; [ $i = 2 ] && break; done; echo $?; for i in 1; do for j in 1; do [ a = b ] && :; [ a = a ] && break 2; done; done; echo $?',
    '0\n0\n',
    0,
  ],
  [
    'within a function',
    'f() { for i in 1 2; do [ $i = 9 ] && continue; [ $i = 2 ] && break; done; }; f; echo $?; f && echo ok',
    '0\nok\n',
    0,
  ],
  [
    'set -e does not end a script for it',
    'set -e; for i in 1 2 3; do [ $i = 2 ] && break; done; echo on; for i in 1 2; do [ $i = 9 ] && continue; true; done; echo on; f() { for i in 1 2; do [ $i = 2 ] && break; done; }; f; echo end',
    'on\non\nend\n',
    0,
  ],
  [
    'break and continue of several loops are of the outer one',
    'for i in 1 2; do for j in 1 2; do [ $j = 3 ] && continue; [ $i$j = 12 ] && continue 2; false; done; done; echo $?; for i in 1 2; do for j in 1 2; do false; break 2; done; false; done; echo $?; for i in 1 2; do for j in 1; do false; break; done; false; done; echo $?',
    '1\n0\n1\n',
    0,
  ],
  [
    'a function ends no loop of its caller, nor does a subshell',
    "f() { break 2> /dev/null; false; }; for i in 1 2; do f; done; echo $?; for i in 1; do (false; break); done; echo $?; while read -r l; do [ $l = b ] && break; done <<< $'a\\nb\\nc'; echo $?; printf 'a\\nb\\n' | while read -r l; do [ $l = b ] && break; done; echo $?",
    '1\n0\n0\n0\n',
    0,
  ],
  [
    'loops within functions and conditions have their own',
    'g() { for j in 1; do false; break; done; }; for i in 1 2; do g; false; done; echo $?; r() { for k in 1 2; do [ $1 = 0 ] && break; r $(($1 - 1)); false; done; }; r 2; echo $?; for i in 1; do false; done; echo $?; for i in 1; do if true; then false; continue; fi; done; echo $?',
    '1\n1\n1\n0\n',
    0,
  ],
];

describe.each([['the status of a loop', LOOPS]] as const)('%s', (_, rows) => {
  test.each(rows)('%s', async (_name, script, stdout, status) => {
    const result = await testShell().run(script);
    expect([result.stdout, result.exitCode]).toEqual([stdout, status]);
  });
});
