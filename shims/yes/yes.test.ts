import { expect, test } from 'vitest';
import { inProcessWorld } from '../../test/world/in-process.ts';

test.each([
  ['yes | head -3', 'y\ny\ny\n'],
  ['yes no | head -2', 'no\nno\n'],
  ['yes a b | sed 2q', 'a b\na b\n'],
  ['yes | head -n 100000 | wc -l', '100000\n'],
  ['nproc', '1\n'],
])('%s', async (command, stdout) => {
  const { run } = await inProcessWorld({ roots: ['/work'], files: {}, cwd: '/work' });
  expect(await run(command)).toMatchObject({ stdout, exitCode: 0 });
});
