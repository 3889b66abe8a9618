import { realpathShims } from '../realpath/index.ts';
import { gnuSuite } from '../support/gnu-suite.ts';
import { lnShims } from './index.ts';

const files = { log: 'one\ntwo\nthree\n', open: 'no end', empty: '', 'd/x': 'x\n' };

gnuSuite(['ln', 'readlink'], [lnShims, realpathShims], files, [
  'ln -s log l; readlink l; cat l',
  'ln -s log l; ln -s open l 2>/dev/null; echo $?',
  'ln -s log l; ln -sf open l; cat l',
  'ln log hard; echo more >> hard; cat log',
  'ln -s d dd; ls dd',
  'ln -s ../log d; readlink d/log; cat d/log',
  'ln -sv log l',
  'ln -sr log d/back; readlink d/back',
  'ln -st d ../open; readlink d/open',
  'ln -s d dd; ln -sfn log dd; readlink dd',
  'ln -sT log d/y; readlink d/y',
  'ln none hard 2>/dev/null; echo $?',
  'ln d hard 2>/dev/null; echo $?',
  'ln -s a b c 2>/dev/null; echo $?',
]);
