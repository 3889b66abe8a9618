/** Scripts at the edges of what the shell knows, each with what bash 5.2 prints. */
import { describe, expect, test } from 'vitest';
import { testShell } from './test-shell.ts';

type Row = readonly [what: string, script: string, stdout: string];

const EXPANSIONS: readonly Row[] = [
  [
    'offsets and lengths count from both ends',
    'x=abcdef; echo "${x:2}" "${x:1:3}" "${x: -2}" "${x: -4:2}" "${x:1:-2}" "[${x:6}]" "[${x:7}]" "${x:0:0}."; set -- a b c d; echo "${@:2:2}" "${@: -1}" "${@:0:1}" "${*:3}"',
    'cdef bcd ef cd bcd [] [] .\nb c d bash c d\n',
  ],
  [
    'elements of arrays are taken by offset among those that are there',
    'a=(p q r s); unset \'a[1]\'; echo "${a[@]:1:2}" "${a[@]: -1}" "${a[@]:2}" "${#a[@]}" "${!a[@]}"; echo "${a[-1]}" "${a[0]:0:1}"',
    'r s s r s 3 0 2 3\ns p\n',
  ],
  [
    'the shortest and the longest fitting part are taken off',
    'p=/a/b.tar.gz; echo "${p##*/}" "${p#*/}" "${p%.*}" "${p%%.*}" "${p%/*}" "${p#x}" "${p%x}" "${p#"/a"}"; a=(x.c y.c); echo "${a[@]%.c}" "${a[*]/#/-}"',
    'b.tar.gz a/b.tar.gz /a/b.tar /a/b /a /a/b.tar.gz /a/b.tar.gz /b.tar.gz\nx y -x.c -y.c\n',
  ],
  [
    'case is changed at the beginning or everywhere, for fitting letters alone',
    'x=\'hello World\'; echo "${x^}" "${x^^}" "${x^^[lo]}" "${x,,}" "${x^[f-i]}"; a=(ab cd); echo "${a[@]^}"',
    'Hello World HELLO WORLD heLLO WOrLd hello world Hello World\nAb Cd\n',
  ],
  [
    'defaults tell what is unset from what is empty',
    'unset u; e=; s=v; echo "${u-1}${u:-2}${e-3}${e:-4}${s-5}${s:-6}" "[${u+7}][${e+8}][${e:+9}][${s:+0}]"; echo "${u=a}${e:=b}" "$u$e"; echo "${nope:-${s:-x}}" "${nope:-"a  b"}"',
    '124vv [][8][][0]\nab ab\nv a  b\n',
  ],
  [
    'a variable is named by another one, and names are listed by their beginning',
    'a=1 ab=2 abc=3 n=ab; echo "${!n}" "${!n:0:1}" "${!ab@}" "${!ab*}"; declare -n r=a; r=5; echo "$a $r ${!r}"; arr=(x y); n=\'arr[1]\'; echo "${!n}"; n=\'arr[@]\'; echo "${!n}"',
    '2 2 ab abc ab abc\n5 5 a\ny\nx y\n',
  ],
  [
    'values are quoted, escaped and described',
    'x=$\'a b\\n\\\'c\'; echo "${x@Q}"; y=\'a\\tb\'; echo "${y@E}"; z=abc; echo "${z@U}${z@u}" ; ZU=ABC; echo "${ZU@L}" ; declare -i n=4; echo "${n@a}"; a=(1 "2 3"); echo "${a[@]@Q}"',
    "$'a b\\n\\'c'\na\tb\nABCAbc\nabc\ni\n'1' '2 3'\n",
  ],
  [
    'replacement at the beginning, the end, once and everywhere',
    'x=banana; echo "${x/a/o}" "${x//a/o}" "${x/#b/c}" "${x/#a/c}" "${x/%a/e}" "${x/%n/e}" "${x//an}" "${x/a*n/-}" "${x//[!a]/.}"',
    'bonana bonono canana banana banane banana ba b-a .a.a.a\n',
  ],
  [
    'lengths of characters, of elements, and of what is not there',
    "x=äö€; a=(abc '' de); echo ${#x} ${#a} ${#a[0]} ${#a[1]} ${#a[@]} ${#a[9]} ${#none}",
    '3 3 3 0 3 0 0\n',
  ],
  [
    'a tilde stands for home where a word begins, and in assignments behind colons',
    'HOME=/h; echo ~ ~/x "~" a~; x=~/a:~/b; echo $x; echo x=~/c',
    '/h /h/x ~ a~\n/h/a:/h/b\nx=/h/c\n',
  ],
  [
    'braces make words: lists, ranges, steps, widths, letters',
    'echo {a,b}{1,2} {1..5..2} {05..1} {c..a} {a..e..2} {3..1} x{,y} {1} {a} {1..3}{x,y} "{a,b}" \\{a,b} {-2..2..2}',
    'a1 a2 b1 b2 1 3 5 05 04 03 02 01 c b a a c e 3 2 1 x xy {1} {a} 1x 1y 2x 2y 3x 3y {a,b} {a,b} -2 0 2\n',
  ],
  [
    'arithmetic stands where a word stands',
    'x=5; echo $((x+=2)) $x $((x++)) $x $((--x)) $((2**10)) $((7/2)) $((-7/2)) $((-7%3)) $((x>3?1:0)) $((0x1f)) $((010)) $((2#101)) $((36#z)) $((1,2)) $((!0)) $((~5)) $((5&3|8^1)) $((1<<4>>2))',
    '7 7 7 8 7 1024 3 -3 -1 1 31 8 5 35 2 1 -6 9 4\n',
  ],
  [
    'fields are split by IFS: blanks together, others each',
    "f() { printf '%s:' $#; printf '<%s>' \"$@\"; echo; }; x=' a  b '; f $x; IFS=:; y='a::b:'; f $y; IFS=' :'; z=' a : b:: c '; f $z; IFS=; f $x; unset IFS; f $x; IFS=x; w=axbxx; f $w; f \"$w\"",
    '2:<a><b>\n3:<a><><b>\n4:<a><b><><c>\n1:< a  b >\n2:<a><b>\n3:<a><b><>\n1:<axbxx>\n',
  ],
  [
    'all arguments, as one word and as several',
    'f() { printf \'%s:\' $#; printf \'<%s>\' "$@"; echo; }; set -- \'a b\' \'\' c; f $*; f $@; f "$*"; f "$@"; f x"$@"y; IFS=-; f "$*"; f $*; set --; f "$@"; f "$*"; f x"$@"',
    '3:<a><b><c>\n3:<a><b><c>\n1:<a b  c>\n3:<a b><><c>\n3:<xa b><><cy>\n1:<a b--c>\n3:<a b><><c>\n0:<>\n1:<>\n1:<x>\n',
  ],
  [
    'a word that matches files becomes them, in order; else it stays',
    'mkdir w; cd w; mkdir d; touch b a .h d/x \'e f\'; echo *; echo ?; echo [ab]; echo [!a]; echo d/*; echo *.none; echo "*" \\*; echo */; echo .h*; shopt -s nullglob; echo *.none x; shopt -u nullglob; shopt -s dotglob; echo *; set -f; echo *',
    'a b d e f\na b d\na b\nb d\nd/x\n*.none\n* *\nd/\n.h\nx\n.h a b d e f\n*\n',
  ],
  [
    'extended patterns match none, one or several',
    'shopt -s extglob\ntouch a ab abb b c.x; echo a*(b); echo a+(b); echo a?(b); echo @(a|b); echo !(a*); echo *.@(x|y); [[ foobar == f+(o)bar ]] && echo yes; [[ fbar == f+(o)bar ]] || echo no',
    'a ab abb\nab abb\na ab\na b\nb c.x\nc.x\nyes\nno\n',
  ],
  [
    'what commands print is a word without its last lines’ ends',
    'x=$(printf \'a\\n\\nb\\n\\n\\n\'); echo "[$x]"; y=$(echo "$(echo "q r")"); echo "[$y]"; echo $(exit 3) $?; z=$(exit 4); echo $?; echo "$(< /dev/null)."; printf \'in\\n\' > f; echo "$(<f)" "$(cat <f)"',
    '[a\n\nb]\n[q r]\n3\n4\n.\nin in\n',
  ],
];

const ARRAYS: readonly Row[] = [
  [
    'elements are set, added, taken away and counted where they stand',
    'a=(x [5]=y z); echo "${!a[@]}" "${#a[@]}"; a+=(w); a[2]=q; echo "${!a[@]}" "${a[@]}"; unset \'a[5]\'; echo "${!a[@]}"; a[-1]=last; echo "${a[@]}"; unset a; echo "${#a[@]}."',
    '0 5 6 3\n0 2 5 6 7 x q y z w\n0 2 6 7\nx q z last\n0.\n',
  ],
  [
    'keys may be anything',
    'declare -A m=([a b]=1 ["c d"]=2 [$\'e\\tf\']=3); k=\'g]h\'; m[$k]=4; echo "${m[a b]}${m["c d"]}${m[$k]}" "${#m[@]}"; unset \'m[a b]\'; echo "${#m[@]}"; [[ -v m[g] ]] || echo none; m[g]=; [[ -v m[g] ]] && echo there; [[ -v m[none] ]] || echo none',
    '124 4\n3\nnone\nthere\nnone\n',
  ],
  [
    'indexes are computed',
    'i=2; a=(0 1 2 3 4); echo "${a[i]}" "${a[i+1]}" "${a[$i*2]}" "${a[${#a[@]}-1]}"; a[i+=1]=x; echo "${a[*]}" $i; (( a[0]++ )); (( a[1] += 5 )); echo "${a[0]} ${a[1]}"',
    '2 3 4 4\n0 1 2 x 4 3\n1 6\n',
  ],
  [
    'declarations tell what a variable is',
    "declare -i n=3+4; declare -r c=x; declare -x e=1; declare -a a=(1 'b c'); declare -l low=ABC; declare -u up=abc; declare -p n c e a low up; n=n*2; echo $n",
    'declare -i n="7"\ndeclare -r c="x"\ndeclare -x e="1"\ndeclare -a a=([0]="1" [1]="b c")\ndeclare -l low="abc"\ndeclare -u up="ABC"\n14\n',
  ],
  [
    'a file or a stream becomes an array of lines',
    'printf \'1\\n2\\n\\n4\' > f; mapfile -t a < f; echo "${#a[@]}" "${a[3]}" "[${a[2]}]"; mapfile -n 2 b < f; echo "${#b[@]}"; printf %s "${b[@]}"; readarray -t -s 1 c < f; echo "${c[0]}"; mapfile -t -O 2 d < f; echo "${!d[@]}"; mapfile -t -d 2 e < f; echo "${#e[@]}"',
    '4 4 []\n2\n1\n2\n2\n2 3 4 5\n2\n',
  ],
  [
    'words of a line go to variables, what is left to the last',
    'read a b <<< \' one  two three \'; echo "[$a][$b]"; IFS=: read x y z <<< \'p::q:r:\'; echo "[$x][$y][$z]"; read -r r <<< \'a\\b\'; echo "$r"; read s <<< \'a\\b\\\nc\'; echo "$s"; read -a w <<< \'u v w\'; echo "${#w[@]} ${w[2]}"; read -n 2 n <<< abcd; echo $n; read -d x d <<< abxcd; echo $d; IFS= read -r l <<< \'  keep \'; echo "[$l]"',
    '[one][two three]\n[p][][q:r:]\na\\b\nabc\n3 w\nab\nab\n[  keep ]\n',
  ],
  [
    'local variables are seen by what is called, and go with the function',
    'g() { echo "$x $y"; y=changed; }; f() { local x=in y; y=loc; g; echo "$y"; }; x=out y=top; f; echo "$x $y"; h() { local -a l=(1 2); local -i n=2*3; echo "${#l[@]} $n"; }; h; echo "${l-none}${n-none}"',
    'in loc\nchanged\nout top\n2 6\nnonenone\n',
  ],
];

const COMMANDS: readonly Row[] = [
  [
    'patterns of case are tried in order, and may fall through',
    "for x in a bc d1 '*' '' '[q]' zz; do case $x in a) echo one;; b*|c*) echo two;; d[0-9]) echo three;;& *1) echo four;; '*') echo star;; '') echo empty;; \\[q\\]) echo brackets;; z*) echo z;& none) echo through;; *) echo other;; esac; done",
    'one\ntwo\nthree\nfour\nstar\nempty\nbrackets\nz\nthrough\n',
  ],
  [
    'loops are left and gone on with, also from inside of others',
    'for i in 1 2 3; do for j in a b c; do [ $j = b ] && continue 2; [ $i = 3 ] && break 2; echo $i$j; done; done; n=0; until [ $n -ge 3 ]; do n=$((n+1)); [ $n = 2 ] && continue; echo $n; done; for ((i=0,j=9; i<j; i+=4, j--)); do echo $i,$j; done; for x; do echo no; done; set -- p q; for x; do echo $x; done; while :; do break; done; echo $?',
    '1a\n2a\n1\n3\n0,9\n4,8\np\nq\n0\n',
  ],
  [
    'conditions compare texts, numbers, patterns and files',
    't() { "$@" && echo y || echo n; }; touch f; mkdir d; [[ abc == a* ]]; echo $?; [[ abc == "a*" ]]; echo $?; [[ b > a && ! a > b ]]; echo $?; [[ abc =~ ^(a)(.)c$ ]] && echo "${BASH_REMATCH[@]}"; [[ 10 -gt 9 ]]; echo $?; [[ -f f && -d d && ! -e g && -n x && -z \'\' ]]; echo $?; t [ 10 -lt 9 ]; t [ a = a ]; t [ a != a ]; t [ -z "" ]; t [ ! -e f ]; t [ x -a \'\' ]; t [ x -o \'\' ]; t test; t test -n; [[ -v t ]]; echo $?; x=; [[ -v x ]]; echo $?',
    '0\n1\n0\nabc a b\n0\n0\nn\ny\nn\ny\nn\nn\ny\nn\ny\n1\n0\n',
  ],
  [
    'a function has arguments, a status and a name of its own',
    'f() { echo "$# $1 ${2-none} $0" | sed \'s/ [^ ]*$//\'; shift; echo "$#"; return 3; }; set -- outer; f a; echo "$? $1"; g() { false; }; g; echo $?; h() { return; }; false; h; echo $?; unset -f g; type g > /dev/null 2>&1 || echo gone; declare -F f; r() { [ $1 -le 0 ] || { echo $1; r $(($1-1)); }; }; r 2',
    '1 a none\n0\n3 outer\n1\n1\ngone\nf\n2\n1\n',
  ],
  [
    'options of a script are read one after the other',
    'f() { local OPTIND=1 o; while getopts :ab:c o "$@"; do echo "$o ${OPTARG-}"; done; shift $((OPTIND-1)); echo "rest $*"; }; f -a -bx -b y -c z; f -ac -- -a; f -q -b; f',
    'a \nb x\nb y\nc \nrest z\na \nc \nrest -a\n? q\n: b\nrest \nrest \n',
  ],
  [
    'status of lists, groups, negations and pipelines',
    'true && echo a || echo b; false && echo c || echo d; ! true; echo $?; ! false; echo $?; { false; true; }; echo $?; (exit 3); echo $?; true | false; echo $?; false | true; echo "$?" ; true | (exit 2) | true; echo "${PIPESTATUS[@]}"; set -o pipefail; (exit 4) | true; echo $?',
    'a\nd\n1\n0\n0\n3\n1\n0\n0 2 0\n4\n',
  ],
  [
    'a script that is to end at the first failure does so, but where it asks',
    '(set -e; false || true; if false; then :; fi; ! true; false && true; echo on; false; echo no); echo $?; (set -e; f() { false; echo in; }; f || echo or; f; echo no); echo $?; (set -eu; echo ${none-x}; x=$(false); echo no); echo $?; (set -u; : "$none"; echo no) 2> /dev/null; echo $?',
    'on\n1\nin\n1\nx\n1\n1\n',
  ],
  [
    'traps run at the end, on errors and before commands',
    "(trap 'echo bye $?' EXIT; exit 3); echo $?; (trap 'echo err' ERR; false; true; f() { false; }; f; false || true); (set -E; trap 'echo e' ERR; f() { false; true; }; f); (trap 'echo out' EXIT; trap - EXIT; echo none); (f() { trap 'echo ret' RETURN; echo body; }; f; echo after)",
    'bye 3\n3\nerr\nerr\ne\nnone\nbody\nret\nafter\n',
  ],
  [
    'streams go to files, from files, to each other and nowhere',
    'echo a > f; echo b >> f; cat < f; { echo out; echo err >&2; } 2>&1 | sort; { echo o; echo e >&2; } > g 2>&1; cat g; echo x > /dev/null; cat <<< "$(echo s)"; exec 3> h; echo three >&3; exec 3>&-; cat h; cat <<E | tr a-z A-Z\ntext $((1+1))\nE\n{ echo l1; echo l2; } | while read l; do echo "<$l>"; done; set -C; (echo no > f) 2> /dev/null || echo kept; echo yes >| f; cat f; set +C; exec 4< h; read v <&4; echo $v; echo both &> k; cat k; echo more &>> k; cat k; : > k; cat k',
    'a\nb\nerr\nout\no\ne\ns\nthree\nTEXT 2\n<l1>\n<l2>\nkept\nyes\nthree\nboth\nboth\nmore\n',
  ],
  [
    'printf fills its format as often as there are arguments',
    "printf '%s-%s\\n' a b c; printf '%d %i %5d|%-5d|%05d\\n' 3 4 5 6 7; printf '%x %X %o %c %%\\n' 255 255 8 hello; printf '%.2f %5.1f %e\\n' 3.14159 2.55 1234.5; printf '%q %q\\n' 'a b' \"it's\"; printf '%b' 'a\\tb\\n'; printf '%5s|%-5s|%.2s\\n' ab cd efg; printf '%s\\n'; printf '%d\\n' \"'A\"; printf -v v '%03d' 7; echo $v; printf '%*d|%-*d\\n' 4 1 4 2; printf '%(%Y)T\\n' 0",
    "a-b\nc-\n3 4     5|6    |00007\nff FF 10 h %\n3.14   2.5 1.234500e+03\na\\ b it\\'s\na\tb\n   ab|cd   |ef\n\n65\n007\n   1|2   \n1970\n",
  ],
  [
    'words are given to eval, to source and to other shells',
    "x='echo \"a  b\"'; eval \"$x\"; eval 'y=1;' 'echo $y'; echo 'echo \"src $1\"; z=5; return 2; echo no' > s; . ./s arg; echo \"$? $z\"; bash -c 'echo \"$0 $1 $#\"' n a b; echo 'echo piped' | bash; (cd /; pwd); x=5 bash -c 'echo $x'; command echo c; builtin echo b; type -t echo cd if ls_none f; :",
    'a  b\n1\nsrc arg\n2 5\nn a 2\npiped\n/\n5\nc\nb\nbuiltin\nbuiltin\nkeyword\n',
  ],
  [
    'jobs are waited for, each with its status',
    '(exit 3) & wait $!; echo $?; { sleep 0.01; echo late; } & wait; (exit 5) & p=$!; (exit 6) & wait $p; echo $?; wait 99999 2> /dev/null; echo $?',
    '3\nlate\n5\n127\n',
  ],
  [
    'let and (( )) succeed by what they come to',
    'let \'x=2+3\' y=x*2; echo "$x $y $?"; let 0; echo $?; ((x > 4)) && echo big; ((0)); echo $?; ((x--)); echo $x; (( x == 4 && y != 3 )); echo $?; a=(1 2); ((a[1]+=3)); echo "${a[1]}"; i=0; while ((i++ < 2)); do echo $i; done',
    '5 10 0\n1\nbig\n1\n4\n0\n5\n1\n2\n',
  ],
  [
    'shifts, positions and their borders',
    'set -- a b c d e f g h i j k; echo "$1 $10 ${10} ${11} $#"; shift 9; echo "$1 $#"; shift 3 2> /dev/null; echo "$? $#"; shift; shift; echo "$#"; set -- -- x; echo "$1 $2"; set - y; echo "$1"',
    'a a0 j k 11\nj 2\n1 2\n0\n-- x\ny\n',
  ],
];

describe.each([
  ['expansions', EXPANSIONS],
  ['arrays', ARRAYS],
  ['commands', COMMANDS],
] as const)('%s', (_title, rows) => {
  test.each(rows)('%s', async (_what, script, stdout) => {
    const { run } = testShell();
    expect(await run(script)).toEqual({ stdout, stderr: '', exitCode: 0 });
  });
});
