/** git against the machine's own, command by command: what is printed, the status, and the ids of objects. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { testWorld } from '../../test/world/harness.ts';
import { ENV, SCRIPTS } from './scripts.ts';

const root = realpathSync(mkdtempSync(join(tmpdir(), 'dirigent-git-')));
afterAll(() => rmSync(root, { recursive: true, force: true }));

const has = spawnSync('git', ['--version']).status === 0;

/** Each command of a script, with what it printed and its status. */
const traced = (lines: readonly string[]): string =>
  lines
    .map((line) => `echo ${`'$ ${line.replaceAll("'", "'\\''")}'`}\n{ ${line}\n} 2>&1; echo "[$?]"`)
    .join('\n');

function byGit(lines: readonly string[], name: string): string {
  const directory = join(root, name.replaceAll(/\W/g, '_'));
  const script = `mkdir -p '${directory}' && cd '${directory}' && ${traced(lines)}`;
  const { stdout } = spawnSync('bash', ['-c', script], {
    encoding: 'utf8',
    env: {
      PATH: process.env['PATH'],
      HOME: directory,
      LC_ALL: 'C.UTF-8',
      GIT_CONFIG_NOSYSTEM: '1',
      USER: 'agent',
      ...ENV,
    },
  });
  return stdout.replaceAll(directory, '/workspace');
}

describe.skipIf(!has)('git says and does what git does', () => {
  test.each(SCRIPTS)('$name', async ({ name, lines }) => {
    const ours = await testWorld({ env: ENV }).exec(traced(lines));
    expect(ours.stdout.split('\n')).toEqual(byGit(lines, name).split('\n'));
    expect(ours.stderr).toBe('');
  });
});
