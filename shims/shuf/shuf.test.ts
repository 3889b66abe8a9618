import { sortShims } from '../sort/index.ts';
import { gnuSuite } from '../support/gnu-suite.ts';
import { trShims } from '../tr/index.ts';
import { wcShims } from '../wc/index.ts';
import { shufShims } from './index.ts';

const files = { log: 'one\ntwo\nthree\n', open: 'no end', empty: '', 'd/x': 'x\n' };

gnuSuite(['shuf'], [shufShims, sortShims, trShims, wcShims], files, [
  'shuf log | sort',
  'shuf -n 2 log | wc -l',
  'shuf -i 1-5 | sort -n',
  'shuf -e a b c | sort',
  'shuf -n 0 log | wc -l',
  'shuf -i 3-3',
  'shuf -rn 5 -e x',
  'shuf empty | wc -c',
  'shuf -n 100 log | wc -l',
  'shuf -i 5-1 2>/dev/null; echo $?',
  'shuf none 2>/dev/null; echo $?',
  "shuf -z -e a b | tr -cd '\\0' | wc -c",
]);
