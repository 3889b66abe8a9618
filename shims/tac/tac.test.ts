import { gnuSuite } from '../support/gnu-suite.ts';
import { tacShims } from './index.ts';

const files = {
  a: '1\n2\n3\n',
  b: 'x\ny',
  c: 'k1:v1::k2:v2:',
  e: '',
};

gnuSuite(['tac'], [tacShims], files, [
  'tac a b',
  'tac < a',
  'tac b',
  'tac e a',
  'cat a | tac - b',
  'tac -s : c',
  'tac -b -s : c',
  'tac -r -s "[0-9]" c',
  "tac -s '' a",
  'tac -s :: c',
  'tac missing a 2>/dev/null; echo $?',
  'tac -r -s "" a 2>/dev/null; echo $?',
  'tac --before a',
  'printf "1._2.__3.___4._" | tac -r -s "\\._+"',
]);
