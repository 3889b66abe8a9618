import { gnuSuite } from '../support/gnu-suite.ts';
import { xargsShims } from './index.ts';

const files = { list: 'a b\nc\n\nd e f\n', quoted: 'a "b c" d\\ e \'f g\'\n', empty: '' };

gnuSuite(['xargs'], [xargsShims], files, [
  'xargs < list',
  'xargs -n2 < list',
  'xargs -n 1 echo x < list',
  'xargs -I{} echo "<{}>" < list',
  'xargs -I {} echo {} and {} < list',
  'xargs -i echo "<{}>" < list',
  'xargs -L1 echo < list',
  'xargs -L 2 echo < list',
  'xargs -d "\\n" -n1 echo < list',
  "printf 'a,b,c' | xargs -d, echo",
  "printf 'a\\0b c\\0' | xargs -0 -n1 echo",
  'xargs -n1 < quoted',
  'xargs < empty',
  'xargs -r echo x < empty',
  'xargs -t echo < list',
  'xargs -a list echo',
  'echo x | xargs false; echo $?',
  'echo x | xargs sh -c "exit 3"; echo $?',
  'echo x | xargs sh -c "exit 255"; echo $?',
  'echo x | xargs nosuchcommand; echo $?',
  "echo 'a \"b' | xargs echo; echo $?",
  'echo 1 2 3 4 | xargs -P2 -n2 echo | sort',
  'seq 10 | xargs -n3',
  'echo a b c | xargs -s 10 echo',
  'echo "a b" | xargs -I% sh -c "echo [%]"',
  'printf "one\\ntwo\\n" | xargs -E two echo',
  'echo a | xargs -n0 echo; echo $?',
  'echo a b | xargs --max-args=1 echo',
  'echo "a;ls" | xargs echo',
]);
