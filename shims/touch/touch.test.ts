import { expect, test } from 'vitest';
import { inProcessWorld } from '../../test/world/in-process.ts';
import { statShims } from '../stat/index.ts';
import { gnuSuite } from '../support/gnu-suite.ts';
import { touchShims } from './index.ts';

const files = { log: 'one\ntwo\nthree\n', open: 'no end', empty: '', 'd/x': 'x\n' };

gnuSuite(['touch', 'stat'], [touchShims, statShims], files, [
  'touch new; stat -c %s new',
  "touch -d '2024-01-02 03:04:05 UTC' log; stat -c %Y log",
  'touch -t 202401020304.05 log; stat -c %Y log',
  'touch -r log open; test $(stat -c %Y log) = $(stat -c %Y open) && echo same',
  'touch -c none; ls none 2>/dev/null; echo $?',
  'touch none/x 2>/dev/null; echo $?',
  'touch -d nonsense log 2>/dev/null; echo $?',
  'touch -d @5 log; stat -c %Y log',
  'touch a b c; ls',
  'touch -m -d @7 log; stat -c %Y log',
  'touch -d 2024-06-01T00:00:00Z d; stat -c %Y d',
  'touch -t 01020304 log; echo $?',
  'touch; echo $?',
  'touch -m -d @3 log; touch --time=modify -d @4 open; stat -c %Y log open; touch --time=never log; echo $?',
]);

test.each([
  ['touch -d @5 log; touch -a -d @9 log; stat -c %Y log', '5\n', 'no times of access'],
  ['touch --time=atime new; ls new', 'new\n', 'no times of access'],
  [
    'touch -d 2020-01-01T00:00:00.1234567Z log; stat -c %.3Y log',
    '1577836800.123\n',
    'milliseconds',
  ],
  ['touch -d @5 log; stat -c %X log', '5\n', 'no times of access'],
  ['touch - > log', '', "cannot touch '-'"],
])('%s says what is not kept', async (line, stdout, told) => {
  const files = { '/w/log': '' };
  const world = await inProcessWorld({ roots: ['/w'], files, cwd: '/w' });
  const answer = await world.run(line);
  expect(answer.stdout).toBe(stdout);
  expect(answer.stderr).toContain(told);
});
