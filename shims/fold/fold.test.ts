import { gnuSuite } from '../support/gnu-suite.ts';
import { foldShims } from './index.ts';

const files = {
  l: 'the quick brown fox jumps over the lazy dog\nshort\n\na\tb\tc\n',
  o: 'abcdefghij',
};

gnuSuite(['fold'], [foldShims], files, [
  'fold -w 10 l',
  'fold -s -w 10 l',
  'fold -sw12 l',
  'fold -w 9 l',
  'fold -bw 4 l',
  'fold -7 l',
  'fold -w 3 o',
  'fold -s -w 3 o',
  'printf "123456\\tasdf" | fold -w 7 -s',
  'printf "ab\\rcdef\\bgh\\n" | fold -w 3',
  'fold -w 0 l 2>/dev/null; echo $?',
  'fold -w x l 2>/dev/null; echo $?',
  'fold l',
  'fold missing l 2>/dev/null; echo $?',
  'fold -sw 5 < l',
]);
