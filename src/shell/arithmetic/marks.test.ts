/** `((x - 1))` and its like are arithmetic, whatever command they look like, as in bash 5.2. */
import { describe, expect, test } from 'vitest';
import { testShell } from '../test-shell.ts';

type Row = readonly [what: string, script: string, stdout: string, status: number];

const COMMANDS: readonly Row[] = [
  [
    'a loop that is asked by a comparison',
    'x=5; until ((x <= 0)); do ((x -= 2)); echo $x; [ $x -lt -5 ] && exit; done; echo $x',
    '3\n1\n-1\n-1\n',
    0,
  ],
  [
    'each of several',
    'x=5; ((x <= 0)); echo $?; while ((x >= 3)); do ((x -= 1)); done; echo $x',
    '1\n2\n',
    0,
  ],
  ['shifts', 'x=3; ((x = 3, y = x << 2)); echo $x $y', '3 12\n', 0],
  [
    'shifts that assign',
    'x=3; ((y = x << 2)); echo $y; ((x <<= 2)); echo $x; ((1<<2)); echo $?',
    '12\n12\n0\n',
    0,
  ],
  ['a negation', 'x=5; ((!(x == 5))) || echo not', 'not\n', 0],
  [
    'brackets',
    'x=5; ((!(x == 4))) && echo is; ((2 * (x + 1))); echo $?; (((x + 1) * 2)); echo $?; ((x == (5))); echo $?; ((-(x))); echo $?',
    'is\n0\n0\n0\n0\n',
    0,
  ],
  [
    'in functions and traps',
    'f() { ((x - 1)); ((x << 1)); }; x=4; f; echo $?; trap \'echo "$BASH_COMMAND"\' ERR; ((x - 4)); ((x << 99 >> 99 & 0))',
    '0\n((x - 4))\n((x << 99 >> 99 & 0))\n',
    1,
  ],
  [
    'in the heads of loops and conditions',
    'x=3; for ((i = 3; i - 1; i -= 1)); do echo $i; done; for ((x -= 1; !(x == 0); x -= 1)); do echo $x; done; while ((x - -3)); do ((x -= 1)); done; echo $x; if (( !x )); then echo z; else echo nz; fi',
    '3\n2\n2\n1\n-3\nnz\n',
    0,
  ],
  [
    'in brackets, and text that only looks like it',
    'x=2; (((x - 1))); echo $?; (((x - 1) - 1)); echo $?; echo \'((x - 1))\' "((x - 1))" \\(\\(x -1; ((x -1)) # ((x - 1))',
    '0\n1\n((x - 1)) ((x - 1)) ((x -1\n',
    0,
  ],
  [
    'two subshells are no arithmetic',
    '((echo -n a); (echo b)); echo; ((echo -n c) | cat); ( (echo -n d) ); ((! true) || echo no); echo end',
    'ab\n\ncdno\nend\n',
    0,
  ],
  [
    'several in one',
    'i=9; ((i -= 1, i -= 1)); echo $i; a=(5 6); ((a[0] -= 2)); ((a[1] - 6)); echo $? ${a[@]}; n=1; ((n -n)) || echo zero; ((n --)); echo $n',
    '7\n1 3 6\nzero\n0\n',
    0,
  ],
  [
    'beside here-documents, substitutions and eval',
    "cat <<X\n((x - 1)) $((4 - 1))\nX\nx=1; ((x - 1)) || echo none; x=$( ((x - 1)) && echo t || echo f ); echo $x; eval '((x - 1))'; echo $?",
    '((x - 1)) 3\nnone\nf\n0\n',
    0,
  ],
];

describe.each([['arithmetic commands', COMMANDS]] as const)('%s', (_, rows) => {
  test.each(rows)('%s', async (_name, script, stdout, status) => {
    const result = await testShell().run(script);
    expect([result.stdout, result.exitCode]).toEqual([stdout, status]);
  });
});
