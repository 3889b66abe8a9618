import { odShims } from '../od/index.ts';
import { gnuSuite } from '../support/gnu-suite.ts';
import { iconvShims } from './index.ts';

const files = { latin: '', utf: 'h\u00e4\u20ac\n', plain: 'abc\n' };

gnuSuite(['iconv'], [iconvShims, odShims], files, [
  'iconv -f UTF-8 -t UTF-16LE plain | od -An -tx1',
  'iconv -f UTF-8 -t UTF-16BE plain | od -An -tx1',
  "printf 'h\\344\\n' | iconv -f ISO-8859-1 -t UTF-8",
  "printf 'h\\344\\n' | iconv -f latin1",
  'iconv -f UTF-8 -t ASCII plain',
  'iconv -f UTF-8 -t ASCII utf 2>/dev/null >/dev/null; echo $?',
  'iconv -f nonsense plain 2>/dev/null; echo $?',
  "printf 'a\\303\\244b' | iconv -c -f UTF-8 -t ASCII; echo",
]);
