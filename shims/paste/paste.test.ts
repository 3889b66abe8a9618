import { odShims } from '../od/index.ts';
import { gnuSuite } from '../support/gnu-suite.ts';
import { pasteShims } from './index.ts';

const files = { a: '1\n2\n3\n', b: 'x\ny\n', c: 'p' };

gnuSuite(['paste'], [pasteShims, odShims], files, [
  'paste a b',
  "paste -s -d '\\b\\f' a | od -c",
  'paste -d, a b c',
  'paste -s a',
  'paste -sd+ a',
  "paste -d ',;' a b c",
  'paste - - < a',
  'paste - a < b',
  "paste -d '\\n' a b",
  "paste -s -d ',\\n' a b",
  "paste -d '' a b",
  'paste a none 2>/dev/null; echo $?',
  'seq 6 | paste - - -',
  'paste -z a b | od -c',
  "paste -d '\\0' a b",
]);
