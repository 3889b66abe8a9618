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
]);
