import { describe, expect, test } from 'vitest';
import { testShell } from './test-shell.ts';

/** Scripts with what bash 5.2 prints. */
const SCRIPTS: readonly (readonly [name: string, script: string, stdout: string])[] = [
  ['Arguments do not see the assignments beside them', 'x=1; x=2 echo $x "$x" $((x))', '1 1 1\n'],
  ['a function sees them, its arguments do not', 'f() { echo $x $1; }; x=1; x=2 f $x', '2 1\n'],
  ['nor does what is exported', 'x=1; x=2 export y=$x; echo $y', '1\n'],
  ['$? in such arguments is that of before', 'false; A=1 echo $? $A', '1\n'],
  [
    'A blank at the start of a value ends the text before it',
    'b=" b "; printf "<%s>" x$b "y"$b $b$b z$(echo " q ")e; echo',
    '<x><b><y><b><b><b><z><q><e>\n',
  ],
  ['in the words of a loop, too', 'b=" b"; for i in x$b; do echo $i; done', 'x\nb\n'],
  ['and in those of an array', 'b=" b"; a=(x$b); echo ${#a[@]}', '2\n'],
  ['What is quoted is not split', 'b=" b"; printf "<%s>" "x$b"; echo', '<x b>\n'],
  ['The length of $? and $#', 'false; echo ${#?} ${##} ${#@}', '1 1 0\n'],
  ['The number of arguments', 'set -- a b c d e f g h i j; echo ${#@} ${#*} ${##}', '10 10 2\n'],
  ['An offset before the start', 'x=abc; echo "[${x: -4}][${x: -3}]"', '[][abc]\n'],
  [
    'A replacement in what is unset',
    'unset v; echo "[${v/*/w}]"; v=; echo "[${v/*/w}]"',
    '[]\n[w]\n',
  ],
  [
    '& in a replacement is what was found',
    'a=abc; echo "${a//[bc]/<&>}" "${a/b/\\&}" "${a/b/"&"}"; set -- ab; echo "${@/b/&&}"',
    'a<b><c> a&c a&c\nabb\n',
  ],
  ['a backslash out of a variable escapes', "a=abc b='\\\\'; echo ${a/b/$b}", 'a\\c\n'],
  ['@Q of every argument', 'set -- a "b c" "it\'s"; echo ${@@Q}', "'a' 'b c' 'it'\\''s'\n"],
  ["$'' ends at a NUL, and takes one digit", "echo $'a\\x00b'c $'x\\x9y' $'\\U3bc'", 'ac x\ty μ\n'],
  [
    'continue succeeds',
    'while echo $?; test $e && exit; true; do e=1; false; continue; done',
    '0\n0\n',
  ],
  [
    'What a trap comes to is not what kill does',
    'trap "false" USR1; kill -USR1 $$; echo $?',
    '0\n',
  ],
  [
    'Traps are listed by number',
    'trap a INT; trap b EXIT; trap; trap - EXIT',
    "trap -- 'b' EXIT\ntrap -- 'a' SIGINT\n",
  ],
  ['echo takes -E among its letters', "echo -En 'a\\n'; echo -Ee '\\tb'", 'a\\n\tb\n'],
  ['A command that comes to nothing succeeds', 'false; $nothing; echo $?', '0\n'],
  [
    '++ beside no variable is two signs',
    'x=1; echo $((0++1)) $((+++x)) $((--7)) $((x+++1))',
    '1 2 7 3\n',
  ],
  [
    'a dollar before a quote is text in a here-document, but within its substitutions',
    "x=v; cat <<A; cat <<'B'; cat <<-C\ngrep 'foo$' \"$x$\" \\$'\n$(printf '%s' $'a\\tb') `printf '%s' $'c'` $'d'\nA\n$'x'\nB\n\t$\"$x\"\n\tC\ncat <<D\nD\necho $'e'",
    "grep 'foo$' \"v$\" $'\na\tb c $'d'\n$'x'\n$\"v\"\ne\n",
  ],
  ['~ is text in a here-document', 'cat <<EOF\n~/x\n~\nEOF', '~/x\n~\n'],
  [
    '<<- takes away the tabs that are written',
    "a=$'\\tq'; cat <<-EOF\n\t$a\n\t\tb\n\tEOF\n",
    '\tq\nb\n',
  ],
  [
    'Alternatives beside text under set -u',
    'set -u; echo v=${v:+a} v=${v+a} v=${v:-d}',
    'v= v= v=d\n',
  ],
  [
    'A class in a replacement may hold what is escaped',
    "x='[foo]'; echo ${x//[\\[z]/<} ${x//[\\]z]/>} ${x//[^\\[z]/<}",
    '<foo] [foo> [<<<<\n',
  ],
  ['The options of a line', 'echo $-; set -eu; echo $-', 'hBc\nehuBc\n'],
];

describe('Words', () => {
  test.each(SCRIPTS)('%s', async (_name, script, stdout) => {
    const { run } = testShell();
    expect(await run(script)).toEqual({ stdout, stderr: '', exitCode: 0 });
  });
});

describe('Streams that exec gave the shell', () => {
  test('are those of what needs no interpreter, too', async () => {
    const { run } = testShell();
    expect(await run('exec 1>&2; echo a; for i in b; do echo $i; done')).toEqual({
      stdout: '',
      stderr: 'a\nb\n',
      exitCode: 0,
    });
    const file = testShell().run;
    expect((await file('(exec > f; for i in 1 2; do echo $i; done); cat f')).stdout).toBe('1\n2\n');
    expect((await file('(exec >&-; echo x) 2> /dev/null; echo $?')).stdout).toBe('1\n');
  });
});

describe('BASH_SOURCE', () => {
  const files = {
    '/work/d/s.sh':
      'echo "${BASH_SOURCE[0]} ${#BASH_SOURCE[@]}"; f() { echo "${BASH_SOURCE[0]} ${FUNCNAME[*]}"; }; f\n',
    '/work/o.sh': 'source d/s.sh\n[[ "${BASH_SOURCE[0]}" == "$0" ]] && echo main $FUNCNAME\n',
  };

  test('is the file that runs, and the one that it reads', async () => {
    const { run } = testShell(files);
    expect((await run('bash d/s.sh')).stdout).toBe('d/s.sh 1\nd/s.sh f main\n');
    expect((await run('. d/s.sh')).stdout).toBe('d/s.sh 1\nd/s.sh f source\n');
    expect((await run('bash o.sh')).stdout).toBe('d/s.sh 2\nd/s.sh f source main\nmain\n');
  });

  test('is empty for what no file holds', async () => {
    const { run } = testShell();
    expect((await run('echo "[${BASH_SOURCE[0]}$FUNCNAME]"')).stdout).toBe('[]\n');
    expect((await run('f() { echo "${BASH_SOURCE[0]}"; }; f')).stdout).toBe('environment\n');
  });
});
