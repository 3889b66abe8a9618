import { cmpShims } from '../cmp/index.ts';
import { gnuSuite } from '../support/gnu-suite.ts';
import { teeShims } from './index.ts';

const files = { log: 'one\ntwo\nthree\n', open: 'no end', empty: '', 'd/x': 'x\n' };

gnuSuite(['tee'], [teeShims, cmpShims], files, [
  'echo hi | tee out; cat out',
  'echo hi | tee a b | cat - a b',
  'echo more | tee -a log; cat log',
  'echo x | tee d 2>/dev/null; echo $?',
  'echo x | tee none/y 2>/dev/null; echo ${PIPESTATUS[1]}',
  "printf 'a\\0b' | tee out | wc -c",
  'echo x | tee',
  'echo x | tee -- -f; cat ./-f',
  'echo x | tee >/dev/null out; cat out',
  'tee out < log > /dev/null; cmp log out && echo same',
]);
