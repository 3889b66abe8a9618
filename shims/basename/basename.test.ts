import { odShims } from '../od/index.ts';
import { gnuSuite } from '../support/gnu-suite.ts';
import { basenameShims } from './index.ts';

gnuSuite(['basename', 'dirname'], [basenameShims, odShims], {}, [
  'basename /a/b/c.txt',
  'basename /a/b/c.txt .txt',
  'basename a/',
  'basename /',
  'basename //',
  "basename ''",
  'basename -a x/1 y/2',
  'basename -s .md -a a.md b/c.md .md',
  'basename -z a b 2>&1 | od -c',
  'basename .txt .txt',
  'basename a b c; echo $?',
  'basename; echo $?',
  'dirname /a/b/c',
  'dirname a',
  'dirname a/',
  'dirname /',
  'dirname //a',
  'dirname a//b//',
  'dirname x/y p/q',
  'dirname -z a/b c/d | od -c',
  'dirname; echo $?',
]);
