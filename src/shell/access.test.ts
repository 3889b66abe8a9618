/** `test -r`, `-w` and `-x`, and find's, say what would come of it: in memory no mode keeps anybody out. */
import { expect, test } from 'vitest';
import { inProcessWorld } from '../../test/world/in-process.ts';

test.each([
  [
    'for m in 000 444 001; do chmod $m f; for o in r w x; do test -$o f; echo -n $?; done; [[ -r f && -w f ]]; echo $?; done',
    '0010\n0010\n0000\n',
  ],
  ['chmod 000 f; echo b > f; cat f; stat -c %a f; ls -l f | cut -c1-10', 'b\n0\n----------\n'],
  [
    'chmod 000 f; find f -readable -writable; find f -executable; chmod 010 f; find f -executable',
    'f\nf\n',
  ],
  ['test -r none; echo $?; test -w /bin/cat; test -x /bin/cat; echo $?', '1\n0\n'],
])('%s', async (script, stdout) => {
  const world = await inProcessWorld({ roots: ['/w'], files: { '/w/f': 'a\n' }, cwd: '/w' });
  expect((await world.run(script)).stdout).toBe(stdout);
});
