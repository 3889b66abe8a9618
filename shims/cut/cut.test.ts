import { expect, test } from 'vitest';
import { doubleShell } from '../support/double-shell.ts';
import { gnuSuite } from '../support/gnu-suite.ts';
import { cutShims } from './index.ts';

const files = {
  tabs: 'a\tb\tc\td\n1\t2\t3\t4\nno tab\n',
  csv: 'x,y,z\n1,,3\nplain\n',
  text: 'abcdefgh\nirregular\nxy\n',
  open: 'p:q',
};

gnuSuite(['cut'], [cutShims], files, [
  'cut -f2 tabs',
  "printf 'a\\n' | cut -s -d $'\\n' -f2; printf 'a\\n' | cut -s -d $'\\n' -f1",
  "cut -d $'\\n' -f2 csv; cut -d $'\\n' -f1- --output-delimiter=: csv; cut -s -d $'\\n' -f2 open; printf '\\n' | cut -s -d $'\\n' -f1-",
  'cut -f1,3 tabs',
  'cut -f3,1 tabs',
  'cut -f2- tabs',
  'cut -f-2 tabs',
  'cut -f2-3 tabs',
  'cut -s -f2 tabs',
  'cut -d, -f2 csv',
  'cut -d , -f 1,3 csv',
  'cut -d, -f1,3 --output-delimiter=: csv',
  'cut -d, -f2 --complement csv',
  'cut -sd, -f3 csv',
  'cut -c1-3 text',
  'cut -c2,4-5 text',
  'cut -c3- text',
  'cut -b1-2 tabs',
  'cut -b 1,3 --output-delimiter=- tabs',
  'cut -c1-2 --complement tabs',
  'cut -d: -f2 open',
  'cut -d: -f2 < open',
  'cut -d" " -f1 tabs',
  'cut -z -d, -f1 csv',
  'cut -f5 tabs',
  'cut -f0 tabs 2>/dev/null; echo $?',
  'cut -f3-1 tabs 2>/dev/null; echo $?',
  'cut -dxx -f1 csv 2>/dev/null; echo $?',
  'cut csv 2>/dev/null; echo $?',
  'cut -f1 -c1 csv 2>/dev/null; echo $?',
  'cut -f1 none 2>/dev/null; echo $?',
]);

test('-c counts bytes, as -b does', async () => {
  const { run } = doubleShell([cutShims], { '/data/text': 'häßlich\n' });
  expect((await run('cut -c1-3 text')).stdout).toBe('hä\n');
  expect((await run('cut -c1,6- text')).stdout).toBe('hlich\n');
});
