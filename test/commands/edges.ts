/** Where conditions of commands turn over: scripts by the command that they are about, beside those of cases.ts. */

export const EDGES: Readonly<Record<string, readonly string[]>> = {
  expr: [
    `exec 2>&1
for o in '<' '<=' '=' '==' '!=' '>=' '>'; do expr 2 $o 1; expr 1 $o 1; expr 1 $o 2; expr b $o a; expr a $o a; expr a $o b; expr 10 $o 9; expr 10 $o 9x; done
expr 1 2; expr 1 + ; expr '('; expr '(' 1; expr '(' 1 2; expr ')'; expr '(' 2 + 3 ')' '*' 2; expr; echo $?
expr +; expr + +; expr + length; expr 1 + + 2; expr length + length; expr length abc; expr index abc xb; expr index abc x
expr '' '|' 0; expr '' '|' ''; expr 0 '|' x; expr 3 '|' x; expr 1 '&' 2; expr 0 '&' 2; expr 1 '&' ''; expr -0 '|' 5; expr 00 '|' 5
expr substr abcdef 1 1; expr substr abcdef 2 3; expr substr abcdef 0 3; expr substr abcdef 2 0; expr substr abcdef x 3; expr substr abcdef 2 y; expr substr abcdef 6 2; expr substr abcdef -1 2; expr substr abcdef 2 -1; echo $?
expr abc : b; expr abc : 'a\\(.\\)'; expr abc : 'x\\(.\\)'; expr abc : 'a\\(x\\)*'; expr match abc 'ab'; expr abc : abcd; expr abc : '\\(b\\)'; echo $?
expr 1 / 0; echo $?; expr 1 % 0; expr a + 1; expr 1 + a; expr -7 / 2; expr -7 % 2; expr 7 - 9; expr 3 '*' -4; expr 1 '|' 1 / 0; expr 0 '&' a + 1
expr 99999999999999999999 + 1; expr 2 '*' '(' 3 - 1 ')' ; expr 1 - 1; echo $?; expr x; echo $?; expr 5 - 2 - 1; expr -- 3; expr a '<' b '&' 4`,
  ],
  head: [
    `for n in 0 1 2 3 24 25 26; do head -n $n numbers.txt | cksum; head -n -$n numbers.txt | cksum; tail -n $n numbers.txt | cksum; tail -n +$n numbers.txt | cksum; done
for n in 0 1 2 16 17 18; do head -c $n a.txt; echo "<"; head -c -$n a.txt; echo "<"; tail -c $n a.txt; echo "<"; tail -c +$n a.txt; echo "<"; done
printf 'a\\nb\\nc' > o; for n in 0 1 2 3 4; do head -n $n o; echo "<"; head -n -$n o; echo "<"; tail -n $n o; echo "<"; tail -n +$n o; echo "<"; done
printf '\\n\\n' > o; for n in 0 1 2 3; do head -n $n o | od -An -c; tail -n $n o | od -An -c; head -n -$n o | od -An -c; done; head -n 3 empty; tail -n 3 empty
head -c 300000 /dev/zero | cksum; yes | head -c 100001 | cksum; yes ab | head -n 40000 | cksum; yes abc | head -n 1; yes | head -c 3; yes | head -n -1 < a.txt; cat a.txt | head -c 100
head numbers.txt; tail numbers.txt; head -3 numbers.txt; tail -3 numbers.txt; head -2c a.txt; tail -2c a.txt; head -1l a.txt; tail +20 numbers.txt; tail +3c a.txt; tail -2l a.txt; head -1kq a.txt; head -1bv a.txt; head -2q a.txt b.txt
head -n 1 a.txt - < b.txt; head -qn 1 a.txt b.txt; head -vn 1 a.txt; head -vqn 1 a.txt b.txt; head -qvn 1 a.txt; tail -n 1 - a.txt < b.txt; tail -qn 1 a.txt b.txt; head -n 1 dir a.txt 2>/dev/null; head dir 2>/dev/null; tail -n 1 a.txt dir b.txt 2>/dev/null; echo $?
head -n 1 nope 2>&1; tail nope 2>&1; head -c x a.txt 2>&1; head -n 1x a.txt 2>&1; tail -c -x a.txt 2>&1; head -n 1 -c 3 a.txt; head -c 3 -n 1 a.txt; printf 'a\\0b\\0c' | head -z -n 2 | od -An -c; printf 'a\\0b\\0c' | tail -z -n 1 | od -An -c
(head -n 1; cat) < a.txt; (head -c 3; cat) < a.txt`,
  ],
  cut: [
    `exec 2>&1
for l in 1 1-2 2- -2 1,1 1,2 2,1 1-2,2-3 1-3,2 2,4- 1,3-4,2 4-,1 -2,4 1-5; do echo "[$l]"; printf 'a:b:c:d:e\\n:x:\\nq\\n' | cut -d : -f $l; printf 'abcde\\n\\nxy\\n' | cut -b $l; printf 'a:b:c:d:e\\nq\\n' | cut -d : -s --complement -f $l; printf 'abcdef\\n' | cut --complement --output-delimiter=_ -c $l; printf 'abcdef\\n' | cut --output-delimiter=_ -c $l; done
cut -f 0 a.txt; cut -c 0-1 a.txt; cut -f - a.txt; cut -f x a.txt; cut -f 2-1 a.txt; cut -f , a.txt; cut -b '' a.txt; cut -f 1-0 a.txt; cut a.txt; cut -f 1 -b 1 a.txt; cut -d : -b 1 a.txt; cut -s -c 1 a.txt; cut -d ab -f 1 a.txt; cut -d '' -f 1 a.txt; cut -f 1 nope dir; echo $?
cut -d a -f 1 a.txt; cut -f 1 a.txt nope b.txt 2>/dev/null; cut -d $'\\n' -f 2 a.txt; cut -d $'\\n' -f 1,3 a.txt; cut -d $'\\n' -f 1,3 --output-delimiter=+ a.txt; printf x | cut -d $'\\n' -s -f 1; printf 'x\\n' | cut -d $'\\n' -s -f 1 | od -An -c
cut -d $'\\n' -f 1 empty; cut -d $'\\n' -f 2 -s a.txt; printf 'a:b\\0c:d' | cut -z -d : -f 2 | od -An -c; cut -d , -f 1,2 --output-delimiter='->' table.csv; cut -nb 1 a.txt; cut -f 1 --output-delimiter= -d , table.csv; cut -d , -f 1,3 --output-delimiter= table.csv; seq 3000 | cut -c 2- | cksum; cat b.txt | cut -c 2 - a.txt`,
  ],
  env: [
    `env -i A=1 B=2; env -i A=1 | od -An -c | head -3; env -0 -i A=1 B=2 | od -An -c; env -i A=1 -u A; env -u HOME | grep -c ^HOME=; env -i - A=1; env - A=b=c; A=1 env -u A printenv A; echo $?; env A=2 printenv A; env A=3 sh -c 'echo $A'; env -i A=4 printenv
exec 2>&1
env -u '' true; echo $?; env -u A=b true; echo $?; env -C dir; echo $?; env -C dir ls; env -C nope ls; echo $?; env -0 true; echo $?; env -C dir -i A=1 printenv A; env sh -c 'exit 7'; echo $?; env -- echo x; env -q; echo $?
export E=val; exec 2>/dev/null; env -S 'printf "<%s>" a "b c" \\x41'; echo; env -S 'A=1 printenv A'; env '-SB=2 printenv B'; env --split-string='echo $' ; echo $?; env -S 'echo \${E} x'; env -S "echo 'a  b'  c # d"; env -vS 'echo a' 2>/dev/null; env -iS 'A=5 printenv'; env -S'echo "\\t|\\n"' | od -An -c; env -S 'echo a\\_b "a\\_b" \\c d'; env -S 'echo \\q'; echo $?; env -S 'echo "a'; echo $?; env -S "echo 'a"; echo $?; env -S 'echo a\\'; echo $?; env -S 'echo $E'; echo $?; env -S 'echo \${}'; echo $?; env -S '   echo    spaced   '; env -S 'echo "" end'; env -S 'echo \\#a a#b'; env -S '-u E printenv E'; echo $?; env -u X -S 'echo z' y; env -S 'echo \\$E \\"q\\" \\\\ "\\\\" "\\$"'; env -S
echo $?; env echo -S x; env A=1 -S x; echo $?; printenv E HOME | wc -l; printenv nope; echo $?; printenv E nope; echo $?; printenv -0 E | od -An -c; printenv -x; echo $?; printenv | grep ^E=`,
  ],
  join: [
    `exec 2>&1
printf 'a 1 x\\nb 2 y\\nb 3 z\\nd 4\\n' > l; printf 'a A\\nb B\\nb C\\nc D E\\n' > r
exec 2>/dev/null; join l r; join -a 1 l r; join -a 2 l r; join -a 1 -a 2 l r; join -v 1 l r; join -v 2 l r; join -v 1 -v 2 l r; join -a 1 -e - -o auto l r; join -a 1 -a 2 -e - -o 0,1.2,2.2,1.3 l r; join -o 1.1 -o 2.2 l r; join -o '1.3 2.1' l r; join -e X -o 0,1.9,2.2 l r
join -1 2 -2 2 l r; join -j 1 l r; join -j 2 l l; join -1 2 -2 1 l l; join -1 3 l r; join -a 1 -1 3 l r; join -t ' ' l r; join -t : l r; join -t '' l l; join -i l r; printf 'A 9\\n' | join -i - r; printf 'A 9\\n' | join - r; join --header l r; join --header -a 2 l r; printf 'h\\n' | join --header - r; join --header empty r; join --header empty empty; join empty r; join -a 2 empty r
printf 'b 1\\na 2\\n' > u; join u r; echo $?; join --check-order u r > o; echo $?; join --nocheck-order u r; echo $?; join u u; echo $?; join --check-order u u > o; echo $?; join r u; echo $?; join -a 1 u r; echo $?; 
exec 2>&1; join; echo $?; join l; join l r u; join -a 3 l r; join -v x l r; join -1 0 l r; join -2 x l r; join -o 3.1 l r; join -o 1.0 l r; join -o x l r; join nope r; join l nope; echo $?; join -t ab l r; join -j 1 -1 2 l r
printf 'a:1::\\nb::2\\n' > p; printf 'a:x\\nb:y\\n' > q; join -t : p q; join -t : -e N -o auto p q; join -t : -e N p q; join -t : -o 1.4,1.3 -e N p q; printf 'a 1\\0b 2\\0' > z; join -z z z | od -An -c; printf ' a  1\\n\\tb  2\\n' | join - r`,
  ],
  tree: [
    `mkdir -p t/b/c t/e t/.h; printf 12345 > t/f.txt; printf 1 > t/b/g.md; head -c 5000 /dev/zero > t/b/c/big; touch -d 2020-01-02T03:04:05Z t/f.txt; touch -d 2021-01-02 t/b/g.md; touch -d 2019-05-06 t/b/c/big; ln -s b t/link; ln -s nope t/dead; ln -s f.txt t/fl; chmod +x t/b/g.md
tree t; tree -a t; tree -d t; tree -L 1 t; tree -L 2 t; tree -f t; tree -i t; tree -if t; tree -F t; tree -Q t; tree --noreport t; tree --dirsfirst t; tree --filesfirst t; tree -r t; tree -U --noreport t/b; tree -P '*.md' t; tree -P '*.md' --prune t; tree -I b t; tree -I 'b|e' t; tree -I 'B' t; tree -I 'B' --ignore-case t; tree --prune t; tree --charset=ascii t; tree t/e; tree -F t/; tree t/b t/e
tree t/f.txt; tree nope; echo $?; tree -L 0 t 2>&1; echo $?; tree -L 2 -d t; tree --sort=size t/b; tree -t t/b; tree --sort=mtime -r t/b; tree -p t/b/c | tail -3; tree -D t/b/c | tail -3; tree -o out t/b; cat out; tree -fQ t/b; tree -a -I .h t; tree -P g.md -P f.txt t; tree -L 3 t; tree -d t/b/c; tree -q; echo $?`,
  ],
  stat: [
    `exec 2>&1
 printf abc > f; mkdir d; ln -s f l; : > z; chmod 640 f; chmod 755 d; touch -d '2024-02-03 04:05:06.789' f; touch -d @1600000000 z
stat -c '%n %s %F %a %A %f %h %B %o' f z; stat -c '%n %F %a %A' d l; stat -L -c '%n %F %s' l; stat -c '%N|%n' l f; stat -c '%y|%Y|%z' f | cut -d'|' -f 1,2; stat -c '%.3Y %.0Y %.9Y %Y' f; stat --printf 'a%' f; stat -c 'x%' f
stat; echo $?; stat nope; echo $?; stat f | sed -n '1,2p' | sed 's/Blocks.*IO/IO/'; stat l | sed -n 1p; stat z | sed -n 2p | sed 's/Blocks.*IO/IO/'; stat f | sed -n 4p | sed 's/Uid.*//'; stat f | sed -n 6p; stat d/ -c %F; stat -t f | wc -w; stat -c '%10.3Y|' f;`,
    `exec 2>&1
for s in 3 +3 -3 -30 '<5' '<20' '>5' '>20' /4 %4 /20 %20 1K 1kB 0 +0 /0 %0; do printf 0123456789 > t; truncate -s "$s" t; echo "$s $? $(wc -c < t)"; done; printf abcdef > t; truncate -s 8 t; od -An -c t; truncate -s 2 t; cat t; echo; truncate -c -s 4 none; echo $?; ls none; truncate -s 4 new; wc -c new
 truncate t; truncate -s x t; echo $?; truncate -r a.txt t; wc -c < t; truncate -r a.txt -s +2 t; wc -c < t; truncate -r a.txt -s -2 t; wc -c < t; truncate --size=5 t u; wc -c t u; truncate -s 1 dir; echo $?; truncate -s 1 nodir/x; echo $?; truncate --no-create -s 1 nope; echo $?; truncate --reference=a.txt n2; wc -c < n2`,
  ],
  seq: [
    `exec 2>&1
seq 3; seq 2 4; seq 1 2 6; seq 5 1; seq 5 -2 1; seq 1 -1 1; seq 0; seq 1; seq -1; seq -2 2; seq 1 0.5 3; seq 0.1 0.1 0.5; seq 1.50 2; seq -s, 3; seq -s '' 3; seq -w 8 11; seq -w -2 9; seq -w 0.5 10; seq -f %g 3; seq -f '%05.1f' 2; seq -f 'a%gb' 2; seq -f %e 1; seq -f %x 1; echo $?; seq -f %%%g 1; seq -f a 1; echo $?; seq -f %g%g 1; echo $?; seq -w -f %g 1; echo $?; seq 1 0 3; echo $?; seq x; echo $?; seq 1 2 3 4; echo $?; seq; echo $?; seq 1e2 103; seq 1 3 10; seq 10 -3 1; seq -s: -w 9 10; seq --equal-width 9 10; seq 1 2 ''; echo $?; seq 3 3; seq 4 3; seq 1e0 2; seq 000 2; seq -w 01 2; seq 1.0 3; seq 1 1.0 3; seq -5 -3; seq -w -1 1; seq 1 .5 2; seq -- -1 1; seq --separator=- 3; seq 2>&1 -q`,
  ],
  nl: [
    `exec 2>&1
printf 'a\\n\\n\\nb\\n\\\\:\\\\:\\\\:\\nhead\\n\\\\:\\\\:\\nbody\\n\\nb2\\n\\\\:\\nfoot\\n\\\\:\\\\:\\nz\\n' > n
nl n; nl -b a n; nl -b t n; nl -b n n; nl -b 'p^b' n; nl -h a n; nl -f a n; nl -h n -f t -b a n; nl -p n; nl -v 5 n; nl -v -2 -b a n; nl -i 3 n; nl -i -1 n; nl -w 2 n; nl -w 1 -v 99 n; nl -s : n; nl -s '' a.txt; nl -n ln n; nl -n rn a.txt; nl -n rz n; nl -n rz -w 3 -v -5 a.txt; nl -l 2 -b a n; nl -l 3 -b a n; nl -d xy n; nl -d x n; printf 'x:x:\\nq\\nx:\\nw\\n' | nl -d x -f a; nl -d '' n; nl empty; nl -b z n; echo $?; nl -n q n; echo $?; nl -w 0 n; echo $?; nl -i x n; nl -v x n; nl -l 0 n; nl -b 'p(' n; nl nope; echo $?; nl a.txt b.txt; nl - < a.txt; printf 'no end' | nl; nl --body-numbering=a --number-width=3 --number-separator='> ' a.txt; nl --page-increment=2 a.txt; nl --starting-line-number=7 a.txt`,
  ],
  tac: [
    `exec 2>&1
tac a.txt b.txt; printf 'a\\nb' | tac; printf '\\n\\na' | tac | od -An -c; tac empty; tac nope; echo $?; tac -s , table.csv; printf 'a,b,c' | tac -s ,; printf 'a,b,c,' | tac -s ,; printf ',a,b' | tac -b -s ,; printf 'a,b,c' | tac -b -s ,; printf 'a1b22c' | tac -r -s '[0-9]'; echo; printf 'a1b2' | tac -b -r -s '[0-9]'; echo; tac -s '' a.txt; tac -r -s '(' a.txt; echo $?; printf 'aXXbXXc' | tac -s XX; printf 'a\\0b\\0' | tac -s '' | od -An -c; tac a.txt nope b.txt 2>/dev/null; cat a.txt | tac - b.txt; tac --before --separator=a a.txt; tac -q`,
  ],
  rev: [
    `exec 2>&1
rev a.txt b.txt; printf 'abc' | rev; printf 'abc\\n\\nx' | rev | od -An -c; rev empty; printf 'äöü x\\n' | rev; printf 'a\\tb\\n' | rev | od -An -c; cat a.txt | rev | rev; seq 2000 | rev | cksum`,
  ],
  fold: [
    `exec 2>&1
for w in 1 2 5 8 9 16 80; do fold -w $w long.txt | cksum; fold -s -w $w long.txt | cksum; fold -b -w $w long.txt | cksum; fold -bs -w $w long.txt | cksum; done
printf 'ab\\tcd\\n' > t; for w in 1 7 8 9 10 11; do fold -w $w t | od -An -c; fold -b -w $w t | od -An -c; done; printf 'abc\\bd\\re\\n' | fold -w 3 | od -An -c; printf 'abcdef' | fold -w 3 | od -An -c; printf 'abcdefgh i jk\\n' | fold -s -w 5; printf 'aä öü\\n' | fold -w 2; fold -7 a.txt; fold -w x a.txt; echo $?; fold nope; echo $?; fold -w 3 empty; fold -w 3 a.txt nope b.txt 2>/dev/null; fold -s -3 b.txt; fold --bytes --width=2 a.txt; fold --spaces --width 6 a.txt; fold -w 4 - < a.txt; fold -w 5 -s <<< 'aaaa    bbbb'; fold -w -1 a.txt`,
  ],
  paste: [
    `exec 2>&1
paste a.txt b.txt; paste a.txt numbers.txt | head -5; paste -s a.txt b.txt; paste -d , a.txt b.txt a.txt; paste -d ,: a.txt b.txt a.txt b.txt; paste -s -d ,: numbers.txt; paste -d '\\n' a.txt b.txt; paste -d '\\t\\0\\\\' a.txt b.txt a.txt b.txt; paste -d '\\0' a.txt b.txt; paste -s -d '' a.txt; paste - - < numbers.txt; paste - - - -d, < numbers.txt; paste -s - < a.txt; paste empty a.txt; paste a.txt empty; paste empty empty; paste -s empty a.txt; printf 'x\\ny' | paste - a.txt; paste nope a.txt; echo $?; paste a.txt nope; echo $?; paste -d '\\' a.txt; echo $?; paste -z a.txt b.txt | od -An -c; paste < a.txt; paste -s -d '\\b\\f\\r\\v\\q' numbers.txt | od -An -c | head; paste --serial --delimiters=- a.txt; paste -q; paste dir; echo $?`,
  ],
  uniq: [
    `exec 2>&1
printf 'a 1\\na 1\\nA 1\\nb 1\\nb 2\\nc\\nc\\nc\\n\\n\\nd' > u
uniq u; uniq -c u; uniq -d u; uniq -D u; uniq -u u; uniq -i u; uniq -ic u; uniq -f 1 u; uniq -f 2 u; uniq -s 1 u; uniq -s 2 u; uniq -w 1 u; uniq -w 0 u; uniq -f 1 -s 1 -c u; uniq -cd u; uniq -cu u; uniq -du u; uniq --all-repeated=prepend u; uniq --all-repeated=separate u; uniq --all-repeated=none u; uniq --group u; uniq --group=prepend u; uniq --group=append u; uniq --group=both u; uniq --group=x u; echo $?; uniq --all-repeated=q u; echo $?; uniq -c --group u; echo $?; uniq -cD u; echo $?; uniq -d --group u; uniq u o; cat o; uniq u o x; echo $?; uniq nope; echo $?; uniq -f x u; uniq -w x u; uniq -s x u; echo $?; uniq - < u; printf 'a\\0a\\0b' | uniq -z | od -An -c; uniq empty; uniq -c empty; uniq -D empty; uniq --count --repeated u; uniq --skip-fields=1 --skip-chars=1 --check-chars=1 u; printf ' a b\\n  a b\\n' | uniq -f 1; printf '\\ta b\\n a b\\n' | uniq -f 1; printf 'aé\\naè\\n' | uniq -w 2; printf 'x\\nx' | uniq -c; uniq -q`,
  ],
  comm: [
    `exec 2>&1
sort a.txt > A; sort b.txt > B; comm A B; comm -1 A B; comm -2 A B; comm -3 A B; comm -12 A B; comm -13 A B; comm -23 A B; comm -123 A B; comm --total A B; comm --total -12 A B; comm --output-delimiter=: A B; comm --output-delimiter=, --total A B; comm -3 --output-delimiter=: A B; comm A empty; comm empty B; comm empty empty; comm - B < A; comm A - < B; comm a.txt b.txt > o; echo $?; cat o; comm --check-order b.txt a.txt > o; echo $?; comm --nocheck-order b.txt a.txt; echo $?; comm numbers.txt A > o; echo $?; comm A; echo $?; comm; echo $?; comm A B A; echo $?; comm nope A; echo $?; comm A nope; echo $?; printf 'a\\0b' > z; comm -z z z | od -An -c; printf 'a\\na\\nb' | comm - A; comm --output-delimiter= A B | od -An -c | head -3; comm -q A B; comm --check-order A B; echo $?; comm dir A; echo $?; printf 'b\\na\\n' > u; comm u u; echo $?; comm --check-order u u > o; echo $?; comm u A >o; echo $?; comm A u > o; echo $?`,
  ],
  cmp: [
    `exec 2>&1
printf 'abc\\ndef\\n' > x; printf 'abc\\ndeX\\n' > y; printf 'abc\\n' > s; printf abc > n; printf 'aXc\\ndXf\\n' > m
cmp x x; echo $?; cmp x y; echo $?; cmp x s; echo $?; cmp s x; cmp n x; cmp x n; cmp x empty; cmp empty x; cmp -b x y; cmp -l x m; echo $?; cmp -lb x m; cmp -s x y; echo $?; cmp -s x nope; echo $?; cmp x nope; echo $?; cmp nope x; cmp x; echo $?; cmp; echo $?; cmp - x < y; cmp x - < y; cmp -n 3 x m; cmp -n 1 x m; echo $?; cmp -n 6 x y; echo $?; cmp -n 7 x y; cmp -n 0 x y; echo $?; cmp -i 2 x m; cmp -i 1:2 x m; cmp x y 4 4; cmp x y 5 5; cmp x y 7; cmp -i 100 x y; echo $?; cmp -n x x y; echo $?; cmp -i x x y; echo $?; cmp -l x s; echo $?; cmp -l s x; echo $?; cmp -b x m; cmp --bytes=1K x y; cmp --verbose --print-bytes x y; cmp --quiet x y; echo $?; printf 'a\\001\\200\\377' > b; printf 'a\\002\\201\\376' > c; cmp -b b c; cmp -lb b c; cmp -ls x y; echo $?; cmp x dir; echo $?; cmp x y 0 0 0; echo $?; cmp --ignore-initial=4 x s; cmp -n 4 x s; echo $?; cmp -n 5 x s; echo $?`,
  ],
  ls: [
    `exec 2>&1
mkdir d; cd d; printf 1234567890 > ten; head -c 2000 /dev/zero > big; : > none; mkdir sub; printf x > sub/in; ln -s ten l; ln -s nope dead; printf x > .hid; printf x > 'a b'; printf x > v1.10; printf x > v1.9; printf x > old~; chmod 755 v1.9; touch -d 2024-01-01 ten; touch -d 2023-01-01 big; touch -d 2022-01-01 none; touch -d 2021-01-01 sub 'a b' v1.10 v1.9 old~; ls; ls -a; ls -A; ls -B; ls -S; ls -Sr; ls -t ten big none; ls -tr ten big none; ls -X; ls -v v*; ls -U ten big; ls -f ten big; ls -1F; ls -p; ls --file-type; ls -d .; ls -d sub l; ls sub; ls l; ls dead; ls -L dead; echo $?; ls -R; ls sub ten; ls ten sub none; ls -I 'v*'; ls --hide='v*'; ls -a --hide='v*' ; ls -m; ls -Q; ls -N; ls --quoting-style=shell; ls --quoting-style=c; ls --quoting-style=escape; ls --quoting-style=literal; ls --quoting-style=shell-always; ls -b; ls -q; ls --sort=size; ls --sort=time ten big; ls --sort=none ten big; ls --sort=extension; ls --sort=version v*; ls -rS; ls --group-directories-first; ls -x -w 20; ls -C -w 20; ls -C -w 0; ls -w x; echo $?
ls -l ten | cut -d' ' -f 1,2,5-; ls -l --time-style=long-iso ten big | cut -d' ' -f 1,5-; ls -l --time-style=full-iso ten | cut -d' ' -f 1,5-; ls -l --time-style=iso ten | cut -d' ' -f 5-; ls -l --time-style=+%Y ten | cut -d' ' -f 5-; ls -lh --time-style=+%s big | cut -d' ' -f 5-; ls -l --si --time-style=+%s big | cut -d' ' -f 5-; ls -g --time-style=+ ten | cut -d' ' -f 1,4-; ls -lk --time-style=+ big | cut -d' ' -f 5-; ls -ld sub --time-style=+ | cut -c 1-10; ls -lF --time-style=+ l | cut -c 1; ls -l l --time-style=+ | grep -o 'l ->.*'; ls -lL l --time-style=+ | cut -c 1-10; ls --full-time ten | grep -o '2024.*'; ls -n ten --time-style=+ | wc -w; ls -o ten --time-style=+ | wc -w; ls -lG ten --time-style=+ | wc -w; ls -i ten | wc -w; ls -lQ --time-style=+ 'a b' | grep -o '".*'; ls -d */; ls -dF */ l`,
  ],
  realpath: [
    `exec 2>&1
mkdir -p d/e; printf x > d/f; ln -s d l; ln -s l/f lf; ln -s nope dead; ln -s loop loop; P=$PWD; s() { sed "s|$P|P|g"; }
realpath d/f | s; realpath l/f | s; realpath lf | s; realpath -s l/f | s; realpath nope | s; realpath nope/x; echo $?; realpath -e nope; echo $?; realpath -m nope/x/.. | s; realpath -e d/.. | s; realpath dead | s; realpath -e dead; echo $?; realpath loop; echo $?; realpath -L l/.. | s; realpath -P l/.. | s; realpath --relative-to=d d/e d . | s; realpath --relative-to=d/e l/f; realpath --relative-base=d d/e /; realpath --relative-base=. --relative-to=d d/e / . ; realpath --relative-to=nope d; realpath -q nope/x; echo $?; realpath -z d d/e | od -An -c | tail -1; realpath; echo $?; realpath d/f/; echo $?; realpath d/f/x; echo $?; realpath // /..; realpath --strip l | s; realpath -m d/f/x | s; realpath --relative-to=/ d/e | sed "s|\${P#/}|P|"; realpath -e --relative-to=d nope
readlink l; readlink lf; readlink d; echo $?; readlink nope; echo $?; readlink -v nope; readlink -f lf | s; readlink -f nope | s; readlink -f nope/x; echo $?; readlink -e dead; echo $?; readlink -e lf | s; readlink -m nope/x | s; readlink -n l; echo; readlink -z l | od -An -c; readlink; echo $?; readlink -f loop; echo $?; readlink l nope lf; echo $?; readlink -q nope; readlink -f d/f/x; echo $?; readlink -v d`,
  ],
  look: [
    `exec 2>&1
printf 'Apple\\nant\\napple\\nbanana\\nbee\\nbeetle\\n' | sort > w; look be w; look bee w; look z w; echo $?; look -d 'b.e' w; look -t l bxx w; look -te beexx w; look a w; look A w; look '' w | wc -l; look be nope; echo $?; look; echo $?; look b a.txt; look -q; echo $?; look e b.txt;`,
  ],
  ln: [
    `exec 2>&1
mkdir d e; ln a.txt h; cat h; ln -s a.txt s; readlink s; ln -s a.txt s; echo $?; ln -sf b.txt s; readlink s; ln; echo $?; ln -s ../a.txt d; readlink d/a.txt; ln -s d ld; ln -s a.txt ld; ls d; ln -sfn e ld; readlink ld; ln -sT x ld; echo $?; ln -sfT x ld; readlink ld; ln nope n; echo $?; ln d dd; echo $?; ln -v a.txt v; ln -sv a.txt sv; ln -t e a.txt b.txt; ls e; ln a.txt b.txt d; echo $?; readlink s; ln -s x nodir/y; echo $?; ln -sr d/deep e/r; readlink e/r; ln -sr a.txt e; readlink e/a.txt; ln -sfr a.txt e/q; readlink e/q; ln -s a.txt a.txt; echo $?; ln -f a.txt a.txt; echo $?; ln -T a.txt b.txt c; ln -sf -t e x y; readlink e/x e/y; ln -s 'a b' 'c d'; ln -v -s 'a b' 'c e'; ln -q`,
  ],
  touch: [
    `exec 2>&1
touch n; ls n; touch -c none; ls none; touch -d '2024-05-06 07:08:09' f; stat -c %Y f; touch -t 202401020304.05 f; stat -c %Y f; touch -t 2401020304 f; stat -c %Y f; touch -t 6901020304 f; stat -c %Y f; touch -t 6801020304 f; stat -c %Y f; touch -r f g; stat -c %Y g; touch -r f -d '+1 day' g; stat -c %Y g; touch -d @5 f; stat -c %Y f; touch -m -d @9 f; stat -c %Y f; touch -t 1 f; echo $?; touch -t 202413010000 f; echo $?; touch -t 202401010000.60 f; stat -c %Y f; touch -t 202401010000.61 f; echo $?; touch -d nonsense f; echo $?; touch -r none f; echo $?; touch; echo $?; touch nodir/x; echo $?; touch a1 a2; ls a1 a2; touch dir; echo $?; touch -h -d @7 f; stat -c %Y f; ln -s f l; touch --date=@11 f; stat -c %Y f; touch --reference=f k; stat -c %Y k; touch --no-create zz; ls zz; touch --time=mtime -d @13 f; stat -c %Y f; touch -t 202402290000 f; stat -c %Y f; touch -t 202302290000 f; echo $?; touch -d @1 -t 202401010000 f; echo $?; touch -q`,
  ],
  mktemp: [
    `exec 2>&1
n() { sed 's/[A-Za-z0-9]\\{10\\}$/R/;s/\\.[A-Za-z0-9]\\{3\\}$/.R/'; }
mktemp xXXX | cut -c 1; mktemp -d dXXX | cut -c 1; ls -d d??? x???* | wc -l; mktemp aXX; echo $?; mktemp nox; echo $?; mktemp -u uXXXX | wc -c; ls u* ; mktemp XXX.txt | wc -c; mktemp --suffix=.q fXXX | grep -c '^f....q$'; mktemp --suffix=/q fXXX; echo $?; mktemp -p dir gXXXX | cut -c 1-5; ls dir/g* | wc -l; mktemp -q -p nodir gXXXX; echo $?; mktemp -t hXXX | cut -c 1-6; mktemp -t a/hXXX; echo $?; mktemp aXXX bXXX; echo $?; TMPDIR=dir mktemp -t iXXX | cut -c 1-5; TMPDIR=dir mktemp -u | cut -c 1-8; mktemp -u --tmpdir=dir jXXX | cut -c 1-5; mktemp --tmpdir kXXX | cut -c 1-6; mktemp -p dir /kXXX; echo $?; mktemp -d -p dir zXXX | cut -c 1-5; mktemp XXXXXXaXXX.b | wc -c; mktemp --suffix=a XXX.b; echo $?; mktemp -q nox; echo $?; f=$(mktemp); stat -c '%a %s' $f; d=$(mktemp -d); stat -c %a $d`,
  ],
  mkdir: [
    `exec 2>&1
mkdir a; mkdir a; echo $?; mkdir -p a b/c; ls -d b/c; mkdir x/y; echo $?; mkdir -v v; mkdir -pv p/q/r; mkdir -pv p/q/s; mkdir -m 700 m; stat -c %a m; mkdir -m u=rwx,g=rx,o= n; stat -c %a n; mkdir -pm 711 k/l; stat -c %a k k/l; mkdir -m 888 o; echo $?; mkdir; echo $?; mkdir a.txt; echo $?; mkdir a.txt/b; echo $?; mkdir -p a.txt; echo $?; mkdir g a h; echo $?; ls -d g h; mkdir -q; mkdir --parents --verbose w/z; mkdir --mode=750 u; stat -c %a u; mkdir -p .; mkdir t/; ls -d t; mkdir ''; echo $?
rmdir a; rmdir b; echo $?; rmdir -p b/c; ls -d b; rmdir -v v; rmdir a.txt; echo $?; rmdir nope; echo $?; rmdir --ignore-fail-on-non-empty p; echo $?; rmdir -pv p/q/r; rmdir; echo $?; rm dir; echo $?; rm -d g; ls -d g; rm -d dir; echo $?; rm -r p; ls -d p; rm nope; echo $?; rm -f nope; echo $?; rm; echo $?; rm -f; echo $?; rm -v a.txt; rm -rv dir/deep; rm -r .; echo $?; rm -r k/..; echo $?; rm -rf /; echo $?; rm w/; echo $?; ln -s w lw; rm lw; ls -d w; ls b.txt; rm -rf w nope t; echo $?; rm -i empty -f; ls empty; unlink n; echo $?; unlink nope; unlink; unlink a b; : > z; unlink z; ls z; rm -- -x; rm -I bytes.bin; ls bytes.bin; rm --dir u; rm --interactive=never numbers.txt; ls numbers.txt; rm --one-file-system -r m; ls -d m; rm -q`,
  ],
  shuf: [
    `exec 2>&1
shuf -n 0 a.txt; shuf -n 2 numbers.txt | wc -l; shuf numbers.txt | sort -n | cmp - numbers.txt && echo same; shuf -i 3-7 | sort | tr '\\n' ,; shuf -i 5-5; shuf -i 7-3; echo $?; shuf -i x; echo $?; shuf -e a; shuf -e a b c | sort; shuf -n 1 -e q; shuf -r -n 5 -e z; shuf -e; shuf empty; shuf -r -n 3 empty; echo $?; shuf -n x a.txt; echo $?; shuf nope; echo $?; shuf a.txt b.txt; echo $?; shuf -i 1-3 a.txt; echo $?; shuf -e -i 1-2; echo $?; shuf -o o a.txt; sort o; printf 'a\\0b' | shuf -z | wc -c; printf 'x' | shuf; printf 'x' | shuf -n 5; shuf -n 3 -n 1 a.txt | wc -l; shuf -i 0-9 -n 4 | wc -l; shuf -i 0-9 -n 20 | wc -l; shuf -rn 20 -i 1-2 | sort -u; cat a.txt | shuf - | sort; shuf --random-source=bytes.bin -i 1-1; shuf --head-count=1 --input-range=4-4; shuf -q`,
  ],
  tee: [
    `exec 2>&1
echo x | tee a b; cat a b; echo y | tee -a a; cat a; echo v | tee - ; printf '' | tee e; wc -c e; echo i | tee -i i; echo p | tee -p p; cat i p; head -c 10 bytes.bin | tee bb | od -An -c; cmp bb bytes.bin; tee -q; tee --append a < a.txt; cat a`,
  ],
  cat: [
    `exec 2>&1
printf 'a\\tb\\n\\n\\n\\nc\\001\\177\\200\\311\\n' > c; cat -n c | od -An -c; cat -b c | cat -A; cat -s c | wc -l; cat -E c | head -2; cat -T c | head -1; cat -v c | tail -1; cat -A c; cat -e c; cat -t c; cat -sn c | wc -l; cat -bE c | head -3; cat -nb c | head -2; cat a.txt - b.txt < numbers.txt | wc -l; cat nope; echo $?; cat a.txt nope b.txt 2>/dev/null; cat dir; echo $?; printf 'x' | cat -n - a.txt; cat -u a.txt; cat < a.txt; cat -n a.txt b.txt; cat -nE < a.txt; printf 'a\\r\\nb\\r' | cat -A; cat --number-nonblank --show-ends c | head -1; cat --squeeze-blank c | wc -l; cat bytes.bin | cmp - bytes.bin; cat -v bytes.bin | cksum; cat -q; cat - < a.txt; printf '\\n\\n\\nx' | cat -s | od -An -c`,
  ],
  basename: [
    `exec 2>&1
basename a/b; basename a/b/; basename /; basename //; basename ''; basename a.txt .txt; basename .txt .txt; basename a/b.txt/ .txt; basename -s .c x/a.c y/b.c; basename -a x/a y/b/; basename a b c; echo $?; basename; echo $?; basename -z a/b | od -An -c; basename -a -s .q a.q b; basename a/ a; basename ab b; basename --suffix=.x a.x; basename --multiple a/b c; basename -- -x; basename -q
dirname a/b; dirname a; dirname /; dirname /a; dirname //; dirname a/; dirname a/b/; dirname a//b; dirname ''; dirname a/b c/d; dirname -z a/b | od -An -c; dirname; echo $?; dirname .; dirname ../x; dirname -- -a/b; dirname a/b//; dirname -q`,
  ],
  wc: [
    `exec 2>&1
wc a.txt; wc a.txt b.txt; wc -l a.txt; wc -w long.txt; wc -c bytes.bin; wc -m a.txt; wc -L long.txt; wc -lw a.txt; wc -lL a.txt b.txt; wc < a.txt; wc -l < a.txt; cat a.txt | wc; cat a.txt | wc -c; wc empty; wc nope; echo $?; wc a.txt nope 2>/dev/null; printf 'x' | wc -l; printf 'a b\\tc\\nd' | wc; printf 'äö\\n' | wc -m -c; printf 'a\\tb\\n' | wc -L; printf 'ab\\rc\\n' | wc -L; wc - < a.txt; wc a.txt - < b.txt; printf 'a.txt\\0b.txt' | wc --files0-from=- ; printf 'a.txt\\0' > z; wc -l --files0-from=z; wc -lwmcL a.txt; wc --lines --bytes a.txt; wc -q; head -c 1000000 /dev/zero | wc -c; wc -l empty a.txt; printf '\\302\\240a b' | wc -w; printf 'a\\0b c' | wc -w;`,
  ],
  du: [
    `exec 2>&1
mkdir -p t/a/b t/c; head -c 100 /dev/zero > t/f; head -c 5000 /dev/zero > t/a/g; head -c 70000 /dev/zero > t/a/b/h; ln -s f t/l; ln t/f t/hard
n() { du --apparent-size "$@" | sed 's/^4096\\b/D/' | sort -k 2; }
n -b -s t/a/b/h t/f; n -ab t | cut -f 2; n -S t | cut -f 2; n t | cut -f 2; n -a t | cut -f 2; n -d 0 t | cut -f 2; n -d 1 t | cut -f 2; n -ad 1 t | cut -f 2; n --max-depth=2 t | cut -f 2; n -c t/f t/a/g; n -ch t/a/b/h; n -h t/a/b/h t/f t/a/g; n --si t/a/b/h; n -k t/a/b/h; n -m t/a/b/h; n -B 1000 t/a/b/h; n -BK t/a/b/h; n --block-size=1M t/a/b/h; n -s nope; echo $?; exec 2>e; n -d x t; n -sa t; n -sd 1 t; cat e; exec 2>&1; n -0 t/f | od -An -c; n --exclude=a t | cut -f 2; n -a --exclude='*.x' --exclude=g t | cut -f 2; n -L -b t/l; n -b t/l; n -D -b t/l; n -t 1000 -a t/a/b/h t/f; n -t -1000 -ab t/f t/a/g; printf 't/f\\0t/c' > z;`,
  ],
  date: [
    `exec 2>&1
d() { date -ud "$@"; }
for x in 24:00 23:59:60 23:59:61 25:00 12:60 '2024-01-01 24:00' '2024-02-30' '10am' '0am' '13pm' '12:30:15.25' 'today 5' '5' '0530' '20240115' '2024-1-5' '1/2' '1/2/24' '12/31/99' '3 Mar' 'Mar 3' '3 Mar 2021' 'Mar 3, 2021' '3-Mar-2021' 'Friday' 'last fri' '2 fri' 'next year' 'last month' '1 week ago' '-1 day' '+90 min' '1 hour 30 sec ago' 'now' '2024-01-01T00:00Z' '2024-01-01 10:00 +0530' '2024-01-01 10:00 EST' '2024-01-01 10:00 PST' '2024-01-01 10:00 CEST' '@1.5' '@-1' 'TZ="Asia/Tokyo" 2024-01-01 10:00' 'yesterday 10:00' '2 months' '1 fortnight' 'x' '' '1970-01-01 00:00:00 +1' '99/1/1' '2024-060' 'J' 'a' '2024-01-01 1 2 3' '2024-01-01 UTC+3' 'third day' 'eleven days' 'twelfth month' '1 monday' 'sat 10:00' '10:00 sat' '2024/05/06' '6.5.2024' '20240506T070809'; do echo "$x: $(date -ud "$x" +%s 2>&1 | sed 's/^[0-9]*$/ok/') "; done

f='+%a|%A|%b|%B|%c|%C|%d|%D|%e|%F|%g|%G|%h|%H|%I|%j|%k|%l|%m|%M|%n|%N|%p|%P|%q|%r|%R|%s|%S|%t|%T|%u|%U|%V|%w|%W|%x|%X|%y|%Y|%z|%:z|%::z|%:::z|%Z|%%|%-d|%_d|%03d|%^a|%#p|%+4Y|%3N|%6N|%-N|%10Y|%_5m|%-j|%E|%Q|%Ey|%Od|%^B|%#Z'; for t in 2024-01-01 2023-12-31T23:59:59 '2021-01-03 12:00' '2020-12-31 00:30:05' '2024-07-09 13:04:05.123'; do date -ud "$t" "$f"; TZ=America/New_York date -d "$t" "$f"; done
date -ud @0; date -uR -d @0; date -Iseconds -ud @0; date -I -ud @0; date -Ihours -ud @0; date -Iminutes -ud @0; date -Ins -ud @0; date --rfc-3339=date -ud @0; date --rfc-3339=seconds -ud @0; date --rfc-3339=ns -ud @0; date +%Y %m; echo $?; date -r nope; echo $?; touch -d @86400 f; date -ur f +%F; printf '@0\\n@86400\\nbad\\n' > l; date -uf l +%F; echo $?; TZ=Europe/Berlin date -d '2024-07-01 12:00 UTC' +'%F %T %Z %z'; TZ=XYZ-5 date -d @0 +%T%z%Z; TZ=EST5EDT date -d '2024-07-01 UTC' +%T%Z; date -ud '2024-01-01' -I; date -d; date -q`,
  ],
  chmod: [
    `exec 2>&1
t() { chmod "$@" f; echo "$? $(stat -c '%a %A' f)"; }
: > f; chmod 644 f;
mkdir d; chmod 600 d; chmod a+X d; stat -c %a d; chmod -R 700 dir; stat -c %a dir dir/one.md dir/deep; chmod -v 644 f; chmod -v 644 f; chmod -c 644 f; chmod -c 600 f; chmod nope; chmod; echo $?; chmod 644 nope; echo $?; chmod -f 644 nope; echo $?; chmod --reference=f a.txt; stat -c %a a.txt; chmod --reference=nope a.txt; echo $?; chmod -R a+X dir; stat -c %a dir/one.md; ln -s f l; chmod 640 l; stat -c %a f; chmod -w f; chmod u-w,g+w f b.txt; stat -c %a f b.txt; chmod -R -v u+x dir/deep; chmod --quiet 600 nope; chmod --silent --changes 640 f; chmod --verbose --recursive g-x dir/deep; chmod -x f; stat -c %a f; chmod -- +x f; stat -c %a f; chmod g=rwx,o-rwx f nope a.txt; echo $?; stat -c %a a.txt`,
  ],
  timeout: [
    `exec 2>&1
timeout 5 echo a; timeout 5 false; echo $?; timeout 5 sh -c 'exit 7'; echo $?; timeout 0 echo b; timeout 5s echo c; timeout 1m echo d; timeout 1h echo e; timeout 1d echo f; timeout 5x echo; echo $?; timeout x echo; echo $?; timeout -s TERM 5 echo g; timeout -s NOPE 5 echo; echo $?; timeout -k 1 5 echo h; timeout -k x 5 echo; echo $?; timeout .5m echo i; timeout -v 5 echo j; timeout --preserve-status 5 false; echo $?; echo k | timeout 5 cat; timeout 0.1 sleep 5; echo $?; timeout --foreground 5 echo l; timeout 1e1 echo m; timeout -5 echo; echo $?; timeout --signal=9 5 echo n; timeout --kill-after=3 5 echo o; timeout --preserve-status 0.1 sleep 5; echo $?; timeout 5 nope 2>/dev/null; echo $?; timeout -q 1 true; echo $?`,
  ],
  yes: [
    `yes | head -n 2; yes a b | head -n 2; yes '' | head -n 2; yes -- -x | head -n 1; yes --foo 2>&1 | head -n 1; yes a | head -c 5; yes | head -n 100000 | cksum; yes x | sed 3q; nproc --all | wc -l; nproc --ignore=1000000; nproc --ignore=x 2>&1; nproc y 2>&1; echo $?; nproc --all --ignore=500`,
  ],
  zgrep: [
    `exec 2>&1
gzip -k a.txt b.txt; zgrep alpha a.txt.gz; zgrep eta a.txt.gz b.txt.gz; zgrep -c eta a.txt.gz b.txt; zgrep -l beta a.txt.gz b.txt.gz; zgrep -h beta a.txt.gz b.txt.gz; zgrep -H beta a.txt.gz; zgrep -n gamma a.txt.gz; zgrep zzz a.txt.gz; echo $?; zgrep -q alpha a.txt.gz; echo $?; zgrep -v a a.txt.gz; echo $?; zgrep -i ALPHA a.txt.gz; zgrep -e alpha -e gamma a.txt.gz; zgrep a; echo $?; zgrep -L beta a.txt.gz numbers.txt; zgrep -o 'a.$' a.txt.gz; cat a.txt.gz | zgrep alpha; zgrep -E 'al|ga' a.txt.gz; zgrep -F . a.txt.gz; echo $?; zgrep -x beta a.txt.gz; zgrep -w beta a.txt; zegrep 'a|e' a.txt.gz; zfgrep eta b.txt.gz; zgrep -A 1 alpha a.txt.gz; zgrep -m 1 a a.txt.gz; zgrep -- -x a.txt.gz; echo $?; printf 'beta\\n' > pats; zgrep -f pats a.txt.gz; zgrep -1 beta a.txt.gz; zgrep --count a a.txt.gz; zgrep --regexp=alpha a.txt.gz; cp a.txt.gz 'x y.gz'; zgrep beta 'x y.gz' a.txt`,
  ],
  less: [
    `exec 2>&1
less a.txt; less a.txt b.txt | wc -l; cat a.txt | less; less < a.txt; more a.txt | cat; less -N a.txt | wc -l; less -S a.txt; less +G a.txt; less -R a.txt; less empty; less -F -X a.txt; more < b.txt; printf 'no end' | less`,
  ],
  iconv: [
    `exec 2>&1
printf 'h\\344\\366\\n' | iconv -f latin1 -t utf-8; printf 'häö\\n' | iconv -f utf-8 -t latin1 | od -An -tx1; printf 'h€x\\n' | iconv -c -f utf-8 -t latin1; echo $?; printf 'aä\\n' | iconv -t utf-16le | od -An -tx1; printf 'aä\\n' | iconv -f utf8 -t utf-16be | od -An -tx1; printf 'a' | iconv -t utf-16 | od -An -tx1; printf '\\377\\376a\\000' | iconv -f utf-16 -t utf-8; echo; printf '\\000a' | iconv -f utf-16be; echo; printf 'a\\377b' | iconv -c -f utf-8; echo " $?"; printf 'aä' | iconv -t ascii//TRANSLIT; echo; iconv -f utf-8 nope; echo $?; iconv a.txt b.txt; iconv -f utf-8 -t utf-8 -o o a.txt; cat o; printf '\\200' | iconv -f cp1252; echo; printf 'x' | iconv --from-code=latin1 --to-code=utf-8; printf '\\361' | iconv -f iso-8859-15; printf '\\244' | iconv -f iso-8859-15; printf '\\244' | iconv -f ISO_8859-1; printf '\\321' | iconv -f koi8-r; printf '😀' | iconv -t utf-16le | od -An -tx1; iconv -t utf-8 - < a.txt;`,
  ],
};
