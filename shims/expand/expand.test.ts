import { gnuSuite } from '../support/gnu-suite.ts';
import { expandShims } from './index.ts';

const files = {
  t: 'a\tb\n\t\tc\td\n no\ttab\tx\n',
  s: '        a        b\n    c\n       d\n   \t e  f\n \t  \t.\n',
  w: '  w        y\nw       y',
};

gnuSuite(['expand', 'unexpand'], [expandShims], files, [
  'expand t',
  'expand -t4 t',
  'expand -i t',
  'expand -t 2,5,9 t',
  'expand -t "2 5" t',
  'expand -4 t',
  'expand -3,7 t',
  'expand -t 1,/5 t',
  'expand -t 3,+6 t',
  'expand --tabs=3 -i < t',
  'expand -t 0 t 2>/dev/null; echo $?',
  'expand -t 3,2 t 2>/dev/null; echo $?',
  'expand -t a t 2>/dev/null; echo $?',
  'expand -t 4a t 2>/dev/null; echo $?',
  'expand t missing 2>/dev/null; echo $?',
  'unexpand s',
  'unexpand -a s',
  'unexpand -t4 s',
  'unexpand -t 4 --first-only s',
  'unexpand -a w',
  'unexpand -t 2,4 s',
  'unexpand -t 3,+4 s',
  'unexpand -4 s',
  'printf "      ." | unexpand -t 2,4',
  "printf ' \\t\\t .\\n' | unexpand -t 1,2",
  "printf 'x \\t\\t \\n' | unexpand -t 2,3",
]);
