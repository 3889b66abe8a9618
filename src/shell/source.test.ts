/** Where the text of a script is shown, it is the one that was typed, and not the spelling that is parsed. */
import { expect, test } from 'vitest';
import { testShell } from './test-shell.ts';

const F = 'f() { echo !(a) > k=1; x=(a=1 b); for i in a=1; do ((i - 1)); ((i << 2)); done; }';

// What bash 5.2 prints; patterns such as `!(a)` are read as such from the line behind the option on.
test.each([
  [
    'by a function',
    `${F}; declare -f f`,
    'f () \n{ \n    echo !(a) > k=1;\n    x=(a=1 b);\n    for i in a=1;\n    do\n        ((i - 1));\n        ((i << 2));\n    done\n}\n',
  ],
  [
    'by the trap on DEBUG',
    'trap \'echo "[$BASH_COMMAND]"\' DEBUG; echo !(a*); echo x > k=1; x=(a=1 b=2); ((1 << 2))',
    '[echo !(a*)]\n!(a*)\n[echo x > k=1]\n[x=(a=1 b=2)]\n[((1 << 2))]\n',
  ],
  [
    'by the trap on ERR',
    'trap \'echo "[$BASH_COMMAND]"\' ERR; test !(a) = a; test k = k > k=1; ((1 - 1))',
    '[test !(a) = a]\n[((1 - 1))]\n',
  ],
  ['by jobs', 'sleep 5 > k=1 & jobs; kill %1', '[1]+  Running                 sleep 5 > k=1 &\n'],
])('%s', async (_, script, stdout) => {
  const shell = testShell({ '/work/a': '' });
  expect((await shell.run(`shopt -s extglob\n${script}`)).stdout).toBe(stdout);
});
