import { expect, test } from 'vitest';
import { inProcessWorld } from '../../test/world/in-process.ts';
import { gnuSuite } from '../support/gnu-suite.ts';
import { seqShims } from './index.ts';

test('seq refuses numbers that it would count wrongly', async () => {
  const { run } = await inProcessWorld({ roots: ['/work'], files: {}, cwd: '/work' });
  const { stdout, stderr, exitCode } = await run('seq 9007199254740993 9007199254740995');
  expect({ stdout, exitCode }).toEqual({ stdout: '', exitCode: 1 });
  expect(stderr).toContain('not counted exactly');
  expect((await run('seq 9007199254740990 9007199254740991')).stdout).toBe(
    '9007199254740990\n9007199254740991\n',
  );
});

gnuSuite(['seq'], [seqShims], {}, [
  'seq -0 2; seq -w -1.0e-4 1; seq 1e-2 .01 3e-2; seq 1e1 12; seq -.0 -.25 -.6',
  'seq -w 003; seq -w 005 7; seq -w 8 -3 04; seq -w 03 .3 0004',
  "seq -f '%%%g%%' 2",
  "for f in %d %s '' %%g '%g%g' '%' %5.2f; do seq -f \"$f\" 2 2>/dev/null; echo $?; done",
]);
