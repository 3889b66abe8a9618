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

test.each([
  ['y', 2],
  [' Yes ', 2],
  ['n', 1],
  ['maybe', 1],
  [null, 1],
])('what is refused is edited again on a yes alone: %s', async (answer, edits) => {
  const world = testWorld({ mounts: { '/mnt/ro': 'mem:ro' } });
  const answers = ['one\n', answer, 'two\n', 'n'];
  const asked: string[] = [];
  const ask = async ({ kind }: { kind: string }): Promise<string | null> => {
    asked.push(kind);
    return answers.shift() ?? null;
  };
  const terminal = { columns: 80, rows: 24, color: false, ask };
  expect((await world.exec('edit /mnt/ro/f', { terminal })).exitCode).toBe(1);
  expect(asked.filter((kind) => kind === 'edit')).toHaveLength(edits);
  const kept = await world.exec('cat /tmp/f');
  expect(kept.stdout).toBe(edits === 2 ? 'two\n' : 'one\n');
});
