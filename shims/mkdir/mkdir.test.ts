import { lsShims } from '../ls/index.ts';
import { statShims } from '../stat/index.ts';
import { gnuSuite } from '../support/gnu-suite.ts';
import { mkdirShims } from './index.ts';

const files = { log: 'one\ntwo\nthree\n', open: 'no end', empty: '', 'd/x': 'x\n' };

gnuSuite(['mkdir'], [mkdirShims, statShims, lsShims], files, [
  'mkdir new; ls',
  'mkdir d 2>/dev/null; echo $?',
  'mkdir -p a/b/c; ls -R a',
  'mkdir -p d; echo $?',
  'mkdir a/b 2>/dev/null; echo $?',
  'mkdir -m 700 m; stat -c %a m',
  'mkdir -v one two',
  'mkdir -pv p/q',
  'mkdir log 2>/dev/null; echo $?',
  'mkdir -p log/x 2>/dev/null; echo $?',
  'mkdir; echo $?',
  'mkdir x y; ls -d x y',
]);
