import { gnuSuite } from '../support/gnu-suite.ts';
import { lookShims } from './index.ts';

const files = {
  words: 'apple\nbanana\nband\nbandana\ncherry\n',
  sorted: 'Apple\nbanana\nband\nbandana\ncherry\n',
};

gnuSuite(['look'], [lookShims], files, [
  'look ban sorted',
  'look ch sorted',
  'look zzz sorted; echo $?',
  'look -f APP sorted',
  'look banana sorted',
  "look '' sorted 2>/dev/null | head -1",
]);
