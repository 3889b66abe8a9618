import { gnuSuite } from '../support/gnu-suite.ts';
import { fileShims } from './index.ts';

const files = {
  bin: '\x00\x01\x02\x03',
  txt: 'hello\n',
  'j.json': '{"a":1}\n',
  esc: '\x1b[1mbold\x1b[0m\n',
  empty: '',
  del: 'abc\x7f\x01\n',
};

gnuSuite(['file'], [fileShims], files, [
  'file bin; file txt; file j.json; file empty; file del',
  'file -b bin; file -b txt; file -b j.json',
  'file --mime-type bin; file --mime-type txt',
  'file bin txt',
  'gzip -n < txt > t.gz; file t.gz; file -b t.gz; file --mime-type t.gz; file t.gz txt',
]);
