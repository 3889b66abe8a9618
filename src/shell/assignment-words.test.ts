/** Words that look like assignments where none can stand, each script with what bash 5.2 prints. */
import { expect, test } from 'vitest';
import { spellAssignmentWords } from './assignment-words.ts';
import { testShell } from './test-shell.ts';

test.each([
  [
    'the words of a loop',
    'v="p q"; for kv in a=1 x a=$v \'b=1 2\' c="$v" d={1,2} e[0]=f g+=h; do echo "[$kv]"; done',
    '[a=1]\n[x]\n[a=p]\n[q]\n[b=1 2]\n[c=p q]\n[d=1]\n[d=2]\n[e[0]=f]\n[g+=h]\n',
  ],
  [
    'what a case is of, and its patterns',
    'case a=1 in a=1) echo one;; esac; f() { case $1 in b=2|a=*) echo two;; (c=3) echo three;;\n  --d=*) echo four;; *) echo other;; esac; }; f a=7; f b=2; f c=3; f --d=1; f d',
    'one\ntwo\ntwo\nthree\nfour\nother\n',
  ],
  [
    'the target of a redirection, and a here-string',
    'echo text > o=p; cat < o=p; cat <<< q=r; rm o=p',
    'text\nq=r\n',
  ],
  [
    'the elements of an array',
    'a=(x=1 "y=2" z=$((1 + 1)) w); a+=(k=v); printf "<%s>" "${a[@]}"; declare -a b=([0]=p q=r); declare -p b; f() { local c=(m=n "o p=q" r); declare -p c; }; f',
    '<x=1><y=2><z=2><w><k=v>declare -a b=([0]="p" [1]="q=r")\ndeclare -a c=([0]="m=n" [1]="o p=q" [2]="r")\n',
  ],
  [
    'an array over several lines, with comments',
    'n=(\n  A=1 # and B=2\n  B="two words"\n  C=$(for q in D=4; do echo $q; done)\n); printf "<%s>" "${n[@]}"',
    '<A=1><B=two words><C=D=4>',
  ],
  [
    'the words of a command that is kept in an array',
    'cmd=(env FOO=bar BAZ=qux sh -c \'echo $FOO $BAZ\'); "${cmd[@]}"',
    'bar qux\n',
  ],
  [
    'words within substitutions and functions',
    'echo "k=v $(for y in k=v k=v; do echo "k=v $y"; done)"; f() { for y in k=v; do echo $y; done; }; declare -f f; eval \'for y in e=f; do echo $y; done\'',
    'k=v k=v k=v\nk=v k=v\nf () \n{ \n    for y in k=v;\n    do\n        echo $y;\n    done\n}\ne=f\n',
  ],
  ['names of files', 'touch f=1 f=2; for g in f=*; do echo $g; done; rm f=*', 'f=1\nf=2\n'],
  ['a menu', 'select s in a=1 b=2; do echo "got $s"; break; done <<< 2 2> /dev/null', 'got b=2\n'],
  [
    'what only looks like it is left alone',
    'echo "a=(x=1 y=2) for kv in a=1; case b=2 in c=3)"; cat <<X\na=(x=1) for kv in a=1; > c=d\nX\na=1 b=2 env | grep -E "^[ab]=" | sort; (( i = 1, j = 2 )); echo $i $j; e[1]=x; echo ${e[1]}; if true; then k=1; fi; echo $k # for x in y=z',
    'a=(x=1 y=2) for kv in a=1; case b=2 in c=3)\na=(x=1) for kv in a=1; > c=d\na=1\nb=2\n1 2\nx\n1\n',
  ],
])('%s', async (_, script, stdout) => {
  expect(await testShell().run(script)).toMatchObject({ stdout, stderr: '', exitCode: 0 });
});

test.each([
  'x=1; echo $x',
  'for x in a b; do y=$x; done',
  'env A=1 B=2 sh',
  'for x in a=1; do',
  'a=(x=1',
])('is parsed as it was written: %s', (script) => {
  expect(spellAssignmentWords(script)).toBe(script);
});
