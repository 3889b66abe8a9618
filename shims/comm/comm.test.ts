import { gnuSuite } from '../support/gnu-suite.ts';
import { trShims } from '../tr/index.ts';
import { commShims } from './index.ts';

const files = {
  a: 'a\nb\nd\n',
  b: 'b\nc\nd\ne',
  u: 'c\na\nb\n',
  v: 'a\nb\nc\n',
};

gnuSuite(['comm'], [commShims, trShims], files, [
  'comm a b',
  'comm -12 a b',
  'comm -3 a b',
  'comm -23 a b',
  'comm -13 a b',
  'comm -123 a b',
  'comm --total a b',
  'comm --total -12 a b',
  'comm --output-delimiter=, a b',
  'comm u v; echo $?',
  'comm u v 2>/dev/null; echo $?',
  'comm --nocheck-order u v; echo $?',
  'comm --check-order u v 2>/dev/null; echo $?',
  'comm u u; echo $?',
  'comm v u 2>/dev/null; echo $?',
  'comm a - < b',
  'comm a 2>/dev/null; echo $?',
  'comm a b v 2>/dev/null; echo $?',
  'comm a missing 2>/dev/null; echo $?',
  'comm -z a b | tr "\\0" @',
]);
