import { statShims } from '../stat/index.ts';
import { gnuSuite } from '../support/gnu-suite.ts';
import { touchShims } from './index.ts';

const files = { log: 'one\ntwo\nthree\n', open: 'no end', empty: '', 'd/x': 'x\n' };

gnuSuite(['touch', 'stat'], [touchShims, statShims], files, [
  'touch new; stat -c %s new',
  "touch -d '2024-01-02 03:04:05 UTC' log; stat -c %Y log",
  'touch -t 202401020304.05 log; stat -c %Y log',
  'touch -r log open; test $(stat -c %Y log) = $(stat -c %Y open) && echo same',
  'touch -c none; ls none 2>/dev/null; echo $?',
  'touch none/x 2>/dev/null; echo $?',
  'touch -d nonsense log 2>/dev/null; echo $?',
  'touch -d @5 log; stat -c %Y log',
  'touch a b c; ls',
  'touch -m -d @7 log; stat -c %Y log',
  'touch -d 2024-06-01T00:00:00Z d; stat -c %Y d',
  'touch -t 01020304 log; echo $?',
  'touch; echo $?',
]);
