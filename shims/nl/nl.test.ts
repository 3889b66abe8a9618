import { gnuSuite } from '../support/gnu-suite.ts';
import { nlShims } from './index.ts';

const files = {
  f: 'one\n\ntwo\n\n\nthree',
  s: '\\:\\:\\:\nhead\n\\:\\:\nbody\nmore\n\\:\nfoot\n\\:\\:\nlast\n',
};

gnuSuite(['nl'], [nlShims], files, [
  'nl f',
  'nl -ba f',
  'nl -bn f',
  'nl -b p^t f',
  'nl -w3 -s: f',
  'nl -nln f',
  'nl -nrz -w4 f',
  'nl -v10 -i5 f',
  'nl -ba -l2 f',
  'nl -v -2 -nrz f',
  'nl s',
  'nl -ha -fa s',
  'nl -p s',
  'nl -d XY f',
  'nl -dx f',
  'nl -s "" f',
  'nl < f',
  'nl f missing s 2>/dev/null; echo $?',
  'nl -b x f 2>/dev/null; echo $?',
  'nl -w 0 f 2>/dev/null; echo $?',
  'nl -nzz f 2>/dev/null; echo $?',
]);
