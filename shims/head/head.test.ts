import { gnuSuite } from '../support/gnu-suite.ts';
import { headShims } from './index.ts';

const files = {
  ten: Array.from({ length: 12 }, (_, i) => `${i + 1}\n`).join(''),
  open: 'a\nb\nc',
  empty: '',
};

const counts = [
  '',
  '-n 3',
  '-n3',
  '-3',
  '-n -3',
  '-c 5',
  '-c -5',
  '-n 0',
  '-c 0',
  '-n 1K',
  '-n +3',
  '-c +4',
  '-n -100',
];
gnuSuite(['head', 'tail'], [headShims], files, [
  ...counts.flatMap((count) => [
    `head ${count} ten`,
    `tail ${count} ten`,
    `head ${count} open`,
    `tail ${count} open`,
  ]),
  'head -n 2 ten open',
  'tail -n 1 ten open',
  'head -q -n 1 ten open',
  'head -v -n 1 ten',
  'tail -n 1 nosuch open',
  'head nosuch; echo $?',
  'head -n x ten; echo $?',
  'head < open',
  'cat ten | tail -n 2 -',
  'head -n 1 ten - < open',
  'tail +11 ten',
  'head empty ten -n1',
  'head --lines=2 ten',
  'tail --bytes=4 ten',
  'head .; echo $?',
  'printf "a\\nb\\nc\\n" > l; head -1c l; tail -1c l; tail +2 l; tail +3c l; tail -2l l; head -1lq l l',
]);
