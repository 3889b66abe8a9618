import { gnuSuite } from '../support/gnu-suite.ts';
import { lookShims } from './index.ts';

const files = {
  words: 'apple\nbanana\nband\nbandana\ncherry\n',
  sorted: 'Apple\nbanana\nband\nbandana\ncherry\n',
  dashed: 'a-b\na-c\nb-d\nb-e\n',
};

gnuSuite(['look'], [lookShims], files, [
  'look ban sorted',
  'look ch sorted',
  'look zzz sorted; echo $?',
  'look -f APP sorted',
  'look banana sorted',
  "look '' sorted 2>/dev/null | head -1",
  'look a- dashed; look ab dashed; echo $?; look -d ab dashed; look -d a-b dashed; look --alphanum bd dashed',
  'look APP sorted; echo $?; look -f BAND sorted; look --ignore-case bAn sorted',
  'look -t n banxyz sorted; look -t a bananza sorted; look -t q band sorted; look --terminate=d bandx sorted',
  'look a missing 2> /dev/null; echo $?; look 2> /dev/null; echo $?; look -x a sorted 2> /dev/null; echo $?',
]);
