import { gnuSuite } from '../support/gnu-suite.ts';
import { uniqShims } from './index.ts';

const files = {
  dup: 'a\na\nb\nc\nc\nc\nd\n',
  fold: 'a\nA\nb\nB\nB\nc\n',
  fields: '1 x y\n2 x y\n3 z y\n3 z q\n',
  open: 'a\na',
};

gnuSuite(['uniq'], [uniqShims], files, [
  'uniq dup',
  'uniq -c dup',
  'uniq -d dup',
  'uniq -u dup',
  'uniq -D dup',
  'uniq -i fold',
  'uniq -ic fold',
  'uniq -f1 fields',
  'uniq -c -f 1 fields',
  'uniq -s2 -c fields',
  'uniq -w1 fields',
  'uniq --all-repeated=separate dup',
  'uniq --all-repeated=prepend dup',
  'uniq --group dup',
  'uniq --group=both dup',
  'uniq -du dup',
  'uniq open',
  'uniq -c open',
  'uniq dup out && cat out',
  'uniq dup out extra',
  'uniq nosuch',
  'uniq < dup',
]);
