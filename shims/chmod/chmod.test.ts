import { statShims } from '../stat/index.ts';
import { gnuSuite } from '../support/gnu-suite.ts';
import { chmodShims } from './index.ts';

const files = { log: 'one\ntwo\nthree\n', open: 'no end', empty: '', 'd/x': 'x\n' };

gnuSuite(['chmod', 'stat'], [chmodShims, statShims], files, [
  'chmod 600 log; stat -c %a log',
  'chmod u+x log; stat -c %a log',
  'chmod go-rwx log; stat -c %a log',
  'chmod a=r log; stat -c %a log',
  'chmod 644 log; chmod u+x,g+w log; stat -c %a log',
  "chmod -R 700 d; stat -c '%a %n' d d/x",
  // What is below is met with -R alone, and a file has nothing below.
  "chmod 640 d/x; chmod 711 d; stat -c '%a %n' d d/x; chmod -R 750 d log 2>&1; echo $?; stat -c '%a %n' d d/x log",
  'chmod -v 600 log',
  'chmod 600 log; chmod -v 600 log',
  'chmod 600 log; chmod -c 640 log',
  'chmod --reference=log open; test $(stat -c %a log) = $(stat -c %a open) && echo same',
  'chmod 600 none 2>/dev/null; echo $?',
  'chmod nonsense log 2>/dev/null; echo $?',
  'chmod 0755 d; stat -c %a d',
  'chmod u=rwX,g=rX,o= d; stat -c %a d',
  'chmod 644 log; chmod a+X log; stat -c %a log',
  // Who is not named gets no more than the mask leaves.
  ...['=w', '+w', '+rwx', '=', '=rw', '+s', '+t', '-r,+x', 'u-w,=rw', '-x'].flatMap((mode) => [
    `chmod 777 log; chmod ${mode} log; stat -c %a log`,
    `chmod 700 d; chmod ${mode} d; stat -c %a d`,
  ]),
  'chmod 777 log; chmod -w log 2>&1; echo $?; stat -c %a log',
]);
