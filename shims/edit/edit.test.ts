/** edit without a terminal: it says what to use in its place. Its work is tested in test/world/terminal.test.ts. */
import { expect, test } from 'vitest';
import { testWorld } from '../../test/world/harness.ts';

test('without a terminal nothing is opened and nothing written', async () => {
  const world = testWorld();
  const { exitCode, stderr } = await world.exec('echo a > f; edit f; s=$?; cat f; exit $s');
  expect(exitCode).toBe(1);
  expect(stderr).toContain('sed -i, patch and > edit a file without one');
  expect((await world.exec('edit')).stderr).toContain('say which file');
});
