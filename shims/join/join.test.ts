import { sortShims } from '../sort/index.ts';
import { gnuSuite } from '../support/gnu-suite.ts';
import { joinShims } from './index.ts';

const files = { l: '1 a\n2 b\n3 c\n', r: '1 x\n3 y\n4 z\n', lc: 'a,1\nb,2\n', rc: 'p,b\nq,c\n' };

gnuSuite(['join'], [joinShims, sortShims], files, [
  'join l r',
  'join -a1 l r',
  'join -a2 l r',
  'join -v1 l r',
  'join -v2 l r',
  'join -a1 -a2 -e NA -o 0,1.2,2.2 l r',
  'join -t, -1 1 -2 2 lc rc',
  'join -t, -1 1 -2 2 -o 1.2,2.1 lc rc',
  'join -o auto -a1 -e - l r',
  'join -j1 l r',
  'join - r < l',
  'join l none 2>/dev/null; echo $?',
  "join -i <(printf 'A 1\\n') <(printf 'a 2\\n')",
  'join --header l r',
  "join -t '' l l",
]);
