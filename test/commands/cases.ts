/** What is compared: scripts by the command that they are about, and the files they find. */

/** Beside PATH and HOME. */
export const ENV = { LC_ALL: 'C.UTF-8', TZ: 'UTC', USER: 'user', COLUMNS: '80' };

const WORDS = 'the quick brown fox jumps over the lazy dog while nobody is looking at it at all';

/** By path below the directory in which scripts run. */
export const FILES: Readonly<Record<string, string | Uint8Array>> = {
  'a.txt': 'alpha\nbeta\ngamma\n',
  'b.txt': 'delta\nbeta\nepsilon\n',
  'long.txt': `${WORDS}. ${WORDS}.\n\n  Indented ${WORDS}\n  ${WORDS}\nplain again\n`,
  'numbers.txt': `${Array.from({ length: 25 }, (_, i) => i + 1).join('\n')}\n`,
  'bytes.bin': Uint8Array.from({ length: 256 }, (_, i) => i),
  'table.csv': 'name,size,owner\nalpha,10,ann\nbeta,2,bob\n"gamma, the third",33,cy\n',
  'dir/one.md': '# One\n',
  'dir/two.txt': 'two\n',
  'dir/deep/three.md': '# Three\n',
  empty: '',
};

export const CASES: Readonly<Record<string, readonly string[]>> = {
  base64: [
    'base64 a.txt; base64 < bytes.bin; base64 -w 10 a.txt; base64 -w0 a.txt',
    'base64 bytes.bin | base64 -d | cmp - bytes.bin && echo same',
    'for i in YQ YWI "YQ==Yg==" "YWJj!ZGVm" "YWJjZA=" YWJjZ "YQ=a" "=" "YW Jj" YWJj "YQ=="; do printf "%s" "$i" | base64 -d; echo " $?"; done',
    "printf 'YW\\nJj\\n' | base64 --decode; printf 'Y*W-Jj' | base64 -di",
    'base64 a nope; base64 -w x a.txt; base64 -q',
    'echo -n "" | base64; echo -n hello | base64',
  ],
  base32: [
    'base32 a.txt; base32 -w 8 a.txt',
    "for i in ME 'ME======' MFRA 'MFRGG===' 'mfrgg===' 'ME======MI======' 'MFRGG=='; do printf $i | base32 -d; echo \" $?\"; done",
    'base32 bytes.bin | base32 -d | cmp - bytes.bin && echo same',
  ],
  basenc: [
    'for e in base64 base64url base32 base32hex base16 base2msbf base2lsbf; do basenc --$e a.txt; basenc --$e bytes.bin | basenc --$e -d | cmp - bytes.bin && echo same; done',
    "printf 'abcdefgh' | basenc --z85; printf 'abcde' | basenc --z85; printf 'vpA.S' | basenc --z85 -d",
    'basenc a.txt; printf 6 | basenc --base16 -d; printf 6a | basenc --base16 -d; printf 0110 | basenc --base2msbf -d',
    "printf '\\xfb\\xff' | basenc --base64url; printf -- '-_8=' | basenc --base64url -d | od -c",
  ],
  dd: [
    'dd if=a.txt bs=1 count=3 2>/dev/null; dd if=a.txt bs=2 skip=1 count=2 2>/dev/null',
    'dd if=a.txt of=o bs=4 2>e; cat o; head -2 e',
    'printf abcdef > o; printf XY | dd of=o bs=1 seek=2 conv=notrunc 2>/dev/null; cat o; printf XY | dd of=o bs=1 seek=1 2>/dev/null; cat o',
    'dd if=/dev/zero bs=1k count=3 2>/dev/null | wc -c; dd if=/dev/urandom of=r bs=1M count=1 status=none; wc -c < r',
    'echo Hello | dd conv=ucase 2>/dev/null; echo Hello | dd conv=lcase,swab status=none',
    'printf "ab\\ncdefgh\\n" | dd cbs=4 conv=block 2>e; tail -n 2 e | head -1; printf "ab  cd  " | dd cbs=4 conv=unblock status=none',
    'echo hi | dd conv=ebcdic status=none | od -An -tx1; echo hi | dd conv=ebcdic status=none | dd conv=ascii status=none; dd if=bytes.bin conv=ibm status=none | md5sum; dd if=bytes.bin conv=ascii status=none | md5sum',
    'printf abc | dd bs=2 conv=sync status=none | od -c',
    'dd if=a.txt bs=5 count=1 iflag=count_bytes status=none; dd if=a.txt skip=3 iflag=skip_bytes status=none; dd if=a.txt bs=4 count=6B status=none',
    'dd if=nope; dd bs=0; dd foo=1; dd conv=nope; dd bs=x; dd --nope',
    'dd if=a.txt of=b.txt oflag=append conv=notrunc status=none; cat b.txt',
    'dd if=a.txt of=new conv=excl status=none; dd if=a.txt of=new conv=excl status=none; dd if=a.txt of=new2 conv=nocreat status=none; ls new*',
    'dd if=/dev/zero of=z bs=100 count=5 2>&1 | sed "s/ copied.*//"; dd if=z of=z2 bs=1K 2>&1 | sed "s/ copied.*//"; dd if=z of=z2 bs=1x2k 2>&1 | sed "s/ copied.*//"',
    'dd of=o seek=3 bs=1 count=0 status=none; wc -c < o',
  ],
  numfmt: [
    'numfmt --to=iec 1024 1048576 1500 999 1023 10240 123456789; numfmt --to=si 1000 1500 999999 1e3',
    'numfmt --to=iec-i 1024 2048000; numfmt --from=iec 1K 1M 2.5G; numfmt --from=si 1K 2.5M; numfmt --from=iec-i 1Ki; numfmt --from=auto 1K 1Ki',
    'numfmt --from=iec 1Ki; numfmt --from=iec-i 1K; numfmt 1K; numfmt --from=si abc; numfmt --from=si 1Q',
    'printf "a 1024 x\\nb 2048 y\\n" | numfmt --field=2 --to=iec; printf "1000,2000\\n" | numfmt -d, --field=1-2 --to=si',
    'printf "HEAD\\n1024\\n" | numfmt --header --to=iec; printf "H\\nI\\n1024\\n" | numfmt --header=2 --to=iec',
    'numfmt --padding=10 --to=si 5000; numfmt --padding=-10 --to=si 5000 | cat -A; numfmt --suffix=B --to=iec 2048; numfmt --suffix=B --from=iec 2KB',
    'numfmt --format=%.2f --to=iec 1500; numfmt --format="%10.3f|" 3.14159; numfmt --format="<%-8f>" 12; numfmt --format=%08f 1234; numfmt --format="x%%%f" 5',
    'for r in up down from-zero towards-zero nearest; do numfmt --round=$r --to=si 1550 -- -1550; done',
    'numfmt --from-unit=512 4; numfmt --to-unit=1000 4000 4500; numfmt --from-unit=Ki 3',
    'numfmt --invalid=warn x 5; echo $?; numfmt --invalid=fail x 5; echo $?; numfmt --invalid=ignore x 5; echo $?; numfmt x 5',
    'numfmt --to=foo 1; numfmt --format=abc 1; numfmt --format=%d 1; numfmt --field=0 1; numfmt --padding=x 1; numfmt --from-unit=0 1',
    'ls -l a.txt | cut -d" " -f5 | numfmt --to=iec; printf "  1024\\n" | numfmt --to=iec; printf "x     1024 y\\n" | numfmt --field 2 --to=iec',
    'numfmt 1.5 2.25; numfmt --to=si 12345.678; numfmt -- -5; numfmt --to=iec 9.9 1023.9; numfmt --to=si 9999 99999 999499 999500',
  ],
  tsort: [
    'printf "a b\\nb c\\na c\\n" | tsort; printf "x y z w y z\\n" | tsort',
    'printf "main parse\\nmain run\\nparse lex\\nrun lex\\nlex base\\n" | tsort; echo "a a" | tsort',
    'printf "a b\\nb a\\n" | tsort; printf "a b c\\n" | tsort; tsort nope; tsort a b',
    'printf "a b\\nb c\\nc a\\nd e\\n" | tsort 2>e; cat e',
    'printf "3 8\\n3 10\\n5 11\\n7 8\\n7 11\\n8 9\\n11 2\\n11 9\\n11 10\\n" | tsort',
  ],
  factor: [
    'factor 1 2 3 4 12 97 1001 999999 1000000007 18446744073709551615; echo 360 17 | factor',
    'factor 0 -- 7; factor x; factor -- -3; factor 1000000016000000063',
    'factor 340282366920938463463374607431768211456 2305843009213693951; factor 10000000000000000000000000000000000000001',
  ],
  envsubst: [
    "export A=1 B=two; C=3; echo '$A ${B} $C $$ $1 ${A:-x} \\$A $AB' | envsubst",
    "export A=1 B=two; echo '$A ${B}' | envsubst '$A'; envsubst -v '$A ${B} $C'; envsubst a b",
  ],
  fmt: [
    'fmt long.txt; fmt -w 40 long.txt; fmt -30 long.txt; fmt -w 60 -g 50 long.txt',
    'fmt -s -w 30 long.txt; fmt -u long.txt; fmt -c -w 50 long.txt; fmt -t -w 50 long.txt',
    "printf '# one two three four five six seven\\n# eight nine ten\\ncode here\\n# more\\n' | fmt -p '# ' -w 20",
    "printf 'a\\tb  c.  d e?\\n\\n\\tindented  text here\\n\\tand more of it\\n' | fmt -w 20; seq 300 | fmt; fmt empty; fmt nope; fmt -w x a.txt",
    'seq 3000 | fmt -w 50 | md5sum; for i in $(seq 60); do cat long.txt; done | tr "\\n" " " | fmt | md5sum; echo "Hello (world) foo. Bar baz, qux: quux" | fmt -w 15',
  ],
  getopt: [
    'getopt ab:c -a -b x -c file; getopt -o ab:c:: -l alpha,beta:,gamma:: -- -a --beta=1 file -c --gamma --ga=2 -- rest; echo $?',
    'getopt -o a -- -x; echo $?; getopt -o a: -- -a; echo $?; getopt -o a -l long -- --lo --nope; echo $?; getopt -T; echo $?; getopt; echo $?',
    `getopt -o a: -- -a "it's here" 'two words'; getopt -u -o a: -- -a 'two words'; getopt -o +a -- -a x -a; getopt -o -a -- -a x -a; getopt -a -o a -l long -- -long`,
    'getopt -q -o a -- -x -a; getopt -n me -o a -- -x; getopt -o : -- a; set -- $(getopt -o vo: --long verbose,out: -n s -- -v --out f x); echo "$@"',
  ],
  nice: [
    'nice echo hi; nice -n 5 echo a b; nice -n x true; echo $?; nohup echo hi 2>/dev/null; nice -n 3; echo $?; nice false; echo $?; nice nope; echo $?; nice -10 echo x',
  ],
  stdbuf: [
    'nice -n +5 echo a; nice --adjustment=-3 echo b; nice --5 echo c; nice nice -n 3 echo d; echo a | nice cat; setsid -w false; echo $?; stdbuf -oL; echo $?; stdbuf -iL true; echo $?; stdbuf -o1K echo x; stdbuf -o1KiB echo x; stdbuf --output=0 echo y; ionice -c 2 -n 3 echo z; ionice -t -c 3 echo z; ionice; ionice -x; echo $?; setsid; echo $?; nohup; echo $?; nice -n 3 sh -c "exit 4"; echo $?',
    'stdbuf -oL echo hi; stdbuf -o0 -eL cat a.txt; stdbuf -iL true; echo $?; stdbuf true; echo $?; seq 3 | stdbuf -oL sed s/1/x/; setsid echo y; ionice -c3 echo z',
  ],
  flock: [
    'flock -c true l; echo $?; flock l -c "echo a" b; echo $?; flock l -c; echo $?; flock l; echo $?; flock l --command "echo hi"; flock nodir/l true; echo $?; flock -s l sh -c "flock -s l echo both; flock -n l echo no; echo \\$?"; flock l sh -c "flock -w 0 l echo no; flock -sn l echo no; echo \\$?"; flock dir echo d; flock a.txt head -n 1 a.txt; flock l -c "exit 9"; echo $?; flock -u l echo x',
    'flock lock echo hi; ls lock; flock -n lock -c "echo a; exit 3"; echo $?; flock lock flock -n lock true; echo $?; flock lock flock -E 9 -n lock true; echo $?; (flock -x 9; echo in) 9>l2; flock; echo $?',
  ],
  sponge: [
    'sort -r a.txt | sponge a.txt; cat a.txt; echo more | sponge -a a.txt; cat a.txt; echo x | sponge',
  ],
  ifne: [
    'echo hi | ifne cat; printf "" | ifne echo no; printf "" | ifne -n echo empty; echo hi | ifne -n echo no; seq 3 | pee "head -1" "tail -1"; combine a.txt and b.txt; combine a.txt not b.txt; combine a.txt xor b.txt; combine a.txt or b.txt',
  ],
  chronic: [
    'chronic echo hidden; chronic sh -c "echo shown; exit 3"; echo $?; mispipe "echo a; exit 4" cat; echo $?; echo ok | isutf8; isutf8 -q bytes.bin; echo $?',
  ],
  ts: ['seq 2 | ts x; printf "a\\nb\\n" | ts "%Y" | cut -c1-2,5-; seq 2 | ts -s; seq 2 | ts -i'],
  batcat: [
    'batcat a.txt; batcat a.txt b.txt; batcat -p a.txt; batcat < a.txt; batcat -r 2:2 a.txt; batcat -r 2: a.txt; batcat -r :1 a.txt; batcat nope; echo $?',
    'batcat --decorations=always a.txt; batcat --decorations=always --style=numbers,grid a.txt; batcat --decorations=always -n a.txt; printf "a\\tb c\\n" | batcat -A',
  ],
  dos2unix: [
    'printf "a\\r\\nb\\n" | dos2unix | od -c; printf "a\\nb\\n" > f; unix2dos -q f; od -c f; dos2unix -q f; od -c f; printf "a\\r\\n" > g; dos2unix -q -n g h; od -c h; unix2dos < a.txt | wc -c; dos2unix nope; echo $?',
  ],
  colrm: [
    'colrm 3 < a.txt; colrm 2 3 < a.txt; colrm < a.txt; link a.txt l; cat l; link a.txt; link a.txt l; echo $?',
  ],
  pathchk: [
    'pathchk a/b; echo $?; pathchk -p "a b"; echo $?; pathchk -P -- -x; echo $?; pathchk ""; echo $?; pathchk --portability averylongname123; echo $?; pathchk $(printf "%0300d" 1); echo $?',
  ],
  shred: [
    'echo secret > s; shred s; wc -c < s; shred -u s; ls s; shred -z -n 1 -x a.txt; od -c a.txt | head -2; shred nope; shred -n x a.txt; shred',
  ],
  openssl: [
    'openssl dgst -sha256 a.txt; openssl dgst -md5 -r a.txt; openssl sha1 a.txt; echo -n hi | openssl dgst -sha512 -hex; echo -n hi | openssl dgst -sha256 -hmac key; openssl rand -hex 8 | wc -c; openssl base64 < long.txt; echo aGk= | openssl base64 -d; echo -n hello | openssl enc -base64 -A; openssl dgst -sha256 -binary a.txt | xxd -p -c 64; openssl rand -base64 60 | wc',
  ],
  head: [
    'head -n -5 numbers.txt | tail -n 2; head -c -3 a.txt; head -c 2K bytes.bin | wc -c; head -n 0 a.txt; head -c 1b bytes.bin | wc -c; head -c 1kB bytes.bin | wc -c; head -q a.txt b.txt | wc -l; head -v a.txt; head -n 1 a.txt nope b.txt dir; echo $?',
    'tail -n +3 numbers.txt | head -1; tail -c +4 a.txt; tail -c 3 a.txt; tail -n 0 a.txt; tail -z -n 1 bytes.bin | wc -c; tail -q -n 1 a.txt b.txt; tail -v -n 1 a.txt; tail -n 1 a.txt nope; echo $?; seq 5 | tail -n +2 | head -n 1; tail -2 a.txt; tail +2 a.txt; tail -n x a.txt; echo $?; tail -c 1K bytes.bin | wc -c',
  ],
  ls: [
    'ls -C -w 20 | cat; COLUMNS=30 ls -C | expand; ls -w 0 -C; ls -x -w 30 | expand; ls -m; ls -w x; echo $?; COLUMNS=x ls -C; ls -1 -a dir; ls -A dir; ls -d dir */; ls -F dir; ls -p dir; ls -r; ls -X; ls -v; ls nope; echo $?; ls -R dir; ls -Q a.txt; ls -b a.txt; ls --zero dir | tr "\\0" X',
  ],
  date: [
    "for d in 'next monday' monday wednesday 'next wednesday' 'third friday' 'last wednesday' 'last friday' 'first wednesday' 'this wed'; do date -ud \"2024-01-03 $d\" +%F; done",
    "for d in 2024-02-30 2023-02-29 2024-13-01 2024-12-00; do date -ud $d; echo $?; done; date -ud '2024-02-29 1 year' +%F; date -ud '2024-01-31 1 month' +%F; date -ud '2024-03-31 -1 month' +%F",
    "date -ud @0 +%Y-%j-%U-%V-%G-%u-%w-%s-%N; date -ud '2024-01-01 12:30pm' +%T; date -ud 12am +%T; date -ud '2024-01-01 13pm'; echo $?; date -ud 2024-01-01T10:20:30.5+02:30 +%FT%T.%N; date -ud '2024-01-01 (x (y) z) 10:00' +%T; date -ud '2024-01-01 10:00 2 hours ago 3 minutes' +%T; date -ud 1/2/2024 +%F; date -ud '20240102 0304' +%FT%T; date -ud 2024-W01; echo $?",
    "for d in yesterday tomorrow fortnight '+3 days -1 week' EST '10:00 UTC+3'; do date -ud \"2024-01-01 $d\" +%FT%T; done",
  ],
  vdir: ['dir; vdir a.txt | cut -c1-10; dir -a dir; mcookie | wc -c'],
  pgrep: [
    'pgrep nosuchthing; echo $?; pkill nosuchthing; echo $?; pidof nosuchthing; echo $?; killall -q nosuchthing; echo $?; pgrep; echo $?; pgrep -c nosuchthing',
  ],
  xargs: [
    "printf '\\375\\200x' > b; echo b | xargs cat | od -c; find b -exec cat {} + | od -c; nice cat b | od -c; echo b | xargs -I{} sh -c 'cat {}' | od -c",
  ],
  bzip2: [
    'bzip2 -k a.txt; ls a*; bzip2 -dc a.txt.bz2; bunzip2 -f a.txt.bz2; ls a*; bzcat nope; echo $?; bzip2 < a.txt | bunzip2; bzip2 a.txt b.txt; bzcat *.bz2; bzip2 -t *.bz2; echo $?',
    'bzip2 -k a.txt; bzip2 -k a.txt; echo $?; echo junk | bzip2 -d; echo $?; bzip2 dir; echo $?; cp a.txt.bz2 odd; bzip2 -dk odd; ls odd*; head -c 20 a.txt.bz2 | bzcat; echo $?; cat a.txt.bz2 a.txt.bz2 | bzcat; bzip2 -9 < empty | bzcat | wc -c; bzip2 x.bz2; echo $?',
  ],
  xz: [
    'xz -k a.txt; ls a*; xz -dc a.txt.xz; unxz -f a.txt.xz; ls a*; xzcat nope; echo $?; xz < a.txt | unxz; xz a.txt b.txt; xzcat *.xz; xz -t *.xz; echo $?; xz -0 -c long.txt | xz -d | cmp - long.txt; xz -9e -c long.txt | xzcat | cmp - long.txt',
    'xz -k a.txt; xz -k a.txt; echo $?; echo junk | xz -d; echo $?; xz dir; echo $?; cp a.txt.xz odd; xz -dk odd; echo $?; head -c 20 a.txt.xz | xzcat; echo $?; cat a.txt.xz a.txt.xz | xzcat; xz -c empty | xzcat | wc -c; xz a.txt.xz; echo $?; xz --nope; echo $?; tar cJf t.txz dir; tar tf t.txz | sort; xz -S .foo -k a.txt; ls a*; xz -dc -S .foo a.txt.foo',
  ],
  zstd: [
    'zstd -q a.txt; ls a*; zstd -dc a.txt.zst; unzstd -qf a.txt.zst; zstdcat nope; echo $?; zstd < a.txt | unzstd; zstd -q --rm a.txt b.txt; ls; zstdcat *.zst; zstd -tq *.zst; echo $?; zstd -19 -c long.txt | zstd -dc | cmp - long.txt',
    'echo junk | zstd -d; echo $?; zstd -q dir; echo $?; zstd -q a.txt -o o.zst; zstd -dc o.zst; zstd -dq o.zst -o p; cat p; cp o.zst odd; zstd -dq odd; echo $?; echo plain | zstdcat; cat o.zst o.zst | zstdcat; zstd -c empty | zstdcat | wc -c',
  ],
  pr: [
    'pr -t a.txt; pr -t -n a.txt; pr -t -n:3 a.txt; pr -D X a.txt; pr -D X -h title numbers.txt | head -8',
    'pr -t -3 numbers.txt; pr -t -a -4 numbers.txt; pr -t -m a.txt b.txt; pr -t -w 40 -2 numbers.txt',
    'pr -t -s, -3 numbers.txt; pr -t -m -s: a.txt b.txt; pr -t -o 4 a.txt; pr -t -d a.txt; pr -D X -l 20 numbers.txt; pr -D X -l 20 +2 numbers.txt',
    'pr --pages=x a.txt; echo $?; pr -t --pages=2:1 numbers.txt; echo $?; pr -t +0 numbers.txt; echo $?; pr --pages=1:1 -D X numbers.txt | head -8; pr -t +2:3 -l 5 numbers.txt; pr -t --pages=3 -l 5 numbers.txt',
    'pr -t -n: a.txt; pr -t -n3 a.txt; pr -t -n:x a.txt; echo $?; pr -t -l x a.txt; echo $?; pr -t -w 0 a.txt; echo $?; pr -0 a.txt; echo $?; pr -a -m a.txt; echo $?',
    'pr -t nope; echo $?; pr -m -3 a.txt; echo $?; pr -t < a.txt; pr -t -n -N 10 a.txt; seq 200 | pr -D X -5 -h n | head -20; pr -t -J -2 -s" " a.txt',
  ],
};
