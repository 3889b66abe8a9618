import { gnuSuite } from '../support/gnu-suite.ts';
import { envShims } from './index.ts';

gnuSuite(['env', 'printenv'], [envShims], {}, [
  "X=1 env | grep '^X='",
  'export A=2; env | grep ^A=',
  "A=2; env | grep -c '^A='",
  'printenv NONE; echo $?',
  "export Q='a b'; printenv Q",
  'env -u HOME printenv HOME; echo $?',
  'export A=1 B=2; printenv A B',
  'env A=1 true; echo $?',
  'env false; echo $?',
  "env -- printf 'a%sb\\n' x",
  'env -i A=1 env',
  'env - A=1 -- 2>/dev/null; echo $?',
  "env -S'A=B C=D' printenv A C",
  `env -S'printf x%sx\\n "a b" c # not this'`,
  "env -iS'A=1 env'",
  "X=1; export X; env -S'echo ${X}y'",
  "env -S'echo $X' 2>/dev/null; echo $?",
  'env -C / pwd',
  'env -C /missing pwd 2>/dev/null; echo $?',
  'env -u A -u B A=1 printenv A',
  'env -x 2>/dev/null; echo $?',
  'env -0 true 2>/dev/null; echo $?',
  'env no-such-command 2>/dev/null; echo $?',
]);
