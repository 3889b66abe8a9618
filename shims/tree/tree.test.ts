import { gnuSuite } from '../support/gnu-suite.ts';
import { treeShims } from './index.ts';

const files = { 'a/b/g': 'x\n', 'a/h': '', f: 'hello\n', '.hid/z': '', 'B.txt': '' };

gnuSuite(['tree'], [treeShims], files, [
  'tree',
  'tree a; tree a .',
  'tree -L 1; tree -d; tree -a',
  'ln -s f l; ln -s a m; ln -s none n; tree',
  'tree -f a; tree -i; tree -fi a; tree --noreport',
  "tree -I 'a'; tree -I '*.txt|h'; tree -P '*.txt'; tree -P 'h' --prune",
  'tree -s a/b; tree -F; tree -r; tree --dirsfirst; tree --du a/b; tree --filesfirst; tree -Q a',
  'tree --charset=ascii a',
  'tree missing; echo $?; tree f; echo $?',
  'tree -L 0 2>/dev/null; echo $?',
  'mkdir e; tree e',
  'tree -o out a; cat out',
]);
