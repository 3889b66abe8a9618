import { lnShims } from '../ln/index.ts';
import { mkdirShims } from '../mkdir/index.ts';
import { gnuSuite } from '../support/gnu-suite.ts';
import { realpathShims } from './index.ts';

const files = { log: 'one\ntwo\nthree\n', open: 'no end', empty: '', 'd/x': 'x\n' };

gnuSuite(['realpath', 'readlink'], [realpathShims, lnShims, mkdirShims], files, [
  'realpath --relative-to=. d/x',
  'realpath --relative-to=d log',
  'realpath --relative-base=. log',
  'readlink none; echo $?',
  'readlink log; echo $?',
  'readlink log 2>&1; echo $?; readlink -q log 2>&1; echo $?; readlink -v log 2>&1; echo $?',
  'ln -s log l; readlink -nz l | od -An -c; readlink -z l | od -An -c; readlink -nz l l | od -An -c',
  "ln -s log l; readlink l; readlink -f l | sed 's,.*/,,'",
  'realpath none/x 2>/dev/null; echo $?',
  "realpath -m none/x/../y | sed 's,.*/none,none,'",
  'realpath -e none 2>/dev/null; echo $?',
  "ln -s d dd; realpath dd/x | sed 's,.*/d/,d/,'",
  "ln -s d dd; realpath -s dd/x | sed 's,.*/dd/,dd/,'",
  "ln -s none i; ln -s log l; realpath -es i 2> /dev/null; echo $?; realpath -es l | sed 's,.*/,,'; realpath -s i none/x | sed 's,.*/,,'; realpath -s log/x 2> /dev/null; echo $?",
  'ln -s a b; ln -s b a; realpath a 2>/dev/null; echo $?',
  'ln -s log l; readlink -n l; echo .',
  'readlink -e none; echo $?',
  'realpath / /tmp/.. /tmp/../tmp',
]);
