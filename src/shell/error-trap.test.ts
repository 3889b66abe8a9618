/** The traps on ERR, RETURN and DEBUG: when they run, and what they see, as bash 5.2 has it. */
import { describe, expect, test } from 'vitest';
import { testShell } from './test-shell.ts';

type Row = readonly [what: string, script: string, stdout: string, status: number];

const ERR: readonly Row[] = [
  [
    'of a simple command, a subshell, an arithmetic command and a condition',
    "trap 'echo err $? $LINENO' ERR; false; (exit 3); ((0)); [[ a == b ]]; echo end",
    'err 1 1\nerr 3 1\nerr 1 1\nerr 1 1\nend\n',
    0,
  ],
  [
    'not of what a compound command passes on twice',
    "trap 'echo err' ERR; { false; }; if true; then false; fi; for i in 1; do false; done; while true; do false; break; done; case x in x) false;; esac; echo end",
    'err\nerr\nerr\nerr\nerr\nend\n',
    0,
  ],
  [
    'not of what is asked',
    "trap 'echo err' ERR; if false; then :; fi; while false; do :; done; until true; do :; done; false && true; false || true; ! true; ! false; true && false; echo end",
    'err\nend\n',
    0,
  ],
  [
    'of the last command of a pipeline, or of any with pipefail',
    "trap 'echo err $?' ERR; false | true; true | false; set -o pipefail; false | true; (exit 4) | (exit 5) | true; echo end",
    'err 1\nerr 1\nerr 5\nend\n',
    0,
  ],
  [
    'knows the command that failed',
    'trap \'echo "[$BASH_COMMAND] $?"\' ERR; x=1; ls /nothing-there 2> /dev/null; test a = b; echo end',
    '[ls /nothing-there 2> /dev/null] 2\n[test a = b] 1\nend\n',
    0,
  ],
  [
    '$? is as it was after it',
    "trap 'true' ERR; (exit 5); echo $?; trap '(exit 9)' ERR; (exit 6); echo $?",
    '5\n6\n',
    0,
  ],
  [
    'is not inherited by functions and subshells',
    "trap 'echo err' ERR; f() { false; echo in; }; f; (false; echo sub); x=$(false; echo subst); echo $x end",
    'in\nsub\nsubst end\n',
    0,
  ],
  [
    'is with set -E',
    'set -E; trap \'echo err\' ERR; f() { false; echo in; }; f; (false; echo sub); x=$(false; echo subst); echo "$x" end',
    'err\nin\nerr\nsub\nerr\nsubst end\n',
    0,
  ],
  [
    'a call of a function that fails is a failure',
    "trap 'echo err $?' ERR; f() { return 3; }; f; g() { false; }; g; h() { f; true; }; h; echo end",
    'err 3\nerr 1\nend\n',
    0,
  ],
  [
    'set in a function stays',
    "f() { trap 'echo err' ERR; false; }; f; false; echo end",
    'err\nerr\nend\n',
    0,
  ],
  [
    'is not run within itself',
    "trap 'echo err; false; echo on' ERR; false; echo end",
    'err\non\nend\n',
    0,
  ],
  [
    'runs before set -e ends the script',
    "set -e; trap 'echo err $?' ERR; trap 'echo bye $?' EXIT; echo a; (exit 3); echo never",
    'a\nerr 3\nbye 3\n',
    3,
  ],
  [
    'set -e in a function',
    "set -e; trap 'echo err $?' ERR; f() { false; echo never; }; f; echo never",
    '',
    1,
  ],
  [
    'set -eE in a function',
    "set -eE; trap 'echo err $?' ERR; f() { (exit 4); echo never; }; f; echo never",
    'err 4\n',
    4,
  ],
  ['may end the script', "trap 'echo err; exit 7' ERR; false; echo never", 'err\n', 7],
  [
    'may return from a function',
    "set -E; trap 'echo err; return 4' ERR; f() { false; echo never; }; f; echo $?",
    'err\nerr\n4\n',
    0,
  ],
  [
    'is replaced and removed',
    "trap 'echo one' ERR; false; trap 'echo two' ERR; false; trap - ERR; false; trap '' ERR; false; echo end; trap",
    "one\ntwo\nend\ntrap -- '' ERR\n",
    0,
  ],
  [
    'is listed',
    "trap 'echo err' ERR; trap 'echo ret' RETURN; trap 'echo x' EXIT; trap -p ERR; trap -p RETURN; trap - EXIT",
    "trap -- 'echo err' ERR\ntrap -- 'echo ret' RETURN\n",
    0,
  ],
  [
    'its output goes where the script prints',
    "trap 'echo err; echo more >&2' ERR; { false; } > o 2> e; cat o e; x=$(trap 'echo in' ERR; false; echo v); echo $x",
    'err\nmore\nin v\n',
    0,
  ],
  [
    'runs with the variables of the script',
    "n=0; trap 'n=$((n+1))' ERR; false; false; true; false; echo $n",
    '3\n',
    0,
  ],
  [
    'of a loop is run each time',
    "trap 'echo err $i' ERR; for i in 1 2 3; do [ $i = 2 ]; done; echo end",
    'err 1\nerr 3\nend\n',
    0,
  ],
  [
    'line numbers',
    "trap 'echo $LINENO' ERR\nfalse\ntrue\n\nfalse\nf() {\n  false\n}\nf\necho end",
    '2\n5\n9\nend\n',
    0,
  ],
  [
    'errtrace line numbers',
    "set -E\ntrap 'echo $LINENO' ERR\nf() {\n  false\n  true\n}\nf\necho end",
    '4\nend\n',
    0,
  ],
  [
    'of an assignment by a substitution',
    "trap 'echo err $?' ERR; x=$(exit 3); y=$(false) true; local_=$(true); echo end",
    'err 3\nend\n',
    0,
  ],
  [
    'of a command that is not found',
    "trap 'echo err $?' ERR; no-such-command 2> /dev/null; echo end",
    'err 127\nend\n',
    0,
  ],
  [
    'of eval and a sourced file',
    "trap 'echo err $?' ERR; eval false; echo 'false; echo in' > s; . ./s; eval 'true; false'; echo end",
    'err 1\nerr 1\nerr 1\nin\nerr 1\nerr 1\nend\n',
    0,
  ],
  [
    'of a redirection that fails',
    "trap 'echo err' ERR; echo a > /harness/x 2> /dev/null; { echo a > /harness/x; } 2> /dev/null; echo end",
    'err\nerr\nend\n',
    0,
  ],
  [
    'of a subshell that set -e ends',
    "set -e; trap 'echo err' ERR; (false); echo never",
    'err\n',
    1,
  ],
  [
    'of a substitution that set -e ends',
    "set -e; trap 'echo err' ERR; x=$(false); echo never",
    'err\n',
    1,
  ],
  [
    'of a function within a function that set -e ends, is not inherited',
    "set -e; trap 'echo err' ERR; f() { g; echo never; }; g() { false; }; f; echo never",
    '',
    1,
  ],
  [
    'that a function sets itself runs before set -e ends it',
    "set -e; trap 'echo err' ERR; f() { trap 'echo own' ERR; false; }; f; echo never",
    'own\n',
    1,
  ],
  [
    'of a function that returns a failure runs before set -e ends it',
    "set -e; trap 'echo err' ERR; f() { return 3; }; f; echo never",
    'err\n',
    3,
  ],
  [
    'of a command in a group and a condition runs before set -e ends them',
    "set -e; trap 'echo err' ERR; { if true; then false; fi; }; echo never",
    'err\n',
    1,
  ],
  [
    'of a subshell that calls a function runs in the shell that set it',
    "set -e; trap 'echo err' ERR; f() { false; }; (f); echo never",
    'err\n',
    1,
  ],
  [
    'within a group around a function is not inherited',
    "set -e; trap 'echo err $?' ERR; trap 'echo bye' EXIT; f() { (exit 4); }; { f; }; echo never",
    'bye\n',
    4,
  ],
];

const RETURN: readonly Row[] = [
  [
    'is not inherited unless functrace is set',
    "trap 'echo ret' RETURN; f() { echo f; }; f; set -T; f; set +T; f; echo end",
    'f\nf\nret\nf\nend\n',
    0,
  ],
  [
    'of a function that calls another',
    "g() { echo g; }; f() { trap 'echo ret' RETURN; g; echo f; }; f; echo end",
    'g\nf\nret\nend\n',
    0,
  ],
  ['$? is kept', "f() { trap 'false' RETURN; return 5; }; f; echo $?", '5\n', 0],
  [
    'its output is captured',
    'f() { trap \'echo ret\' RETURN; echo body; }; x=$(f); echo "[$x]"; f > o; cat o',
    '[body\nret]\nbody\nret\n',
    0,
  ],
];

const DEBUG: readonly Row[] = [
  [
    'runs before each simple command',
    'trap \'echo "> $BASH_COMMAND"\' DEBUG; x=1; echo $x; true; trap - DEBUG; echo end',
    '> x=1\n> echo $x\n1\n> true\n> trap - DEBUG\nend\n',
    0,
  ],
  [
    'is not inherited by functions',
    "trap 'echo dbg' DEBUG; f() { echo a; echo b; }; f; trap - DEBUG",
    'dbg\na\nb\ndbg\n',
    0,
  ],
  [
    'sees the status of the command before, and leaves it',
    'trap \'echo "s$?"\' DEBUG; false; true; trap - DEBUG; echo end',
    's0\ns1\ns0\nend\n',
    0,
  ],
  [
    'is not inherited by subshells and substitutions',
    "trap 'echo dbg' DEBUG; (echo sub); x=$(echo v); echo $x; trap - DEBUG",
    'sub\ndbg\ndbg\nv\ndbg\n',
    0,
  ],
  [
    'has the line of the command that follows',
    "trap 'echo $LINENO' DEBUG\ntrue\n\ntrue\ntrap - DEBUG",
    '2\n4\n5\n',
    0,
  ],
  [
    'runs with the variables of the script',
    "trap 'n=$((n+1))' DEBUG; n=0; true; true; echo $n; trap - DEBUG",
    '3\n',
    0,
  ],
];

describe.each([
  ['the trap on ERR', ERR],
  ['the trap on RETURN', RETURN],
  ['the trap on DEBUG', DEBUG],
] as const)('%s', (_, rows) => {
  test.each(rows)('%s', async (_name, script, stdout, status) => {
    const result = await testShell().run(script);
    expect([result.stdout, result.exitCode]).toEqual([stdout, status]);
  });
});
