/** wc knows the size of a file that is its standard input, and not that of a pipe. */
import { expect, test } from 'vitest';
import { inProcessWorld } from '../../test/world/in-process.ts';

test.each([
  ['wc < f; wc - < f; { wc; } < f; bash -c wc < f', '1 1 2\n1 1 2 -\n1 1 2\n1 1 2\n'],
  ["xargs -n1 --process-slot-var=SLOT sh -c 'echo $SLOT' sh < f", '0\n'],
  ['cat f | wc; wc <<< a; cat f | { wc; }', '      1       1       2\n'.repeat(3)],
])('%s', async (line, stdout) => {
  const world = await inProcessWorld({ roots: ['/w'], files: { '/w/f': 'a\n' }, cwd: '/w' });
  expect((await world.run(line)).stdout).toBe(stdout);
});
