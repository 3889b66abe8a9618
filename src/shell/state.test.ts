// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the scripts are bash.
// Without the carrying of state, arrays and functions were gone with every line,
// and after `exit` so were variables and the working directory.
import { describe, expect, test } from 'vitest';
import { createShell } from './shell.ts';
import { testFs } from './test-fs.ts';
import { testShell } from './test-shell.ts';

/** What one line sets and how the next one shows it. */
const KINDS: [string, string, string, string][] = [
  ['variable', 'x=5', 'echo "$x"', '5\n'],
  ['working directory', 'cd /', 'pwd; cd -', '/\n/work\n'],
  ['OLDPWD', 'cd /; cd /work', 'echo $OLDPWD', '/\n'],
  ['indexed array', 'a=([3]="x\ny" [5]=z)', 'echo "${!a[@]}"; echo "${a[3]}"', '3 5\nx\ny\n'],
  [
    'associative array',
    'declare -A m; m[k]="v w"',
    'echo "${m[k]}"; m[l]=1; echo ${#m[@]}',
    'v w\n2\n',
  ],
  ['function', 'f() { echo "f $1"; }', 'f a', 'f a\n'],
  ['alias', 'shopt -s expand_aliases; alias q="echo hi"', 'q there', 'hi there\n'],
  ['set -o', 'set -o pipefail', 'false | true; echo $?', '1\n'],
  ['shopt', 'shopt -s nullglob', 'echo *.nope', '\n'],
  ['readonly', 'readonly r=1', 'r=2; echo no', ''],
  ['integer', 'declare -i n', 'n=3+4; echo $n', '7\n'],
  ['export', 'export e=1', 'printenv e', '1\n'],
  ['status', 'false', 'echo $?', '1\n'],
  ['pushd', 'pushd / > /dev/null', 'popd', '/work\n'],
  ['positional parameters', 'set -- a b', 'echo $# $2', '2 b\n'],
  ['open file', 'exec 4> o; echo one >&4', 'echo two >&4; cat o', 'one\ntwo\n'],
];

/** How a line may end. */
const ENDS: [string, string][] = [
  ['as it should', ''],
  ['by exit', '; exit 3'],
  ['by exit in a function', '; g() { local x=other; exit 3; }; g'],
  ['by set -e', '; set -e; false'],
  ['by an unset variable', '; set -u; echo $nope; echo no'],
  ['by an arithmetic error', '; echo $((1/0))'],
];

describe('What a line sets is there in the next', () => {
  for (const [kind, set, show, expected] of KINDS) {
    for (const [end, code] of kind === 'status' ? ENDS.slice(0, 1) : ENDS) {
      test(`${kind}, the line ending ${end}`, async () => {
        const { run } = testShell();
        await run(set + code);
        expect((await run(kind === 'status' ? show : `set +eu; ${show}`)).stdout).toBe(expected);
      });
    }
  }

  test('A syntax error changes nothing but the status', async () => {
    const { run } = testShell();
    await run('x=1; f() { echo f; }');
    expect((await run('echo (')).exitCode).toBe(2);
    expect((await run('echo $? $x; f')).stdout).toBe('2 1\nf\n');
  });

  test('An assignment succeeds whatever the line before did', async () => {
    // just-bash gave it the status of the command before.
    const { run } = testShell();
    await run('false');
    expect((await run('x=1')).exitCode).toBe(0);
    expect((await run('x=$(false)')).exitCode).toBe(1);
  });

  test('A subshell, a pipe and a substitution leave nothing behind', async () => {
    const { run } = testShell();
    await run('x=1; (x=2; cd /; f() { :; }); echo a | x=3; y=$(x=4; f() { :; })');
    expect((await run('echo $x; pwd; f')).stdout).toBe('1\n/work\n');
  });

  test('A stopped line leaves what it had set', async () => {
    const { run } = testShell();
    expect((await run('x=1; while :; do :; done', { deadlineMs: 100 })).exitCode).toBe(124);
    expect((await run('echo $x')).stdout).toBe('1\n');
  });
});

describe('cwd and env given to exec hold for that line alone', () => {
  test('and are as before in the next', async () => {
    const { run } = testShell();
    await run('e=old');
    const line = await run('pwd; printenv e k; cd /harness; z=1', {
      cwd: '/',
      env: { e: 'new', k: 'v' },
    });
    expect(line.stdout).toBe('/\nnew\nv\n');
    expect((await run('pwd; echo "$e [$k] $z"; bash -c \'echo "[$e] [$k]"\'')).stdout).toBe(
      '/work\nold [] 1\n[] []\n',
    );
  });
});

describe('A script started by a command is a shell of its own', () => {
  test('It sees exported variables as they are, and nothing else', async () => {
    // just-bash shows `timeout sh -c` the variables of the shell's beginning.
    const { run } = testShell();
    await run('export e=1; v=2; f() { :; }; set -e; set +e');
    expect((await run('timeout 5 sh -c \'echo "$e [$v]"; f\'')).stdout).toBe('1 []\n');
    expect((await run("e=3 bash -c 'echo $e'; unset e; bash -c 'echo [$e]'")).stdout).toBe(
      '3\n[]\n',
    );
    expect((await run("env -i A=1 sh -c 'echo $A [$e]'")).stdout).toBe('1 []\n');
  });

  test('What it declares does not reach its parent', async () => {
    // just-bash shares the sets of attributes between the two.
    const { run } = testShell();
    await run("bash -c 'export L=1; readonly r=1; shopt -s nullglob'");
    expect((await run('r=2; echo $r [$L] *.nope')).stdout).toBe('2 [] *.nope\n');
  });
});

describe('A state can be taken elsewhere', () => {
  test('A clone of it makes a shell that goes on', async () => {
    const { shell, run } = testShell();
    await run('x=1; a=(p q); f() { echo "f $x ${a[1]}"; }; cd /; declare -i n; set -o pipefail');
    const state = structuredClone(shell.state());
    await run('x=2; a[1]=changed; unset -f f');
    const other = createShell({ fs: testFs(), commands: [], cwd: '/work', state });
    const { stdout } = await other.exec('f; pwd; n=1+1; echo $n; false | true; echo $?');
    expect(Buffer.from(stdout).toString()).toBe('f 1 q\n/\n2\n1\n');
  });

  test('Lines called at once run one after the other', async () => {
    const { run } = testShell();
    const results = await Promise.all([
      run('x=1; sleep 0.02'),
      run('x=$((x+1)); echo $x'),
      run('echo $x'),
    ]);
    expect(results.map(({ stdout }) => stdout)).toEqual(['', '2\n', '2\n']);
  });
});

const CHILDREN: readonly (readonly [what: string, script: string, stdout: string])[] = [
  [
    'has the variables that are exported by now',
    'x=1; export y=2; z=3 bash -c \'echo "[$x][$y][$z]"\'; export -n y; bash -c \'echo "[$y]"\'; y=4; declare -x w=5; bash -c \'echo "[$y][$w]"\'',
    '[][2][3]\n[]\n[][5]\n',
  ],
  [
    'has their values, and not their attributes',
    "readonly r=1; declare -i n=2; declare -u U=x; export r n U; bash -c 'r=5; n=1+1; U=abc; echo $r $n $U'",
    '5 1+1 abc\n',
  ],
  [
    'has the options of a new shell, and no directories',
    "shopt -s nullglob; set -f; bash -c 'shopt nullglob; echo $-' | sed 's/[^f]*$//'; pushd / > /dev/null; bash -c 'dirs | wc -w'",
    'nullglob       \toff\n\n1\n',
  ],
  [
    'has nothing of env -i, and without what env -u takes',
    'export y=2; env -i bash -c \'echo "[$y]"\'; env -i y=3 bash -c \'echo "[$y]"\'; env -u y bash -c \'echo "[$y]"\'',
    '[]\n[3]\n[]\n',
  ],
  [
    'has what a function was called with',
    "f() { bash -c 'echo \"[$v]\"'; }; v=1 f; v=2; f; export v; f; v=3 f; bash -c 'echo $v'",
    '[1]\n[]\n[2]\n[3]\n2\n',
  ],
  [
    'a job has a copy of variables, arrays and locals',
    'x=1; a=(1 2); f() { local l=in; { x=2; a[0]=9; l=job; echo "$x ${a[@]} $l"; } & wait; echo "$x ${a[@]} $l"; }; f',
    '2 9 2 job\n1 1 2 in\n',
  ],
  [
    'a job is in no loop of its shell',
    'for i in 1 2; do { for j in a b; do [ $j = b ] && break; echo $i$j; done; } & wait; done; while true; do { break; } 2> /dev/null & wait; echo on; break; done',
    '1a\n2a\non\n',
  ],
  [
    'a subshell changes its own arrays',
    'declare -A m=([a]=1); (m[a]=2; m[b]=3; echo ${#m[@]}); echo ${#m[@]} ${m[a]}; (unset m; echo "${m[a]-none}"); echo ${m[a]}',
    '2\n1 1\nnone\n1\n',
  ],
  [
    'a child sets IFS and OPTIND itself',
    'export IFS=:; bash -c \'x=a:b; echo $x; printf "%q\\n" "$IFS"\'; IFS=, bash -c \'printf "%q\\n" "$IFS"\'; export OPTIND=7; bash -c \'echo $OPTIND\'; export HOSTTYPE=mine; bash -c \'echo $HOSTTYPE\'',
    "a:b\n$' \\t\\n'\n$' \\t\\n'\n1\nmine\n",
  ],
];

describe('What a shell hands to its child', () => {
  test.each(CHILDREN)('%s', async (_, script, stdout) => {
    expect((await testShell().run(script)).stdout).toBe(stdout);
  });
});
