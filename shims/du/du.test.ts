import { lnShims } from '../ln/index.ts';
import { gnuSuite } from '../support/gnu-suite.ts';
import { duShims } from './index.ts';

const files = { 'd/a': 'x'.repeat(5000), 'd/s/b': 'y', 'd/s/t/c': 'z'.repeat(9000) };

gnuSuite(['du'], [duShims, lnShims], files, [
  'mkdir -p t/u x; echo a > x/a; ln -s ../x t/x; ln -s .. t/u/up; du -sH t/x; du -sD t/x; du -s t/x/; du -s t/x; du -sL t/x; du -sLH t; du -sL t; echo $?',
  'du -b d/a d/s/b',
  'du --apparent-size -b d/s/t/c',
  'du -k d/a',
  'du -h d/a',
  'du -sb d/a',
  'du -c d/a d/s/b',
  'du -a d/a',
  'du none 2>/dev/null; echo $?',
  'du -B1 d/a',
  'du -sk d/a d/s/t/c',
  'du -hc d/a d/s/t/c',
  'ln -s a d/l; du -b d/l; du -bL d/l; du -kL d/l',
]);
