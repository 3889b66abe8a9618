/** Words and their fields, as bash 5.2 splits them. */
import { describe, expect, test } from 'vitest';
import { testShell } from './test-shell.ts';

type Row = readonly [what: string, script: string, stdout: string, status: number];

const FIELDS: readonly Row[] = [
  [
    'an assignment before a command is not seen by its words, but by the command',
    'x=1; x=2 echo "$x" $x ${x}y "a$x"; x=2 eval \'echo $x\'; x=2 y=$x env | grep \'^[xy]=\' | sort; echo $x $y.',
    '1 1 1y a1\n2\nx=2\ny=2\n1 .\n',
    0,
  ],
  ['nor by defaults and lengths', 'unset u; u=2 echo ${u:-d} ${u-d} ${#u} "${u+s}"', 'd d 0 \n', 0],
  ['nor by arithmetic and substitutions', 'x=3; x=5 echo $((x*2)) $[x+1] $(echo $x)', '6 4 3\n', 0],
  [
    'nor is IFS, with which words are split',
    "x=a:b; IFS=: printf '<%s>' $x; echo; IFS=: ; printf '<%s>' $x; unset IFS; echo",
    '<a:b>\n<a><b>\n',
    0,
  ],
  [
    'what is exported and declared is split or not as its own rules say',
    'y=\'a  b\'; x=1 export z=$y; echo "$z"; declare q=$y; echo "$q"; readonly r=$y s; echo "$r"',
    'a  b\na  b\na  b\n',
    0,
  ],
  [
    'arrays are declared with what was before',
    'x=2 declare -a arr=(1 2 $x); echo "${arr[@]}"',
    '1 2\n',
    0,
  ],
  ['an element that is assigned before a command', 'a=(1 2); a[0]=9 true; echo ${a[0]}', '1\n', 0],
  [
    'a blank at the start of an expansion ends the text before it',
    "b=' b'; printf '<%s>' a$b; printf '<%s>' a\"$b\"; printf '<%s>' a$b\"c\"; printf '<%s>' \"a\"$b$b\"d\"; echo",
    '<a><b><a b><a><bc><a><b><bd>\n',
    0,
  ],
  [
    'one at its end ends it, too',
    "b='b '; printf '<%s>' a$b; printf '<%s>' a$b'c'; printf '<%s>' $b$b; echo",
    '<ab><ab><c><b><b>\n',
    0,
  ],
  [
    'blanks at both',
    "b=' b c '; printf '<%s>' x$b; printf '<%s>' x${b}y; printf '<%s>' x${b}y$b; echo",
    '<x><b><c><x><b><c><y><x><b><c><y><b><c>\n',
    0,
  ],
  [
    'blanks alone part what is around them, and are no word',
    "b='  '; printf '<%s>' x$b; printf '<%s>' x${b}y; printf '<%s>' $b; printf '<%s>' $b\"\" ; echo",
    '<x><x><y><><>\n',
    0,
  ],
  [
    'nothing beside nothing is a word only where it is quoted',
    "e=; printf '<%s>' x$e; printf '<%s>' $e; printf '<%s>' \"$e\"; printf '<%s>' $e\"$e\"; printf '<%s>' ''$e; echo",
    '<x><><><><>\n',
    0,
  ],
  [
    'tabs and newlines are blanks',
    "t=$'\\tq\\nr'; printf '<%s>' x$t; printf '<%s>' x\"$t\"; echo",
    '<x><q><r><x\tq\nr>\n',
    0,
  ],
  [
    'other separators end a field each',
    "IFS=:; x=a:b::c:; printf '<%s>' $x; echo; printf '<%s>' y$x; echo; printf '<%s>' ${x}z; echo; x=:a; printf '<%s>' $x; printf '<%s>' q$x; echo",
    '<a><b><><c>\n<ya><b><><c>\n<a><b><><c><z>\n<><a><q><a>\n',
    0,
  ],
  [
    'blanks around another separator belong to it',
    "IFS=': '; x='a : b:  :c : '; printf '<%s>' $x; echo; printf '<%s>' y$x; echo; x=' : a'; printf '<%s>' y$x; printf '<%s>' $x; echo",
    '<a><b><><c>\n<ya><b><><c>\n<y><a><><a>\n',
    0,
  ],
  [
    'IFS without a blank splits at what it has alone',
    "IFS=-; x='a b-c'; printf '<%s>' $x; y=$x; printf '<%s>' \"$y\"; printf '<%s>' $(echo p-q r); printf '<%s>' $((5-8)); echo",
    '<a b><c><a b-c><p><q r><><3>\n',
    0,
  ],
  [
    'an empty IFS splits nothing, and leaves lists apart',
    "IFS=; x='a b'; printf '<%s>' $x; set -- 'p q' r; printf '<%s>' $*; printf '<%s>' \"$*\"; printf '<%s>' $@; echo",
    '<a b><p q><r><p qr><p q><r>\n',
    0,
  ],
  [
    'a tab in IFS is a blank, a space is none',
    "IFS=$'\\t'; x=$'a b\\tc'; printf '<%s>' y$x; printf '<%s>' $x; echo",
    '<ya b><c><a b><c>\n',
    0,
  ],
  [
    'a substitution may begin with a blank',
    "printf '<%s>' x$(echo ' a b '); printf '<%s>' x$(echo ' a b ')y; printf '<%s>' x\"$(echo ' a ')\"; echo",
    '<x><a><b><x><a><b><y><x a >\n',
    0,
  ],
  [
    'several lists in a word',
    "set -- a 'b c' d; printf '<%s>' \"$* $@\"; echo; printf '<%s>' \"$@$@\"; echo; printf '<%s>' \"x$@y$*z\"; echo; printf '<%s>' $@$*; echo",
    '<a b c d a><b c><d>\n<a><b c><da><b c><d>\n<xa><b c><dya b c dz>\n<a><b><c><da><b><c><d>\n',
    0,
  ],
  [
    'several lists that hold nothing',
    "set --; printf '<%s>' \"$@$@\"; printf '<%s>' \"$*$@\"; printf '<%s>' \"x$@$@\"; printf '<%s>' \"$@$*\"; echo; printf '<%s>' ''\"$@$@\"; echo",
    '<><><x><>\n<>\n',
    0,
  ],
  [
    'lists of arrays',
    "a=(1 '2 3'); b=(x y); printf '<%s>' \"${a[@]}${b[@]}\"; echo; printf '<%s>' \"${a[*]}-${b[@]}\"; echo; printf '<%s>' ${a[@]}${b[*]}; echo",
    '<1><2 3x><y>\n<1 2 3-x><y>\n<1><2><3x><y>\n',
    0,
  ],
  [
    'lists may be patterns of files',
    "touch f1 f2; a=('f*' x); printf '<%s>' ${a[@]}${a[@]}; echo; x='f?'; printf '<%s>' y$x $x; echo; set -f; printf '<%s>' $x a$x; echo",
    '<f1><f2><xf*><x>\n<yf?><f1><f2>\n<f?><af?>\n',
    0,
  ],
  [
    'IFS joins a list in quotes',
    'IFS=,; set -- a b c; printf \'<%s>\' "$*"; printf \'<%s>\' "$*$*"; printf \'<%s>\' $*; x="$*"; printf \'<%s>\' "$x"; echo',
    '<a,b,c><a,b,ca,b,c><a><b><c><a,b,c>\n',
    0,
  ],
  [
    'the words of a loop are split in the same way',
    'b=\' b\'; IFS=:; c=1:2; for i in x$b $c a$c; do echo "<$i>"; done',
    '<x b>\n<1>\n<2>\n<a1>\n<2>\n',
    0,
  ],
  [
    'so are those of an array',
    'b=\' b c\'; a=(x$b $b "$b"); printf \'<%s>\' "${a[@]}"; IFS=:; c=1:2; a=($c q$c); printf \'<%s>\' "${a[@]}"; echo',
    '<x><b><c><b><c>< b c><1><2><q1><2>\n',
    0,
  ],
  [
    'a tilde beside a blank',
    "HOME=/h; x=' a'; printf '<%s>' ~$x ~/b$x \"~\"$x; echo",
    '<~><a></h/b><a><~><a>\n',
    0,
  ],
  [
    'expansions that change a value',
    "x=' ab cd '; printf '<%s>' y${x# } y${x/ab/ q } y${x:0:3} y${x^^} y${#x}; echo",
    '<yab><cd><y><q><cd><y><ab><y><AB><CD><y7>\n',
    0,
  ],
  [
    'a default is split as a value is',
    "unset u; b=' b'; printf '<%s>' x${u:-$b} x${u:- q r} x${b:+ s t}; echo",
    '<x><b><x><q><r><x><s><t>\n',
    0,
  ],
  [
    'escaped and quoted text beside a blank',
    "b=' b'; printf '<%s>' \\a$b 'c d'$b \\ $b; echo",
    '<a><b><c d><b>< ><b>\n',
    0,
  ],
  [
    'what a value holds may be a pattern of files',
    "touch q1 q2; w='q*'; printf '<%s>' x$w $w \"$w\"; w='q\\*'; printf '<%s>' $w; echo",
    '<xq*><q1><q2><q*><q\\*>\n',
    0,
  ],
  [
    'of two expansions side by side each ends and begins fields',
    "b='b '; c=' c'; printf '<%s>' $b$b $b$c $b$b$b x$b$b \"$b\"$b $b\"$b\" $b$(echo z) $(echo 'y ')$b $b$((1)) $((1))$b; echo",
    '<b><b><b><c><b><b><b><xb><b><b b><b><b ><b><z><y><b><b><1><1b>\n',
    0,
  ],
  [
    'in loops and arrays, too',
    "b='b '; for i in $b$b; do echo $i; done; a=($b$b); echo ${#a[@]}; e=; printf '<%s>' $b$e$b; echo",
    'b\nb\n2\n<b><b>\n',
    0,
  ],
  [
    'numbers are split like values',
    "IFS=-; printf '<%s>' $((5-8)) $((-1)); echo; IFS=2; printf '<%s>' $((123)) x$((123)); echo $((121)); for i in $((323)); do echo $i; done; x=$((121)); echo \"$x\"; a=($((424))); echo ${#a[@]}",
    '<><3><><1>\n<1><3><x1><3>1 1\n3\n3\n121\n\n',
    0,
  ],
];

describe.each([['words', FIELDS]] as const)('%s', (_, rows) => {
  test.each(rows)('%s', async (_name, script, stdout, status) => {
    const result = await testShell().run(script);
    expect([result.stdout, result.exitCode]).toEqual([stdout, status]);
  });
});
