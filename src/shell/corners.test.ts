/** More of what the shell knows, at its corners, each script with what bash 5.2 prints. */
import { describe, expect, test } from 'vitest';
import { testShell } from './test-shell.ts';

type Row = readonly [what: string, script: string, stdout: string];

const BUILTINS: readonly Row[] = [
  [
    'what stands after break and continue outside of a loop goes on',
    'break; echo "a $?"; continue 2> /dev/null; echo "b $?"; for i in 1 2; do break; done; echo $?',
    'a 0\nb 0\n0\n',
  ],
  [
    'shift takes one number, and break as many loops as there are',
    'set -- a b; shift 1; echo "$1 $#"; for i in 1 2; do for j in 1 2; do echo $i$j; break 9; done; done',
    'b 1\n11\n',
  ],
  [
    'cd takes its options, one directory, and says what is wrong',
    'cd -x / 2> /dev/null; echo $?; cd -LPz 2> /dev/null; echo $?; cd / / 2> /dev/null; echo $?; mkdir -p d/-e; cd -P d; pwd | sed "s,.*/,,"; cd -- -e; pwd | sed "s,.*/,,"; cd - > /dev/null; cd -L -- /; pwd',
    '2\n2\n1\nd\n-e\n/\n',
  ],
  [
    'cd needs to know where home and the last directory are',
    '(unset OLDPWD; cd - 2> /dev/null; echo $?); (unset HOME; cd 2> /dev/null; echo $?); p=$PWD; HOME=; cd; echo $?; [ "$PWD" = "$p" ] && echo stays; cd ""; echo $?; HOME=/; cd; pwd; (unset HOME; cd / && pwd; echo $?);',
    '1\n1\n0\nstays\n0\n/\n/\n0\n',
  ],
  [
    'the words of an error of cd',
    '(unset OLDPWD HOME; cd -; cd; cd -q; cd a b; cd nowhere) 2>&1 | sed "s/^bash: line [0-9]*: /bash: /"',
    'bash: cd: OLDPWD not set\nbash: cd: HOME not set\nbash: cd: -q: invalid option\ncd: usage: cd [-L|[-P [-e]] [-@]] [dir]\nbash: cd: too many arguments\nbash: cd: nowhere: No such file or directory\n',
  ],
  [
    'aliases are told of by name, all of them in order, and taken away',
    'shopt -s expand_aliases\nalias ll="ls -l" b=bb "q=it\'s"; alias; alias b ll; alias none 2> /dev/null; echo $?; unalias b; alias b 2> /dev/null || echo gone; unalias -a; alias; echo .',
    "alias b='bb'\nalias ll='ls -l'\nalias q='it'\\''s'\nalias b='bb'\nalias ll='ls -l'\n1\ngone\n.\n",
  ],
  ['the mask for new files can be asked for', 'umask; umask -S', '0022\nu=rwx,g=rx,o=rx\n'],
  [
    'options are listed on or off',
    'set -o | grep -E "^(braceexpand|errexit|pipefail|noclobber)"; set -eo pipefail; set -o | grep -E "^(errexit|pipefail)"; set +e; shopt extglob; shopt -s extglob; shopt extglob; shopt -q extglob; echo $?; shopt -u extglob; shopt -q extglob; echo $?',
    'braceexpand    \ton\nerrexit        \toff\nnoclobber      \toff\npipefail       \toff\nerrexit        \ton\npipefail       \ton\nextglob        \toff\nextglob        \ton\n0\n1\n',
  ],
  [
    'job control is none of a script',
    'fg 2> /dev/null; echo $?; bg 2> /dev/null; echo $?',
    '1\n1\n',
  ],
  [
    'command -v is satisfied with one name, and says which it found',
    'command -v nothing-there; echo $?; command -v echo nothing-there; echo $?; command -V nothing-there 2> /dev/null; echo $?; f() { :; }; command -v f cd',
    '1\necho\n0\n1\nf\ncd\n',
  ],
  [
    'test says what is wrong with its words',
    '[ 1 -eq x ] 2> /dev/null; echo $?; [ a b ] 2> /dev/null; echo $?; [ a = b c ] 2> /dev/null; echo $?; [ "(" a ")" ]; echo $?; [ ! a = b ]; echo $?; [ ! "(" a = b ")" ]; echo $?; [ -z ]; echo $?; [ "(" "(" x ")" ")" ]; echo $?; [ 1 -eq 1 -a 2 -lt 3 ]; echo $?; [ -n a 2> /dev/null; echo $?; test 3 -gt ""  2> /dev/null; echo $?',
    '2\n2\n2\n0\n0\n0\n0\n0\n0\n2\n2\n',
  ],
  [
    'return outside of a function, and eval of what is none',
    'return 3 2> /dev/null; echo $?; eval "if" 2> /dev/null; echo $?; eval "exit 4" | cat; echo 5; f() { return 7; echo no; }; f; echo $?',
    '2\n2\n5\n7\n',
  ],
  [
    'getopts names the script in what it says',
    'f() { local OPTIND=1 o; getopts ab: o "$@"; echo "$? $o ${OPTARG}"; }; f -a; f -b v; f x; f -q 2> /dev/null; f -b 2> /dev/null',
    '0 a \n0 b v\n1 ? \n0 ? \n0 ? \n',
  ],
];

const FUNCTIONS: readonly Row[] = [
  [
    'functions are handed on to shells that begin, by name alone',
    'f() { echo "f $1"; }; g() { echo g; }; export -f f; bash -c "f 1; g 2> /dev/null || echo none"; export -nf f; bash -c "f 2 2> /dev/null || echo none"; declare -fx g; bash -c "bash -c g"; export -f none 2> /dev/null; echo $?; export -f f g; echo $?; bash -c "f a; g"',
    'f 1\nnone\nnone\ng\n1\n0\nf a\ng\n',
  ],
  [
    'the text of a function is that of its commands',
    'f() { a=1; b | c |& d; ! e && f || g; h & time i; (j; k) > l; }; declare -f f',
    'f () \n{ \n    a=1;\n    b | c 2>&1 | d;\n    ! e && f || g;\n    h & time i;\n    ( j;\n    k ) > l\n}\n',
  ],
  [
    'the text of a function has its loops and conditions',
    'f() { for x in a "b c"; do echo $x; done; while read -r l; do :; done < in; until false; do break; done; if a; then b; elif c; then d; else e; fi; case $1 in a|b) x;; *) y;& esac; { z; } 2> err; [[ -n $a && ! $b == c* ]]; ((i++)); for ((i=0;i<3;i++)); do p; done; g() { q; }; }; declare -f f',
    'f () \n{ \n    for x in a "b c";\n    do\n        echo $x;\n    done;\n    while read -r l; do\n        :;\n    done < in;\n    until false; do\n        break;\n    done;\n    if a; then\n        b;\n    else\n        if c; then\n            d;\n        else\n            e;\n        fi;\n    fi;\n    case $1 in \n        a | b)\n            x\n        ;;\n        *)\n            y\n        ;&\n    esac;\n    { \n        z\n    } 2> err;\n    [[ -n $a && ! $b == c* ]];\n    ((i++));\n    for ((i=0; i<3; i++))\n    do\n        p;\n    done;\n    function g () \n    { \n        q\n    }\n}\n',
  ],
  [
    'a trap on RETURN is that of the function that sets it, or of all with functrace',
    'f() { trap "echo ret" RETURN; }; g() { echo g; }; f; g; set -T; g; trap - RETURN; g; set +T',
    'ret\ng\ng\nret\ng\n',
  ],
  [
    'a trap on ERR is told once, before set -e ends the script',
    '(set -e; trap "echo err" ERR; true; (exit 3); echo no); echo $?; (set -eE; trap "echo err" ERR; f() { false; echo no; }; f); echo $?; (trap "echo e" ERR; false; if false; then :; fi; ! true; false | true; true | false; f() { return 2; }; f); echo $?',
    'err\n3\nerr\n1\ne\ne\ne\n2\n',
  ],
  [
    'a trap on DEBUG runs before each command',
    'f() { echo in; }; trap "echo d" DEBUG; f; echo x; trap - DEBUG; f;',
    'd\nin\nd\nx\nd\nin\n',
  ],
  [
    'exit in a trap on EXIT gives the status',
    '(trap "exit 5" EXIT; exit 3); echo $?; (trap "echo a; exit" EXIT; exit 3); echo $?; bash -c "trap \\"exit 6\\" EXIT; true"; echo $?; (trap "false" EXIT; true); echo $?; (trap "echo \\$?" EXIT; set -e; false); echo $?',
    '5\na\n3\n6\n0\n1\n1\n',
  ],
  [
    'positions in a function are its own, in what it sources too',
    'echo \'echo "$# $1"; set -- new; shift; echo $#\' > s; f() { . ./s; echo "$# $1"; . ./s arg two; echo "$# $1"; }; f x y; set -- q; . ./s; echo "$#"',
    '2 x\n0\n0 \n2 arg\n0\n0 \n1 q\n0\n0\n',
  ],
];

const ARRAYS: readonly Row[] = [
  [
    'an associative array may be given keys and values in turn',
    'declare -A m=(a 1 b "2 3" c); for k in a b c; do echo "$k=${m[$k]-none}"; done; m=(d 4); echo "${!m[@]} ${m[d]}"; m+=(e 5); echo "${#m[@]} ${m[e]}"; declare -A n=([x]=1 [y z]=2); echo "${n[y z]}"',
    'a=1\nb=2 3\nc=\nd 4\n2 5\n2\n',
  ],
  [
    'keys are whatever stands in the brackets',
    'k="p q"; declare -A m; m=(["$k"]=1 [\'r s\']=2 [t\\ u]=3 ["v]w"]=4 [$k$k]=5 ["a$k"]=6); for i in "p q" "r s" "t u" "v]w" "p qp q" "ap q"; do echo "$i=${m[$i]}"; done; echo ${#m[@]}; m+=(["p q"]+=7); echo "${m[p q]}"',
    'p q=1\nr s=2\nt u=3\nv]w=4\np qp q=5\nap q=6\n6\n17\n',
  ],
  [
    'a reference to an array is the array',
    'a=(1 2); declare -n r=a; r+=(3); echo "${a[@]}"; r=(x y z); echo "${#a[@]} ${r[1]}"; r[1]=q; echo "${a[1]}"; f() { local -n l=$1; l+=(end); l[0]=begin; }; f a; echo "${a[@]}"; declare -A m=([k]=v); declare -n s=m; s[l]=w; echo "${#m[@]} ${m[l]}"; s=(j 1); echo "${!m[@]}"',
    '1 2 3\n3 y\nq\nbegin q z end\n2 w\nj\n',
  ],
  [
    'assignments before each other count in turn',
    'x="a,b c"; IFS=, a=($x); echo "${#a[@]} ${a[1]}"; IFS=$\' \\t\\n\'; b=(1 2) c=(${b[1]} 3); echo "${c[*]}"; d=(x) e=${d[0]}y; echo $e',
    '2 b c\n2 3\nxy\n',
  ],
  [
    'sealed arrays keep what they have',
    'readonly -a r=(1 2); (r[0]=3) 2> /dev/null; echo "${r[@]}"; declare -ra s=(p "q r"); (s+=(t)) 2> /dev/null; echo "${#s[@]}"; readonly t=5; (t=6) 2> /dev/null; echo $t; declare -Ar m=([a]=1); (m[a]=2) 2> /dev/null; echo "${m[a]}"; f() { readonly -a g=(1); local -r h=2; }; f; echo "${g[0]}${h-none}"',
    '1 2\n2\n5\n1\n1none\n',
  ],
  [
    'values become arrays where they are declared so',
    'x=5; declare -a x; echo "${x[0]} ${#x[@]}"; y=a; declare -a y+=b 2> /dev/null; echo "${y[@]}"; declare -a z=v; echo "${z[0]}"; f() { local x; echo "[${x-unset}]"; local -a y; echo "${#y[@]}"; declare -g n=new; }; f; echo "$n ${x[0]}"',
    '5 1\nab\nv\n[unset]\n0\nnew 5\n',
  ],
  [
    'read puts words into elements',
    'read "a[2]" b "a[0]" <<< "x y z w"; echo "${a[2]}|$b|${a[0]}|${#a[@]}"; read -r -d : -n 3 "m[1]" <<< "abcdef:"; echo "${m[1]}"; read -a l -p "" <<< "1 2"; echo ${#l[@]}; declare -A h; k=q; read "h[$k]" <<< val; echo "${h[q]}"; read -- c <<< "  s "; echo "[$c]"',
    'x|y|z w|2\nabc\n2\nval\n[s]\n',
  ],
];

const EXPANSIONS: readonly Row[] = [
  [
    'a pattern in an alternative finds files, quoted it does not',
    'touch a.c b.c "d e.c"; printf "<%s>" ${u:-*.c} "${u:-*.c}" ${u:-"*.c"} ${u:-?.c} ${a+*} ${u:-x\'\'y*} ${u-[ab].c}; echo; HOME=/h; set -- ${u:-\\*.c} ${u:-"a*"b*}; printf "<%s>" "$@"; echo',
    '<a.c><b.c><d e.c><*.c><*.c><a.c><b.c><xy*><a.c><b.c>\n<*.c><a*b*>\n',
  ],
  [
    'files are found in lists, loops and targets',
    'touch p1 p2; for f in p* none*; do echo $f; done; a=(p? q); echo "${#a[@]} ${a[1]}"; declare -a b=(p*); echo "${b[@]}"; echo hi > p[1]; cat p1; cat < p[1]; echo x > p* 2> /dev/null; echo $?; v="p*"; echo y > $v 2> /dev/null; echo $?; cat <<< p*',
    'p1\np2\nnone*\n3 p2\np1 p2\nhi\nhi\n1\n1\np*\n',
  ],
  [
    'the words that all arguments join are one',
    'set -- a b c; IFS=-; x="$*"; y="<$*>"; echo "$x" "$y"; echo t > "f$*"; ls f*; e=(1 2); z="${e[*]}"; echo "$z"; IFS=; w="$*"; echo "$w"; unset IFS; v="$*"; echo "$v"; cat <<< "$*"',
    'a-b-c <a-b-c>\nfa-b-c\n1-2\nabc\na b c\na b c\n',
  ],
  [
    'negated patterns compare as they should',
    'shopt -s extglob\n[[ abc == !(abc|x) ]]; echo $?; [[ abc != !(abc) ]]; echo $?; [[ q == !(abc) ]]; echo $?; [[ b == [!a] ]]; echo $?; [[ a == [!a] ]]; echo $?; case b in [!b]) echo no;; "[!b]") echo no;; [!a]) echo yes;; esac; case "a(b)" in a\\(b\\)) echo paren;; esac; x="*"; case "*" in "$x") echo star;; esac; case ab in "$x") echo no;; $x) echo any;; esac; case "a|b" in "a|b") echo bar;; esac',
    '1\n0\n0\n0\n1\nyes\nparen\nstar\nany\nbar\n',
  ],
  [
    'the first letters of all arguments change',
    'set -- Ab cD; echo "${@,}" "${@^}" "${*,,}" "${@^^}"; a=(XY Zw); echo "${a[@],}" "${a[0],}" "${a[@]^^[x-z]}"; x=ÄB; echo "${x,}" "${x,,}"',
    'ab cD Ab CD ab cd AB CD\nxY zw xY XY Zw\näB äb\n',
  ],
  [
    'what is given for no arguments, and for empty ones',
    'set --; echo "[${@:-none}][${@-none}][${*:-none}]"; set -- ""; echo "[${@:-none}][${@-none}]"; set -- "" ""; echo "[${@:-none}]"; set -- a "b c"; printf "<%s>" "${@:-none}" "${@-none}"; echo; set -- a; echo "[${@:+some}][${*+some}]"',
    '[none][none][none]\n[none][]\n[ ]\n<a><b c><a><b c>\n[some][some]\n',
  ],
  [
    'values are quoted as they would be typed',
    'set -- "a b" "it\'s" $\'t\\tn\\n\' "" \'$x\'; echo "${@@Q}"; n=@; echo "${!n@Q}"; v=$\'\\x01\\x7f\'; echo "${v@Q}"; declare -p v; w=$\'\\e[0m\'; printf "%q\\n" "$w"',
    "'a b' 'it'\\''s' $'t\\tn\\n' '' '$x'\n'a b' 'it'\\''s' $'t\\tn\\n' '' '$x'\n$'\\001\\177'\ndeclare -- v=$'\\001\\177'\n$'\\E[0m'\n",
  ],
  [
    'a here-document has its expansions but in quotes',
    'x=v; cat <<E; cat <<"Q"; cat <<-T\na $x $(echo "$x)") `echo b` \\$x $((1+(2*3)))\nE\nb $x \\$x\nQ\n\tc $x\n\tT\ncat <<A\n$(cat <<B\ninner $x\nB\n)\nA',
    'a v v) b $x 7\nb $x \\$x\nc v\ninner v\n',
  ],
  [
    'escapes of bytes and characters',
    'printf "%s" $\'\\x41\\101\\u00e9\\U1F600\\xe2\\x82\\xac\\e\\0z\' | od -An -c; echo $\'a\\\'b\\"c\\\\d\' ; printf "\\x41\\101\\u00e9\\n"; echo -e "\\x41\\0101\\t|\\c no"; printf "%b|\\n" "\\0101\\x42\\n\\\\"',
    '   A   A 303 251 360 237 230 200 342 202 254 033\na\'b"c\\d\nAAé\nAA\t|AB\n\\|\n',
  ],
  [
    'lengths and pieces of what is one by one',
    'x=a€b; echo ${#x} ${x:1:1}; set -- one "two words"; echo ${#1} ${#2} ${#} ${#@} ${#*} ${2:4}; a=([3]=x [7]=yz); echo ${#a[7]} ${#a[@]} "${a[@]: -1}" "${a[@]:3:1}"; y=${x:?gone}; (: ${none:?"is gone"}) 2> /dev/null; echo $?',
    '3 €\n3 9 2 2 2 words\n2 2 yz x\n1\n',
  ],
];

const ARITHMETIC: readonly Row[] = [
  [
    'signs without a variable are two signs',
    'x=3; echo $((++5)) $((--5)) $((- -5)) $((+ +x)) $((!!x)) $((~~x)) $((-x**2)) $((2**3**2)) $((x++ + ++x)) $x $((x-- - --x)) $x',
    '5 5 5 3 1 3 9 512 8 5 2 3\n',
  ],
  [
    'what cannot be computed says so and gives 1',
    'for e in "1+" "(1" "1?2" "a b" "5=6" "1 2" "x[" "08" "1/0" "2**-1" "1%0" "+" "16#g"; do (echo $(($e))) > /dev/null 2>&1; echo -n "$? "; done; echo; let 2> /dev/null; echo $?; let "1+" 2> /dev/null; echo $?; ((1+)) 2> /dev/null; echo $?',
    '1 1 1 1 1 1 1 1 1 1 1 1 1 \n1\n1\n1\n',
  ],
  [
    'all operators assign, and bind as in C',
    'x=12; ((x+=3, x*=2, x/=4, x%=5, x<<=4, x>>=1, x|=3, x&=14, x^=5, x-=1)); echo $x; echo $((1||0&&0)) $((1|2^3&4)) $((5>3==1)) $((1<2<3)) $((7-2-1)) $((2*3%4)) $((1?2:0?3:4)) $((0?2:0?3:4)) $((x=1,x+1)) $((4&6)) $((4|1)) $((6^3)) $((3!=3)) $((3<=3)) $((3>=4))',
    '6\n1 3 1 1 4 2 2 4 2 4 5 5 0 1 0\n',
  ],
  [
    'elements are computed with, by index and key',
    'a=(1 2 3); i=1; echo $((a[i]++ + a[i])) ${a[1]} $((a[-1])) $((a[i+1]*2)) $((a)) $((b[2]=7)) ${b[2]} $((a[0]+=a[2])); declare -A m=([k]=5 ["x y"]=2); echo $((m[k]+1)) $((m[none])) $((m[k]*=2)) ${m[k]}; k=k; echo $((m[$k]))',
    '5 3 3 6 1 7 7 4\n6 0 10 10\n10\n',
  ],
  [
    'names stand for what they say, one after the other',
    'a=b; b=c; c=4+1; echo $((a)) $((a*2)) $((d)) $((a+d)); x="1 + 1"; echo $((x*2)) $(( $x*2 )); n=0x1F; o=017; echo $((n)) $((o)) $((2#1111)) $((16#fF)) $((64#@)) $((64#_)) $((36#Z))',
    '5 10 0 5\n4 3\n31 15 15 255 62 63 35\n',
  ],
  [
    'a range counts by its step, up and down, as wide as it is written',
    'echo {1..10..3} {10..1..3} {10..1..-3} {1..3..0} {a..i..4} {i..a..4} {001..3} {5..5} {z..x} {1..2}{a..b} {1..} {..2} {1...3} {a..3}',
    '1 4 7 10 10 7 4 1 10 7 4 1 1 2 3 a e i i e a 001 002 003 5 z y x 1a 1b 2a 2b {1..} {..2} {1...3} {a..3}\n',
  ],
];

describe.each([
  ['builtins', BUILTINS],
  ['functions', FUNCTIONS],
  ['arrays', ARRAYS],
  ['expansions', EXPANSIONS],
  ['arithmetic', ARITHMETIC],
] as const)('%s', (_what, rows) => {
  test.each(rows)('%s', async (_name, script, stdout) => {
    expect((await testShell().run(script)).stdout).toBe(stdout);
  });
});
