/** Ways to use up the machine: each is ended, or kept small, with a sentence, and the world goes on. */
import type { Attempt, Holds } from '../attempt.ts';

const row = (
  name: string,
  act: string,
  twin: string,
  holds: Holds,
  more: Partial<Attempt> = {},
): Attempt => ({
  class: 'exhaustion',
  name,
  act,
  twin,
  holds,
  ...more,
});

const ended: Holds = {
  bounded: /deadline|ended|killed|limit|too |exceed|maximum|used up|cannot allocate memory/i,
};
const spins = (name: string, act: string, twin: string): Attempt =>
  row(name, act, twin, ended, { slow: true });

/** Until the deadline of the command. */
const SPINNING: readonly Attempt[] = [
  spins(
    'a loop that does nothing',
    'while :; do :; done',
    'n=0; while [ $n -lt 5 ]; do n=$((n+1)); done',
  ),
  spins('a loop in awk', "awk 'BEGIN { while (1) n++ }'", "awk 'BEGIN { while (n < 5) n++ }'"),
  spins('a loop in sed', "echo x | sed ':a; ba'", "echo x | sed ':a; s/x/y/; ta'"),
  spins('a loop in jq', "jq -n '[range(1e12)] | length'", "jq -n '[range(5)] | length'"),
  spins('sleep', 'sleep 100000', 'sleep 0'),
  spins('a loop in the background', 'while :; do :; done & wait', ': & wait'),
  spins(
    'a trap that comes again',
    "trap ':' EXIT; until false; do :; done",
    "trap ':' EXIT; until true; do :; done",
  ),
  spins(
    'a read without an end',
    'cat /dev/urandom | tr -d x > /dev/null; while read -r x; do :; done < /dev/urandom; while :; do cat /dev/zero > /dev/null; done',
    'head -c 10 /dev/zero > /dev/null',
  ),
];

const SMALL: readonly Attempt[] = [
  row('yes without an end', 'yes > y', 'yes | head -n 3 > y', { fails: /^/ }),
  row(
    'recursion of a function',
    'f() { f; }; f',
    'f() { [ $1 = 0 ] || f $(($1 - 1)); }; f 5',
    ended,
  ),
  row('a fork bomb', 'f() { f | f & }; f; wait', 'f() { :; }; f & wait', ended, { slow: true }),
  row('braces', 'echo {1..1000000}{1..1000000} | head -c 10', 'echo {1..3}{1..3}', ended),
  row('a power of a power', 'echo $(( 9 ** 9 ** 9 ** 9 ))', 'echo $(( 9 ** 9 ))', {
    fails: /exponent/,
  }),
  row('eval of eval', 'e=\'eval "$e"\'; eval "$e"', 'e=true; eval "$e"', ended, { slow: true }),
  row(
    'a script that runs itself',
    'echo "bash me" > me; bash me',
    'echo "echo me" > me; bash me',
    ended,
  ),
  row('source of itself', 'echo ". ./me" > me; . ./me', 'echo "echo me" > me; . ./me', ended),
  row(
    'an alias of itself',
    "shopt -s expand_aliases; alias q='q q'; eval q",
    "alias q='echo q'; eval q || true",
    { fails: /./ },
  ),
];

/** Programs, and what writes without an end: by the deadline, or when there is no more room. */
const ENDLESS: readonly Attempt[] = [
  spins(
    'a writer without an end',
    'while :; do echo xxxxxxxxxxxxxxxx; done > w',
    'for i in 1 2 3; do echo x; done > w',
  ),
  spins('a file that grows', 'while :; do echo x >> w; done', 'echo x >> w'),
  spins('Python without an end', "python3 -c 'while True: pass'", "python3 -c 'pass'"),
  spins(
    'Python that writes without an end',
    `python3 -c 'f = open("w", "w")
while True: f.write("x" * 65536)'`,
    `python3 -c 'open("w", "w").write("x")'`,
  ),
  row(
    'Python that starts itself',
    `printf 'import subprocess\\nsubprocess.run(["python3", "p.py"], check=True)\\n' > p.py; python3 p.py`,
    `printf 'import subprocess\\nsubprocess.run(["true"], check=True)\\n' > p.py; python3 p.py`,
    { fails: /Resource temporarily unavailable|deadline/ },
    { slow: true },
  ),
  spins('node without an end', "node -e 'for (;;);'", "node -e ''"),
  spins(
    'node that writes without an end',
    `node -e 'const fs = require("fs"); for (;;) fs.appendFileSync("w", "x".repeat(65536))'`,
    `node -e 'require("fs").appendFileSync("w", "x")'`,
  ),
  spins(
    'node that grows',
    "node -e 'const a = []; for (;;) a.push(a.slice())'",
    "node -e '[].push(1)'",
  ),
  row(
    'a hook of git without an end',
    `git init -q g; printf '#!/bin/sh\nwhile :; do :; done\n' > g/.git/hooks/pre-commit; chmod +x g/.git/hooks/pre-commit; git -C g -c user.name=a -c user.email=a@b commit -q --allow-empty -m x; true`,
    'git init -q h',
    { harmless: true },
  ),
];

/** Memory: the strings and files of a world. */
const MEMORY: readonly Attempt[] = [
  row(
    'a string that doubles',
    's=x; for i in {1..40}; do s=$s$s; done; echo ${#s}',
    's=x; for i in {1..5}; do s=$s$s; done; echo ${#s}',
    { fails: /./ },
    { slow: true },
  ),
  row(
    'an array that grows',
    'a=(); while :; do a+=("$RANDOM$RANDOM$RANDOM"); done',
    'a=(); a+=(1); echo ${#a[@]}',
    ended,
    { slow: true },
  ),
  row(
    'a file in memory',
    'head -c 20000000000 /dev/zero > /tmp/big; s=$?; rm -f /tmp/big; (exit $s)',
    'head -c 20 /dev/zero > /tmp/small; rm /tmp/small',
    { fails: /./ },
    { slow: true },
  ),
  row(
    'a sparse file in memory',
    'truncate -s 20G /tmp/big; s=$?; rm -f /tmp/big; (exit $s)',
    'truncate -s 20 /tmp/small; rm /tmp/small',
    { fails: /./ },
  ),
  row('printf with a width', "printf '%999999999999d' 1 | wc -c", "printf '%9d' 1 | wc -c", {
    fails: /./,
  }),
  row(
    'a pipe of everything',
    'while :; do cat /dev/zero; done | sort | wc -c',
    'printf "b\\na\\n" | sort | wc -c',
    { fails: /./ },
    { slow: true },
  ),
  row(
    'seq without an end',
    'seq 1 100000000000 | tail -n 1',
    'seq 1 10 | tail -n 1',
    { fails: /./ },
    { slow: true },
  ),
  row(
    'jq: a string repeated',
    'jq -n \'"x" * 100000000000\'',
    'jq -n \'"x" * 3\'',
    { fails: /./ },
    { slow: true },
  ),
  row(
    'awk: a string that doubles',
    'awk \'BEGIN { s = "x"; for (i = 0; i < 60; i++) s = s s; print length(s) }\'',
    'awk \'BEGIN { s = "x"; for (i = 0; i < 6; i++) s = s s; print length(s) }\'',
    { fails: /./ },
    { slow: true },
  ),
];

/** Files that break whoever reads them in the host: the person's commands go on. */
const proposal = (name: string, text: string): Attempt =>
  row(
    `a proposal that breaks its reader: ${name}`,
    `mkdir -p /harness/proposals/agents; ${text} > /harness/proposals/agents/broken.md`,
    `mkdir -p /harness/proposals/agents; printf -- '---\\ndescription: fine\\n---\\nx\\n' > /harness/proposals/agents/fine.md`,
    { harmless: true },
    { shown: ['harness diff'], slow: true },
  );

const READERS: readonly Attempt[] = [
  proposal(
    'aliases of aliases',
    "printf -- '---\\na: &a [x,x,x,x,x,x,x,x,x]\\nb: &b [*a,*a,*a,*a,*a,*a,*a,*a,*a]\\nc: &c [*b,*b,*b,*b,*b,*b,*b,*b,*b]\\nd: &d [*c,*c,*c,*c,*c,*c,*c,*c,*c]\\ne: &e [*d,*d,*d,*d,*d,*d,*d,*d,*d]\\nf: [*e,*e,*e,*e,*e,*e,*e,*e,*e]\\n---\\n'",
  ),
  proposal('16,000 keys', "{ echo ---; seq -f 'k%g: 1' 16000; echo ---; }"),
  proposal('a deep nest', "{ echo ---; printf '[%.0s' {1..5000}; echo; echo ---; }"),
  proposal(
    'a key of the prototype',
    "printf -- '---\\n__proto__: {polluted: 1}\\nconstructor: x\\n---\\n'",
  ),
  proposal('bytes that are no text', 'head -c 3000 /dev/urandom'),
  row(
    'a text that looks like a credential',
    "printf 'token%40000s' ''; printf 'Bearer %040000d' 0",
    'echo token',
    { harmless: true },
  ),
  row('a line of a million characters', "printf '%01000000d' 1 | grep -c 1", 'echo 1 | grep -c 1', {
    harmless: true,
    prints: /^1$/m,
  }),
];

const A30 = 'a'.repeat(30);

/** Patterns that take exponential time where they are searched by trying; the twin is what they find. */
const PATTERNS: readonly Attempt[] = [
  ['grep -E', `echo ${A30}! | grep -E '^(a+)+$'`, `echo aa | grep -E '^(a+)+$'`],
  ['grep -P', `echo ${A30}! | grep -P '^(a|a)*$'`, `echo aa | grep -P '^(a|a)*$'`],
  ['rg', `echo ${A30}! | rg '^(a*)*$'`, `echo aa | rg '^(a*)*$'`],
  ['[[ =~ ]]', `[[ ${A30}! =~ ^(a+)+$ ]]`, '[[ aa =~ ^(a+)+$ ]]'],
  ['awk', `echo ${A30}! | awk '/^(a+)+$/' | grep .`, `echo aa | awk '/^(a+)+$/' | grep .`],
  [
    'sed',
    `echo ${A30}! | sed -E -n '/^(a+)+$/p' | grep .`,
    `echo aa | sed -E -n '/^(a+)+$/p' | grep .`,
  ],
  ['expr', `expr ${A30}! : '\\(a*\\)*$'`, `expr aa : '\\(a*\\)'`],
  ['a glob', `shopt -s extglob; [[ ${A30}! == +(+(a)) ]]`, 'shopt -s extglob; [[ aa == +(+(a)) ]]'],
  [
    'find -regex',
    `touch ${A30}; find . -regex '\\./\\(a+\\)+!' | grep .`,
    `touch aa; find . -name aa | grep .`,
  ],
  ['jq test', `jq -ne '"${A30}!" | test("^(a+)+$")'`, `jq -ne '"aa" | test("^(a+)+$")'`],
].map(
  ([name = '', act = '', twin = '']): Attempt =>
    row(`a pattern by trying: ${name}`, act, twin, { fails: /^(?!.*deadline)/s }),
);

export const EXHAUSTION_ROWS: readonly Attempt[] = [
  ...SPINNING,
  ...SMALL,
  ...ENDLESS,
  ...MEMORY,
  ...PATTERNS,
  ...READERS,
];
