import { gnuSuite } from '../support/gnu-suite.ts';
import { catShims } from './index.ts';

const files = { log: 'one\ntwo\nthree\n', open: 'no end', empty: '', 'd/x': 'x\n' };

gnuSuite(['cat'], [catShims], files, [
  'cat log open',
  'cat -n log open',
  'cat -b log empty open',
  'cat -A log',
  "printf 'a\\tb\\001\\n' | cat -A",
  "printf '\\n\\n\\na\\n\\n\\n' | cat -s",
  'cat -E open',
  "printf 'a\\tb\\n' | cat -T",
  'cat - log < open',
  'cat none log 2>/dev/null; echo $?',
  'cat d 2>/dev/null; echo $?',
  'cat < log',
  'cat empty | wc -c',
  'cat -ns log',
  'cat -- log',
  'cat -vet log',
]);
