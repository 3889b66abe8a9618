/** What runs without the interpreter comes to what the interpreter makes of it. */
import { describe, expect, test } from 'vitest';
import { testShell } from '../test-shell.ts';

/** With a trap on DEBUG that does nothing, every command goes through the interpreter. */
const INTERPRETED = "trap '' DEBUG\n";

/** Each is run in both ways: its output and its status are the same. */
const SCRIPTS: readonly string[] = [
  'x=1; x=$((x+2)); x+=4; echo $x ${#x} "$x"',
  'x=08; echo $((10#$x + 1)) || echo failed; y=-3; echo $((5-y)) $((5 - $y)) $((-y)) $((y*y))',
  'x=9223372036854775807; ((x++)); echo $x; echo $((x/0)); echo after',
  'x=7; echo $((x/2)) $((-x/2)) $((x%-4)) $((-x%4)) $((x>3?1:0)) $((!x)) $((~x)) $((x&&0)) $((x||0))',
  'i=0; while ((i < 5)); do ((i++)); ((i == 3)) && continue; echo $i; done; ((i--)); echo $i $?',
  'for i in 1 2 3; do if [ $i -gt 1 ]; then echo big; elif [[ $i == 1 ]]; then echo one; else echo no; fi; done',
  'for f in a.txt b.md c; do case $f in *.txt) echo text;; *.md|*.rst) echo prose;; *) echo "other $f";; esac; done',
  'case x in y) ;; esac; echo $?; case "a*" in "a*") echo quoted;; esac; case aXb in a*b) echo star;; esac',
  'p=a/b/c.tar.gz; echo ${p##*/} ${p#*/} ${p%.*} ${p%%.*} ${p%/*} ${p%%/*} ${p#x} ${p%x} ${p##*.}',
  't=a-b-c; echo ${t//-/+} ${t/-/+} ${t/x/y} ${t//-} ${t^^} ${t^} ${t:2} ${t:2:1} ${t: -1} ${t:9} "${t:1:2}"',
  'x=; echo ${x:-d} ${x-d} ${u-d} ${u:+s} ${x:+s} ${x+s} "${u:-$x}" "[$u]" [$x]',
  'x=\'a b\'; echo $x; echo "$x"; y=$x; echo "$y"; x=\'*\'; echo "$x"; z=$x; echo "$z"',
  'a=(1 2); a+=(3); a+=("x y"); a[7]=z; a+=(end); echo "${!a[@]}" "${a[@]}" ${#a[@]} ${a[0]} ${a[-1]}',
  'a=(1 2 3); unset "a[2]"; a+=(4); echo "${!a[@]}"; i=1; a[i+1]=q; a[$i]=r; echo "${a[@]}" $a; a=s; echo "${a[@]}"',
  'declare -A m; for i in 1 2 3; do m[k$i]=$i; m[x]=$i; done; k=k2; echo ${m[k1]} ${m[$k]} ${m[none]-unset} ${#m[@]}; m["a b"]=1; echo ${m["a b"]}',
  'f() { local a=$1 b; b=$((a*2)); echo $b $# $1 "${2-none}"; return 3; }; f 4 x; echo $?; f 5; echo $1 $a',
  'f() { local n=$1; if ((n > 0)); then f $((n-1)); fi; echo $n; }; f 3; n=9; f 1; echo $n',
  'f() { for i in 1 2; do return 4; done; }; f; echo $?; g() { echo $FUNCNAME ${FUNCNAME[1]}; }; h() { g; }; h',
  'f() { x=$((x+1)); }; x=0; for i in 1 2 3; do f; done; echo $x; f() { echo $LINENO; }; f',
  'f() { set -- p q; echo $1 $#; }; set -- a; f b c; echo $1 $#; f() { shift; echo "$@"; }; f 1 2 3; f "x y" "z w"',
  'f() { local v=in; g; }; g() { echo $v; v=changed; }; v=out; f; echo $v; f() { unset v; echo ${v-none}; }; f',
  'echo() { printf "mine %s\\n" "$*"; }; echo a; unset -f echo; echo b; true() { return 5; }; true; echo $?',
  'printf "a b c\\nd  e\\n\\n  x y  \\nlast" | while read -r a b; do echo "[$a][$b]"; done',
  'printf "1:2:3\\n4:5\\n:6:\\n" | while IFS=: read -r a b; do echo "[$a][$b]"; done; printf "x y\\n z\\n" | while IFS= read -r l; do echo "[$l]"; done',
  'printf "a\\\\nb\\nc\\\\\\nd\\n" | while read l; do echo "[$l]"; done; printf "é ü\\n" | while read -r a b; do echo "$b$a"; done; { read; echo "[$REPLY]"; } <<< "  r  "',
  'printf "1\\n2\\n3\\n" | { read a; read b; cat; echo $a$b; }; while read -r x; do :; done < /nothing; echo $?',
  'set -u; x=1; echo $x; (echo $nothing; echo no); echo $?; echo ${nothing-d}',
  'set -e; x=0; ((x)) || echo kept; if ((x)); then :; fi; [ $x = 1 ] && echo no; echo on; f() { ((x)); echo no; }; f; echo never',
  'set -e; for i in 1 2; do [ $i = 1 ]; echo $i; done; echo never',
  'set -e; trap "echo bye" EXIT; if true; then [[ a == b ]]; fi; echo never',
  '! true; echo $?; ! false; echo $?; true && ! false && echo yes; false || ! true || echo no; echo "${PIPESTATUS[@]}"',
  'true && false || echo or; false && true; echo $?; true || false; { echo a; false; } && echo no; echo $? $_',
  'readonly r=1; r=2; echo after; echo $r',
  'declare -i n=2; n=n*3; echo $n; n+=4; echo $n; declare -l w; w=ABC; echo $w; declare -n ref=n; ref=8; echo $n $ref',
  'x=1; (x=2; ((x++)); echo $x); echo $x; y=$(x=5; echo $x); echo $x $y; { x=7; }; echo $x',
  'for ((i=0;i<3;i++)); do x=$((i*i)); echo $x; done; for i in 1 2 3; do [ $i = 2 ] && break; echo $i; done; echo $?',
  'if false; then echo a; fi; echo $?; if echo asked; then echo b; fi > /dev/null; while false; do :; done; echo $?',
  'for i in 1 2; do for j in a b; do [ $j = b ] && continue 2; echo $i$j; done; done',
  '[ ]; echo $?; [ a ]; echo $?; [ "" ]; echo $?; [ ! a ]; echo $?; [ 1 -eq x ]; echo $?; [ -z "" ]; echo $?; [ a = a -a b = b ]; echo $?; test 010 -eq 10; echo $?',
  '[[ 010 -eq 8 ]]; echo $?; x=3; [[ x -gt 2 && -n $x || -z $x ]]; echo $?; [[ ! $x == 3 ]]; echo $?; [[ abc == a?c ]]; echo $?; p="a*"; [[ abc == $p ]]; echo $?; [[ abc == "$p" ]]; echo $?',
  'echo -n a; echo -e "b\\tc"; echo -- d; echo -x; echo; echo "" e; x="-n"; echo $x f; echo "$x" g; echo a  b',
  'IFS=,; x=a,b; echo $x; echo "$x"; unset IFS; x="a  b"; echo $x; IFS=; echo $x',
  'x=5 true; echo ${x-unset}; x=6 f=7; echo $x $f; X=1 eval "echo \\$X"; set -f; echo *; set +f; set -a; q=1; env | grep ^q=',
  'set -x; x=1; echo $x; { set +x; } 2>&1; shopt -s nocasematch; [[ A == a ]] && echo same; case B in b) echo fits;; esac',
  'if [ 1 = 1 ]; then echo $((1/0)) 2> /dev/null; echo same line; fi 2> /dev/null; echo also; echo next\necho line',
  'f() { echo out; echo err >&2; }; x=$(f 2>&1); echo "$x"; f | tr a-z A-Z; if f; then f; fi 2>&1 | wc -l; f > /dev/null 2>&1; for i in 1 2; do echo $i; done > o; cat o',
  'exec 3< <(printf "1\\n2\\n"); read -r a <&3; read -r b <&3; echo $a$b; while read -r l; do echo $l; done < <(printf "x\\ny\\n")',
  'eval "x=1; if [ \\$x = 1 ]; then echo one; fi"; y=3 z=$((y+1)); echo $y $z; a=1 b=$a; echo $b',
  'f() { local x=$x; x+=1; echo $x; }; x=4; f; echo $x; local z=1; echo $?; g() { local p=~ q="(a b)"; echo "$q"; }; g',
  'set -e; f() { false; echo on; }; f || echo caught; f && echo and; if f; then echo yes; fi; ! f; echo here; f; echo never',
  'f() { trap "echo ret" RETURN; echo body; }; f; echo after; (trap "echo sub" EXIT; exit 2); echo $?; { cat & wait; } <<< in',
  'declare -A m=([a]=1 [b]=2 [c]=3); echo ${m[@]} ${m[@]/1/x} ${!m[@]}',
  'for i in 1 22 -3; do printf "%05d|%-5d|%5i|%d%%\\n" $i $i $i $i; done; printf "%x %X %o %u\\n" 255 255 8 3; printf "%03d %d"; echo; printf "%s-%s\\n" a b c',
  'for w in a "b c" é; do printf "%s %-4s| %4s|%.1s\\t\\"\\n" "$w" "$w" "$w" "$w"; done; printf "none\\n" x y; printf "%s"; printf ""; echo $? $_',
  'for n in 010 +5 x 1.5 "" 0x1f 99999999999999999999; do printf "%d\\n" "$n"; echo $?; done; printf "%d %x\\n" -1 1; printf -v v "%s" q; printf -- "%s\\n" $v; printf "%q %b %c %5.1f|%+d|%*d\\n" "a b" "x\\ty" zz 1.25 3 4 5',
  'for i in 1 2 3; do echo "line $i" >> log; done; cat log; for i in 1 2; do echo $i > o; printf "%s\\n" "$i" >> "p $i"; done; cat o p*; echo $? $_ "${PIPESTATUS[@]}"',
  'echo a > /harness/x; echo $?; f=q; echo d > $f; echo e > $unset; echo $?; echo f > ""; echo $?; echo g > ./q; cat q; echo -n > empty; ls; echo h > /harness/y || echo caught',
  'set -C; echo a > f; echo b > f; echo $?; echo c >> f; cat f; echo d > /dev/null; echo e > /dev/stdout; set +C; x=$(echo in > g; cat g); echo $x; { echo i; echo j; } > h; if echo k > m; then cat m; fi; ! echo l > /harness/z; echo $?',
  'set -e; echo a > o; echo b > /harness/x; echo never',
  'trap "echo err" ERR; echo a > /harness/x; f() { echo in > /harness/q; echo $?; }; f; { echo q > /harness/r; } 2> e; cat e; printf "\\xff\\n" > b; wc -c b; exec > all; echo to; exec > /dev/stderr; cat all',
  'i=5; until [ $i -le 0 ]; do i=$((i-2)); done; echo $i; s=; for w in a b c; do s="$s$w"; done; echo $s; s+=d; echo $s',
];

describe('statements that run without the interpreter', () => {
  test.each(SCRIPTS)('come to the same: %s', async (script) => {
    const direct = await testShell({}).run(`:\n${script}`);
    const interpreted = await testShell({}).run(INTERPRETED + script);
    const lines = /line \d+/g;
    expect({ ...direct, stderr: direct.stderr.replace(lines, '') }).toEqual({
      ...interpreted,
      stderr: interpreted.stderr.replace(lines, ''),
    });
  });

  test('carry on from one to the next, through functions in both ways', async () => {
    const { run } = testShell();
    await run('count() { n=$((n+1)); }; n=0; count; trap "" DEBUG; count; trap - DEBUG; count');
    expect((await run('count; echo $n ${FUNCNAME-none} $#')).stdout).toBe('4 none 0\n');
  });

  test('are as deep as the interpreter allows', async () => {
    const { run } = testShell({}, { limits: { maxCallDepth: 500 } });
    const deep = 'f() { if (($1 > 0)); then f $(($1-1)); else echo end; fi; }; f';
    expect((await run(`${deep} 450`)).stdout).toBe('end\n');
    expect((await run(`${deep} 600`)).stderr).toContain('maximum recursion depth (500) exceeded');
    expect((await run('echo ${FUNCNAME-none} $#')).stdout).toBe('none 0\n');
  });

  test('end with their line', async () => {
    const { run } = testShell();
    const endless = await run('while true; do x=1; done', { deadlineMs: 300 });
    expect(endless.exitCode).toBe(124);
    const nested = await run('f() { while :; do if true; then :; fi; done; }; f', {
      deadlineMs: 300,
    });
    expect(nested.stderr).toContain('deadline');
  });

  test('print as they go, and count towards the limit on output', async () => {
    const { run, live } = testShell({}, { limits: { maxOutputSize: 1000 } });
    const { exitCode } = await run('while true; do echo 0123456789; done');
    expect(exitCode).toBe(126);
    expect(live.length).toBeGreaterThan(50);
    const kept = await run('x=$(while true; do echo 0123456789; done); echo no');
    expect(kept.exitCode).not.toBe(0);
  });

  test.each(['s=$s$s', 's+=$s', 's=${s//x/xx}', 's="$s$s$s$s"'])(
    'make no text beyond the limit: %s',
    async (grow) => {
      const { run } = testShell({}, { limits: { maxStringLength: 2 ** 20 } });
      const { stdout, stderr, exitCode } = await run(
        `s=x; for i in {1..40}; do ${grow}; done; echo ${'${#s}'}`,
      );
      expect({ stdout, failed: exitCode !== 0 }).toEqual({ stdout: '', failed: true });
      expect(stderr).toContain('limit');
    },
  );
});
