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
  'x=5; until ((x <= 0)); do ((x -= 2)); done; echo $x $?; ((x = 3, y = x << 2)); echo $x $y $((x ^ y)) $((x | y)) $((x & y)) $((y >> 1)) $((2 ** 10)) $((-7 / 2)) $((-7 % 3))',
  'i=5; echo $((i++)) $((++i)) $((i--)) $((--i)) $i; echo $((i+=3)) $((i-=1)) $((i*=2)) $((i/=3)) $((i%=3)) $((i<<=3)) $((i|=1)) $((i&=5)) $((i^=2)) $((i>>=1))',
  'echo $((0x1F)) $((017)) $((2#101)) $((36#z)) $((1 ? 2 : 3)) $((0 ? 2 : 3)) $((1 == 1)) $((1 != 1)) $((2 <= 2)) $((2 >= 3)) $((2 < 2)) $((! 0)) $((~0)) $((- -3)) $((+3))',
  "x=abc; abc=4; echo $((x)) $((abc)) $((none)) $((x + abc)); y='1 + 2'; echo $((y * 2)); z=; echo $((z + 1)) $(( ))",
  '[ 1 -lt 2 ] && echo lt; [ 2 -lt 2 ] || echo nlt; [ 2 -le 2 ] && echo le; [ 3 -le 2 ] || echo nle; [ 2 -gt 1 ] && echo gt; [ 2 -gt 2 ] || echo ngt; [ 2 -ge 2 ] && echo ge; [ 1 -ge 2 ] || echo nge; [ 2 -ne 3 ] && echo ne; [ 2 -ne 2 ] || echo nne; [ 2 -eq 2 ] && echo eq',
  '[[ 1 -lt 2 ]] && echo lt; [[ 2 -lt 2 ]] || echo nlt; [[ 2 -le 2 ]] && echo le; [[ 2 -gt 2 ]] || echo ngt; [[ 2 -ge 2 ]] && echo ge; [[ a < b ]] && echo before; [[ b > a ]] && echo after; [[ a != b ]] && echo ne; [[ a = a ]] && echo same',
  '[ -n a ] && echo n; [ -n "" ] || echo nn; [ -z a ] || echo nz; [ a = b ] || echo ne; [ a != b ] && echo d; [ a == a ] && echo e; [ ! -z a ] && echo nz2; [ -f /nothing ] || echo nf; touch q; [ -f q ] && echo f; [ -e q ] && echo e; [ -d . ] && echo d; [ -s q ] || echo s; test -n "" ; echo $?',
  't=hello.world; echo ${t%.*} ${t#*.} ${t:1:3} ${t: -3} ${t: -5:2} ${t:0:-2} ${t//l/L} ${t/#he/HE} ${t/%ld/LD} ${t^^} ${t,,} ${t^h} ${#t} ${t/o} ${t//o/}; t=ABC; echo ${t,} ${t,,}',
  'a=(); echo ${#a[@]} "[${a[@]}]" "[${a[0]}]"; a+=(x); a+=(y z); echo ${#a[@]} ${a[-1]} ${a[-3]} "${a[@]:1}" "${a[*]}"; a[5]=w; echo "${!a[@]}" ${#a[@]} ${#a[5]}; unset a; echo "${a[0]-none}"',
  'declare -A m; m[a]=1; m[a]+=2; m[b c]=3; k=a; echo ${m[a]} ${m[$k]} "${m[b c]}" ${m[x]:-none} ${#m[@]}; unset \'m[a]\'; echo ${m[a]-gone}; ((m[n]++)); ((m[n]+=2)); echo ${m[n]}',
  'a=(3 1 2); for ((i=0; i<${#a[@]}; i++)); do ((a[i] *= 2)); done; echo "${a[@]}"; i=1; a[i]=9; a[$i+1]=8; echo "${a[@]}" $((a[0] + a[i])) ${a[i+1]}',
  'f() { local x; x=$1; echo "$x|$#|$*|$@"; local -i n=2+3; echo $n; return $(($1 + 1)); }; f 3; echo $?; f 1 2; echo $? "${x-unset}"; f 1 2 | cat; echo $?',
  'f() { [ $1 -le 1 ] && { echo 1; return; }; local r=$(f $(($1 - 1))); echo $(($1 * r)); }; f 5; g() { (($1 > 0)) && g $(($1 - 1)); }; g 30; echo $?; g 3 && echo y || echo n',
  'while read -r a b; do echo "$b $a"; done <<< $\'1 2\\n3 4 5\\n\\n6\'; n=0; while read -r l; do ((n++)); [ "$l" = stop ] && break; done <<< $\'a\\nstop\\nb\'; echo $n; read -r x y <<< \' p  q  r \'; echo "[$x][$y]"',
  "echo a b  c; echo \"a  b\"; echo -n x; echo -e 'a\\tb\\\\n'; echo -E 'a\\tb'; echo -ne 'y\\n'; echo '-n'; echo \"\" ; echo -- x; echo -z; echo a -n; x='-n'; echo \"$x\" z; echo",
  "printf '%s\\n' a b; printf '%s %s\\n' a b c; printf '%d%%\\n' 5; printf '%5s|%-5s|%05d|%+d|% d\\n' a b 42 7 8; printf '%c%c\\n' abc d; printf '%x %o %X\\n' 255 8 255; printf '%s' ; printf '\\n'; printf '%b\\n' 'a\\tb'; printf '%%\\n'; printf '%3d|%-3d|\\n' 1 2; printf '%.2s|\\n' abc; printf '%q\\n' 'a b'",
  'set -u; x=1; f() { echo $1; }; f a; echo "${y:-d}"; a=(); echo "${a[@]}" end; (echo $nothing); echo $?',
  'set -e; if [ a = b ]; then :; elif [ a = a ]; then echo elif; fi; f() { [ a = b ]; }; f || echo or; while [ a = b ]; do :; done; ! f; true && f || echo again; case x in y) ;; esac; ((1)); echo on; ((0)); echo never',
  "case abc in a?c) echo q;; esac; case abc in [ab]*) echo br;; esac; case x in [!a]) echo neg;; esac; case 'a*' in a\\*) echo esc;; esac; p='a*'; case abc in $p) echo var;; esac; case abc in \"$p\") echo no;; *) echo lit;; esac; case '' in '') echo empty;; esac; case a in a|b) echo alt;; esac; case a in a) echo 1;;& a) echo 2;; esac; case a in a) echo 3;& b) echo 4;; esac",
  'for i in 1 2 3 4; do [ $i = 2 ] && continue; [ $i = 4 ] && break; echo $i; done; echo $? $i; for i in; do echo no; done; echo $?; set -- x y; for i; do echo $i; done; for i in "$@" z; do echo $i; done; for ((;;)); do break; done; i=0; while :; do ((++i > 3)) && break; done; echo $i',
  'x=1; { x=2; echo $x; } > o; cat o; echo $x; echo a >> o; echo b >> o; cat o; echo c > o; cat o; printf \'%s\\n\' 1 2 > p; cat p; echo err >&2 2> e; { echo x >&2; } 2> e; cat e; echo q > "s p"; cat "s p"; f=t; echo w > $f.txt; cat t.txt',
  'true; echo $?; false; echo $?; (exit 7); echo $?; x=$(exit 3); echo $?; x=1; echo $?; : ; echo $?; ! :; echo $?; [ a ]; echo $? $?; true | false; echo $? ${PIPESTATUS[0]}; false | true; echo "${PIPESTATUS[@]}"',
  'x=1 y=2; echo $x$y; x=$y y=$x; echo $x $y; x=a y=$x; echo $y; unset x y; x=${y:=def}; echo $x $y; echo ${z:?} 2> /dev/null; echo after; ',
  'echo $_ > /dev/null; echo a b; echo $_; x=1; echo "[$_]"; true p q; echo $_; f() { :; }; f z; echo $_; [ a = a ]; echo $_',
  'x=\'a b\'; y="$x c"; set -- $x; echo $#; set -- "$x"; echo $#; set -- $y "$y"; echo $# $3; shift; echo $# $1; shift 2; echo $#; z=$x$y; echo "$z"; echo ${x:+"$y"} ${n-"$x"} "${n:-$x}"',
  'IFS=,; echo "a,b"; x=1,2; for i in $x; do echo $i; done; read -r p q <<< \'7,8\'; echo $p-$q; set -- a b; echo "$*"; unset IFS; echo "$*"',
  'declare -i n=5; n+=3; echo $n; n=2*3; echo $n; declare -u U=abc; echo $U; U+=d; echo $U; declare -l L; L=XYZ; echo $L; readonly R=1; R=2; echo "after $R"',
  'f() { echo "$FUNCNAME ${#FUNCNAME[@]} ${BASH_LINENO[0]} $LINENO"; }; f\nf\ng() {\n  f\n}\ng\necho $LINENO',
  'x=5; ((x > 3)) && echo big || echo small; ((x > 9)) && echo big || echo small; ((x == 5 && x != 4)) && echo and; ((x < 3 || x > 4)) && echo or; ((!(x == 5))) || echo not; (( (x + 1) * 2 == 12 )) && echo paren; ((x = 0)); echo $?; ((x = 2)); echo $? $x',
  's=; for w in b a c; do s+=$w; done; echo $s ${#s}; s=${s}x${s}; echo $s; n=1; for i in 1 2 3 4 5 6 7 8; do n=$n$n; done; echo ${#n}; t=a; while [ ${#t} -lt 5 ]; do t=$t.; done; echo $t',
  'x=5; until ((x <= 0)); do ((x -= 2)); echo $x; [ $x -lt -5 ] && exit; done; echo $x',
  'for i in 1 2; do false; continue; done; echo $?; for i in 1; do false; break; done; echo $?; while true; do false; break; done; echo $?',
  'i=9; ((i -= 1, i -= 1)); echo $i; a=(5 6); ((a[0] -= 2)); ((a[1] - 6)); echo $? ${a[@]}; n=1; ((n -n)) || echo zero; ((n --)); echo $n',
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
