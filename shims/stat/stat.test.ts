import { lnShims } from '../ln/index.ts';
import { gnuSuite } from '../support/gnu-suite.ts';
import { touchShims } from '../touch/index.ts';
import { statShims } from './index.ts';

const files = { log: 'one\ntwo\nthree\n', open: 'no end', empty: '', 'd/x': 'x\n' };

gnuSuite(['stat', 'truncate', 'touch'], [statShims, touchShims, lnShims], files, [
  "stat -c '%n %s %F' log empty d",
  'stat -c %s log',
  "touch -d @1700000000 log; stat -c '%Y %y' log",
  "stat --printf '%s\\n%%\\n' log",
  "ln -s log l; stat -c '%N %F' l",
  "ln -s log l; stat -L -c '%F %s' l",
  'stat none 2>/dev/null; echo $?',
  'truncate -s 3 log; cat log; stat -c %s log',
  'truncate -s 10 open; stat -c %s open',
  'truncate -s +5 open; stat -c %s open',
  'truncate -s -2 open; cat open',
  'truncate -c -s 5 none; ls none 2>/dev/null; echo $?',
  'truncate -s 1K new; stat -c %s new',
  'truncate log 2>/dev/null; echo $?',
  'truncate -r log open; stat -c %s open',
]);
