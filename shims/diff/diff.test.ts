import { expect, it } from 'vitest';
import { gnuSuite } from '../support/gnu-suite.ts';
import { diffShims } from './index.ts';
import { changes } from './myers.ts';

const lines = (count: number) => Array.from({ length: count }, (_, i) => `line ${i}\n`);
const long = lines(60);
const edited = [...long.slice(0, 5), 'new\n', ...long.slice(6, 30), ...long.slice(33), 'tail\n'];

const files = {
  a: 'one\ntwo\nthree\nfour\nfive\n',
  b: 'one\n2\nthree\nfour\nfour and a half\nfive\n',
  open: 'one\ntwo\nthree\nfour\nfive',
  space: 'one\n two\nthree  \nfo ur\nfive\n',
  fold: 'ONE\ntwo\nThree\nfour\nfive\n',
  blank: 'one\n\ntwo\nthree\n\n\nfour\nfive\n',
  long: long.join(''),
  edited: edited.join(''),
  empty: '',
  bin1: 'a\0b',
  bin2: 'a\0c',
  'd1/same': 'x\n',
  'd1/other': 'x\n',
  'd1/only1': 'x\n',
  'd1/sub/f': '1\n',
  'd2/same': 'x\n',
  'd2/other': 'y\n',
  'd2/only2': 'x\n',
  'd2/sub/f': '2\n',
  braces1: 'f() {\n  a\n}\n\ng() {\n  b\n}\n',
  braces2: 'f() {\n  a\n}\n\nh() {\n  c\n}\n\ng() {\n  b\n}\n',
};

gnuSuite(['diff'], [diffShims], files, [
  'diff a b',
  'diff b a',
  'diff a a',
  'diff -s a a',
  'diff -q a b',
  'diff --brief a b',
  'diff a open',
  'diff open a',
  'diff open b',
  'diff -u --label x --label y a b',
  'diff -U0 --label x --label y long edited',
  'diff -U1 --label x --label y long edited',
  'diff -u --label x --label y long edited',
  'diff -u --label x --label y a empty',
  'diff -u --label x --label y empty a',
  'diff -u --label x --label y a open',
  'diff -c --label x --label y a b',
  'diff -c --label x --label y long edited',
  'diff -C1 --label x --label y a open',
  'diff -e a b',
  'diff -w a space',
  'diff -b a space',
  'diff -Z a space',
  'diff -i a fold',
  'diff -B a blank',
  'diff a blank',
  'diff -u --label x --label y braces1 braces2',
  'diff bin1 bin2',
  'diff -q bin1 bin2',
  'diff d1 d2',
  'diff -r d1 d2',
  'diff -rq d1 d2',
  'diff -rN d1 d2',
  'diff -r -x "only*" d1 d2',
  'diff a d1',
  'diff -y a b',
  'diff -y -W 40 a b',
  'diff --suppress-common-lines -y a b',
  'diff a nosuch',
  'diff a',
  'diff a b b',
  'cat a | diff - b',
  'echo x | (diff - -; echo $?; wc -c); diff -s - - < a',
  'diff -n a b; diff -n long edited; diff --rcs a open; diff -n open a',
  "diff --old-line-format='-%l|' --new-line-format='+%L' --unchanged-line-format='%dn:%3dn %L' a b",
  "diff --line-format='%l;' a b; diff --unchanged-line-format= a open; diff --old-line-format=\"%c'\\101'%%%xn\" a b",
  'diff -pU0 --label x --label y braces1 braces2; diff -pC0 --label x --label y long edited',
  "diff -F '^.*()' -u0 --label x --label y braces1 braces2",
  'ln -s a l; ln -s a m; ln -s b n; for i in a m n empty; do diff --no-dereference l $i; echo $?; done; diff -q --no-dereference empty l',
  'diff -r .///d1// d2///; diff -r d1/ d2; diff a d1/../b; diff d1/same d2//',
  'diff --color a b; diff -j a b 2> e; echo $?',
  'diff empty empty',
  'diff empty a',
  'diff -I four a b',
]);

it('differs over 20,000 lines without one in common', async () => {
  const a = lines(20_000);
  const b = a.map((line) => `other ${line}`);
  expect(await changes(a, b)).toHaveLength(1);
});

it('is right, and ends, where every line is common and the order is not', async () => {
  let seed = 7;
  const next = () => {
    seed = (seed * 1103515245 + 12345) % 2147483648;
    return seed % 500;
  };
  const a = Array.from({ length: 20_000 }, () => `l${next()}`);
  const b = Array.from({ length: 20_000 }, () => `l${next()}`);
  const script = await changes(a, b);
  const made: string[] = [];
  let at = 0;
  for (const { startA, endA, startB, endB } of script) {
    made.push(...a.slice(at, startA), ...b.slice(startB, endB));
    at = endA;
  }
  made.push(...a.slice(at));
  expect(made).toEqual(b);
});
