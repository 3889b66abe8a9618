import { headShims } from '../head/index.ts';
import { gnuSuite } from '../support/gnu-suite.ts';
import { odShims } from './index.ts';

const files = { t: 'Hello, world! 0123456789\n', z: '\u0000\u0000\u0000\u0000' };

gnuSuite(['od'], [odShims, headShims], files, [
  "printf '\\1\\2\\3ABCDE' | od -f; printf 'abcdefghijklmnop' | od -An -t f4 -t f8; printf '\\1\\0\\0\\0\\0\\0\\0@\\0\\0 A' | od -f; printf '\\0\\0\\0\\0\\0\\0\\b@' | od -tfD",
  'od t',
  'od -c t',
  'od -x t',
  'od -An -tx1 t',
  'od -A d -t c t',
  'od -An -tu1 -w8 t',
  'od -j 3 -N 5 -c t',
  'od -t x2 t',
  'od -t d4 t',
  'od -t o1 t',
  'od -An -c z',
  // Rows that are the same are one star, however many they are.
  'cat z z z z z z z z z z z z z z z z z z z z t > r; od -c r; od -v -c r',
  'od -Ax -tx1z t',
  'od -b t',
  'od -v -An -tx1 -w4 t',
  "printf '' | od",
  'od -t a t',
  'od none 2>/dev/null; echo $?',
  'od -An -tx4 t',
  'od -An -td2 t',
  "printf '12345678' | od -B; printf '12345678' | od -D; printf '12345678' | od -X; printf '12345678' | od -h; printf '12345678' | od -I; printf '12345678' | od -O",
]);
