import { gnuSuite } from '../support/gnu-suite.ts';
import { cmpShims } from './index.ts';

const files = { a: 'abc\ndef\n', b: 'abc\ndxf\n', c: 'abc\n', same: 'abc\ndef\n', empty: '' };

gnuSuite(['cmp'], [cmpShims], files, [
  'cmp a b; echo $?',
  'cmp a same; echo $?',
  'cmp a c 2>&1; echo $?',
  'cmp -s a b; echo $?',
  'cmp -l a b',
  'cmp -b a b',
  'cmp -bl a b',
  'cmp -n 4 a b; echo $?',
  'cmp -i 6 a b; echo $?',
  'cmp a - < b',
  'cmp a empty 2>&1',
  'cmp a none 2>/dev/null; echo $?',
  'cmp -s a none 2>&1; echo $?; cmp -s none a 2>&1; echo $?',
  'cmp -i 1:2 a b; echo $?',
]);
