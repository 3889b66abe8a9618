import { grepShims } from '../grep/index.ts';
import { gnuSuite } from '../support/gnu-suite.ts';
import { zgrepShims } from './index.ts';

const files = { log: 'one\ntwo\nthree\n', open: 'no end', empty: '', 'd/x': 'x\n' };

gnuSuite(['zgrep', 'gzip'], [zgrepShims, grepShims], files, [
  'gzip -k log; zgrep two log.gz',
  'gzip -k log; zgrep -n t log.gz',
  'gzip -k log; zgrep -c o log.gz open',
  'zgrep two log',
  'gzip -c log | zgrep three',
  'gzip -k log; zgrep nope log.gz; echo $?',
  "gzip -k log; zegrep 'one|two' log.gz",
  'gzip -k log; zfgrep two log.gz',
  'gzip -k log; zgrep -i TWO log.gz',
  'zgrep two none 2>/dev/null; echo $?',
  'gzip -k log; zgrep -l two log.gz',
]);
