/** Scripts that gave something else than bash 5.2 and did not say so, each with what bash prints. */
import { describe, expect, test } from 'vitest';
import { testShell } from './test-shell.ts';

type Row = readonly [what: string, script: string, stdout: string];

/** Waits for a file. */
const until = (file: string): string => `until [ -e ${file} ]; do sleep 0.01; done`;

const SIGNALS: readonly Row[] = [
  [
    'a job beside a script that is piped to its shell runs, and can be ended',
    'echo \'sleep 9 & kill $!; wait $!; echo "$? $(cat)"\' > s; echo x | bash s',
    '143 x\n',
  ],
  [
    'a job of a group has what the group reads, that of a whole shell has nothing',
    'echo hi | { cat & wait; }; echo no | bash -c "cat & wait"',
    'hi\n',
  ],
  [
    'the trap of a job runs once its command has ended',
    `{ trap "echo got" TERM; touch up; ${until('go')}; echo end; } & ${until('up')}; kill $!; touch go; wait $!; echo $?`,
    'got\nend\n0\n',
  ],
  [
    'so does that of a shell which is a job, and may end it',
    `bash -c 'trap "echo bye; exit 4" HUP; touch up; ${until('go')}; echo no' & ${until('up')}; kill -HUP $!; touch go; wait $!; echo $?`,
    'bye\n4\n',
  ],
  [
    'a signal that a job ignores does nothing',
    `bash -c 'trap "" INT; touch up; ${until('go')}; echo on' & ${until('up')}; kill -INT $!; touch go; wait $!; echo $?`,
    'on\n0\n',
  ],
  [
    'signals have all their names and numbers',
    'kill -l 10 SIGSEGV 143 64; kill -L nope 2> /dev/null || echo none; kill -l | tail -n 1; trap x 35; trap',
    "USR1\n11\nTERM\nRTMAX\nnone\n63) SIGRTMAX-1\t64) SIGRTMAX\t\ntrap -- 'x' SIGRTMIN+1\n",
  ],
];

const VARIABLES: readonly Row[] = [
  [
    'a local variable that is unset has no value, also where the call gave it one',
    'f() { local x=1; unset x; echo "[$x]"; x=4; echo $x; }; g() { echo $x; unset x; echo $x; }; x=0; x=5 f; echo $x; x=5 g; echo $x',
    '[]\n4\n0\n5\n0\n0\n',
  ],
  [
    'the value of a local variable is not split, however it is put together',
    `f() { local x=$(echo one; false; echo two) y=a$1; echo $x "[$y]"; }; set -e; f 'r  s'`,
    'one two [ar  s]\n',
  ],
  [
    'a local variable hides an array of that name, and leaves it as it was',
    'a=(1 2); f() { local a; a=3; echo "$a ${#a[@]}"; local b=4; echo $b; }; b=(5); f; echo ${a[@]} ${b[@]}',
    '3 1\n4\n1 2 5\n',
  ],
  [
    'what a loop, read and printf -v give to the name of an array is its first element',
    'a=(1 2); for a in x y; do echo $a; done; read a <<< "$a z"; echo "${a[@]}"; printf -v a %s p; echo ${a[@]}',
    'x\ny\ny z 2\np 2\n',
  ],
  [
    'read sets elements',
    "read 'a[1]' 'm[$i]' rest <<< 'p q r s'; echo ${!a[@]} ${a[1]} $rest",
    '1 p r s\n',
  ],
  [
    'an assignment before a command hides an array from it',
    "a=(1); a=5 env | grep ^a=; a=6 bash -c 'echo $a'; f() { echo $a; }; a=7 f; echo ${a[@]}",
    'a=5\n6\n7\n1\n',
  ],
  [
    'a variable that becomes an array keeps its text as the first element',
    'v=1; declare -a v; declare -p v; declare -A s=w; s+=x; declare -p s',
    'declare -a v=([0]="1")\ndeclare -A s=([0]="wx" )\n',
  ],
  [
    'local l+=(…) goes on where the function has such an array',
    'f() { local l=(a); local l+=(b); echo ${l[@]}; }; l=(G); f; echo ${l[@]}',
    'a b\nG\n',
  ],
];

const WORDS: readonly Row[] = [
  [
    'a comma in quotes ends no alternative of braces',
    `printf '<%s>' {a,'b,c'} {"d,e"} {f\\,g,h} {"i":1,"j,k":[2]}; cat <<< '{"l,m"}'; eval "echo {1,'2,3'}"`,
    '<a><b,c><{d,e}><f,g><h><i:1><j,k:[2]>{"l,m"}\n1 2,3\n',
  ],
  [
    'braces around one alternative are characters, and what is in them is expanded',
    'echo {A{a,b}B{c,d}C} {{{{A,B},C}D},E} {x{1..3}} {a}; for i in {q{a,b}}; do echo $i; done; a=({p{1,2}}); echo ${#a[@]}',
    '{AaBcC} {AaBdC} {AbBcC} {AbBdC} {AD} {BD} {CD} E {x1} {x2} {x3} {a}\n{qa}\n{qb}\n2\n',
  ],
  [
    'two separators in a row make an empty field, at the beginning, too',
    'IFS=,; x=,,a,,b,; set -- $x; echo $#; IFS=": "; x=": :"; set -- $x; echo $#; set -- q$x; echo $#',
    '5\n2\n2\n',
  ],
  ["$'' is a word", `printf '<%s>' $'' x$'' $'\\0' $'a\\u0z'`, '<><x><><a>'],
  ['${##} is how long the number of arguments is', 'set -- {1..11}; echo ${##} ${#}', '2 11\n'],
  [
    'each list of a word keeps its values apart',
    `c() { printf '%s:' $#; printf '<%s>' "$@"; echo; }; set -- a "b c" d; a=(x "y z"); c "$* $@" "p$@$@q"; c $@"$@"; c "\${a[@]}\${a[@]^}"; for i in "\${!a[@]} $@"; do c $i; done; IFS=x; c $@$@; IFS=; c $*$*; set --; c "$*$@" $@$@; unset IFS; set -- "" 1; c "$@$@" $@"$@"`,
    '8:<a b c d a><b c><d><pa><b c><da><b c><dq>\n6:<a><b><c><da><b c><d>\n3:<x><y zX><Y z>\n1:<0>\n2:<1><a>\n2:<b><c>\n1:<d>\n5:<a><b c><da><b c><d>\n5:<a><b c><da><b c><d>\n0:<>\n5:<><1><1><1><1>\n',
  ],
  [
    'the values of a list with a default, or in another case, are each their own',
    `f() { for i in "\${@:-none of}"; do echo "[$i]"; done; }; f a "b c"; f; f ""; f "" ""; set -- ab cd; IFS=-; echo "\${*^}" "\${@^}" "\${*/ab-c/x}"; unset IFS; echo \${*/b c/x}; n=@; set -- a 'b c'; echo \${!n@Q}`,
    "[a]\n[b c]\n[none of]\n[none of]\n[]\n[]\nAb-Cd Ab Cd ab-cd\nab cd\n'a' 'b c'\n",
  ],
  [
    'the mark of a here-document may go on on the next line',
    'x=1; cat <<E\\\nO\\\nF | tr a b\na $x\nEOF\necho $LINENO; cat <<-\\E\n\t$x\n\tE\n',
    'b 1\n6\n$x\n',
  ],
  [
    'SECONDS counts on from what it is given, unless it is for one command, function or subshell',
    's() { echo $((SECONDS / 10)); }; SECONDS=100; SECONDS=300 true; s; f() { local SECONDS=200; s; }; f; (SECONDS=400; s); SECONDS=500 s; echo $(SECONDS=600; s); s; readonly SECONDS; declare SECONDS=7 2> /dev/null; s',
    '10\n20\n40\n50\n60\n10\n10\n',
  ],
  [
    'what a pattern says not to be is replaced, and taken off',
    'shopt -s extglob\nx=foobar; a=(foo bar); y="!(o)"; echo ${x//!(o)/-} ${x//!(foo)/X} ${x/#!(x)/Q} ${x/%!(x)/<&>} ${x/!(f*)/Z} "${x//!(o|b)/.}" ${x//$y/-} ${a[@]//!(foo)/N} ${x/o!(o)/Q} ${x//o!(b*)/Q}; echo ${x#!(f)} ${x##!(foobar)} ${x%!(r)} ${x%%!(foobar)} ${a[@]##!(foo)}',
    '- X Q <foobar> Zfoobar . - NN N fQ fQ\nfoobar r foobar f o\n',
  ],
  ['what read sets has no NUL', "printf 'a\\0b\\n' | { read x; echo ${#x}; }", '2\n'],
];

const ALIASES: readonly Row[] = [
  [
    'in a function the aliases are those that there were when it was read',
    "shopt -s expand_aliases\nf() { e no; }\nalias e=echo\nf 2> /dev/null || echo none\ng() { e one; }\ng\nh() { e two; }; alias e='echo x'; h\ne three; h\nsource /dev/stdin <<< 'alias q=echo\nq in'\nq out",
    'none\none\ntwo\nx three\ntwo\nin\nout\n',
  ],
  [
    'an alias is known from the next line on',
    'shopt -s expand_aliases\nalias e=echo; e one 2> /dev/null\ne two\neval "alias f=echo\nf three"',
    'two\nthree\n',
  ],
  [
    'behind one that ends in a blank the next word may be one, too',
    'shopt -s expand_aliases\nalias hi="echo hello " you="all of "  of=OF x=y\nhi you x; hi hi',
    'hello all of y\nhello echo hello\n',
  ],
];

const FAILURES: readonly Row[] = [
  [
    'what a variable holds that is to be a name is one, or ends the line',
    'a="b c"\necho "${!a}" no; echo no\necho ${!a:-no}\na=\necho ${!a}\na=b; b=c; set -- p q; n=2; z=(0 1); r="z[1]"; echo ${!a} ${!n} ${!#} ${!r}\nr="z[@]"; echo "${!r}"; declare -n ref=b; echo ${!ref}',
    'c q q 1\n0 1\nb\n',
  ],
  [
    'a bad substitution ends its line, and no more of a script',
    'f() { eval "echo one; echo \\${?x}; echo no"; echo plus; }; f 2> /dev/null; { echo ${!nope}; echo no; } 2> /dev/null; echo no\necho two; x=$(echo ${?x}; echo no); echo "[$x]"; echo ${?x} | cat; echo three',
    'one\nplus\ntwo\n[]\nthree\n',
  ],
  [
    'nothing is assigned to a constant by a loop or by arithmetic',
    'readonly i=7\nfor i in 1 2; do echo $i; done; echo $?\n(( i = 3 )); echo $?\nlet i=3; echo $?\nfor ((i=0;i<3;i++)); do echo $i; done\necho $i',
    '1\n1\n1\n7\n',
  ],
  [
    'a script in which a command is missing is run up to that line',
    "echo one\neval 'echo two\necho no; echo |'; echo $?; printf 'echo a\\necho b &&' > s; . ./s; echo $?; bash s; echo $?; bash -c '(echo a |)'; echo $?; bash -c 'echo b | ; echo c'; echo $?\necho a |\ncat\n! \ntime",
    'one\ntwo\n2\na\n2\na\n2\n2\n2\na\n',
  ],
  [
    'the trap on ERR stands at the statement that failed',
    "trap 'echo $LINENO' ERR\n\nx=$(false)\nf() {\n  false\n}\nf",
    '3\n7\n',
  ],
  [
    'what cannot be parsed has status 2, and so has return outside of functions',
    "eval 'echo >'; echo $?; echo 'if' > s; . ./s; echo $?; return 5; echo $?; shift 1 2; echo $?",
    '2\n2\n2\n1\n',
  ],
];

const FUNCTIONS: readonly Row[] = [
  [
    'declare -f and type print all of a function, in a form that can be read again',
    'f() { local x="$1" y; if [ "$x" = a ]; then echo "b $x" | cat > /dev/null; elif true; then :; else echo q; fi; for i in 1 2; do (echo $i &) ; done; }; type f; declare -f f nope; echo $?',
    'f is a function\nf () \n{ \n    local x="$1" y;\n    if [ "$x" = a ]; then\n        echo "b $x" | cat > /dev/null;\n    else\n        if true; then\n            :;\n        else\n            echo q;\n        fi;\n    fi;\n    for i in 1 2;\n    do\n        ( echo $i & );\n    done\n}\nf () \n{ \n    local x="$1" y;\n    if [ "$x" = a ]; then\n        echo "b $x" | cat > /dev/null;\n    else\n        if true; then\n            :;\n        else\n            echo q;\n        fi;\n    fi;\n    for i in 1 2;\n    do\n        ( echo $i & );\n    done\n}\n1\n',
  ],
  [
    'so do they of loops, cases, groups and tests',
    'f() { case a in b|c) d;; *) e;& g) ;; esac; while read -r l; do echo "$l"; done < file; until false; do break; done; a && b || c; ! d; { e; f; } 2>&1; x=(1 2); ((z++)); [[ $a == b* && -n $c ]]; for ((i=0;i<3;i++)); do echo $i; done; for i; do select s in a; do b & c; done; done; }; g() (echo g) > /dev/null; declare -f f g',
    'f () \n{ \n    case a in \n        b | c)\n            d\n        ;;\n        *)\n            e\n        ;&\n        g)\n\n        ;;\n    esac;\n    while read -r l; do\n        echo "$l";\n    done < file;\n    until false; do\n        break;\n    done;\n    a && b || c;\n    ! d;\n    { \n        e;\n        f\n    } 2>&1;\n    x=(1 2);\n    ((z++));\n    [[ $a == b* && -n $c ]];\n    for ((i=0; i<3; i++))\n    do\n        echo $i;\n    done;\n    for i in "$@";\n    do\n        select s in a;\n        do\n            b & c;\n        done;\n    done\n}\ng () \n{ \n    ( echo g ) > /dev/null\n}\n',
  ],
  [
    'and of here-documents and functions',
    "f() { cat <<E\nhi $1\nE\ng() { cat <<'E'; echo '$1'; }; g; }\n$1\nE\ndeclare -f f; eval \"$(declare -f f | sed s/hi/ho/)\"; f x",
    "f () \n{ \n    cat <<E\nhi $1\nE\n\n    function g () \n    { \n        cat <<'E'\n$1\nE\n\n        echo '$1'\n    };\n    g\n}\nho x\n$1\n$1\n",
  ],
];

const FILES: readonly Row[] = [
  [
    'what a shell is called is its first argument, and its first $_',
    "for s in bash /bin/bash; do $s -c 'echo $0 $_'; echo 'echo $0 $_' | $s; done; /bin/sh -c 'echo $0 $1' a b; echo 'echo $0 $_' > s; chmod +x s; ./s; bash s",
    'bash /usr/bin/bash\nbash /usr/bin/bash\n/bin/bash /bin/bash\n/bin/bash /bin/bash\na b\n./s ./s\ns /usr/bin/bash\n',
  ],
  [
    'a script can come as /dev/stdin',
    "set -- a b; printf 'echo $1 $#; x=(1 2); return 3; echo no' > s; . /dev/stdin q r s < s; echo $? $1 ${x[1]}; echo 'set -- z; echo $1' | { source /dev/stdin; echo $1; }; bash /dev/stdin k < s; f() { source /dev/stdin <<< 'echo $1; return 5'; echo $?; }; f l; . /dev/stdin m <<< 'set -- n'; echo $1 $#; . /dev/stdin < /dev/null; echo $?",
    'q 3\n3 a 2\nz\nz\nk 1\nno\nl\n5\nn 1\n0\n',
  ],
  [
    'a command is looked for anew where PATH is another',
    'for d in a b; do mkdir $d; echo "echo $d" > $d/h; chmod +x $d/h; done; PATH=$PWD/a:$PATH h; PATH=$PWD/b:$PATH h; PATH=$PWD/a:$PATH; h',
    'a\nb\na\n',
  ],
  [
    'a colon in brackets is part of a pattern of GLOBIGNORE, what is escaped is no wildcard',
    "mkdir d; cd d; touch 1 _y x; GLOBIGNORE='[[:digit:]_]*'; echo *; touch 'e*' e1; GLOBIGNORE='e\\*:1'; echo *",
    'x\n_y e1 x\n',
  ],
  [
    'shopt -u globskipdots finds the dots',
    'mkdir e; cd e; touch .a; shopt -u globskipdots; echo .*',
    '. .. .a\n',
  ],
];

describe.each([
  ['signals', SIGNALS],
  ['variables', VARIABLES],
  ['files', FILES],
  ['functions', FUNCTIONS],
  ['words', WORDS],
  ['aliases', ALIASES],
  ['failures', FAILURES],
] as const)('%s', (_topic, rows) => {
  test.each(rows)('%s', async (_what, script, stdout) => {
    expect((await testShell().run(script)).stdout).toBe(stdout);
  });
});
