/** What is in the state is its owner's alone, whatever the umask is. */
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { createWorld } from '../../entry/index.ts';
import { closeStateToOthers } from '../../src/state.ts';
import { MAIN } from '../cli/run-cli.ts';
import { temporaryDirectory, testWorld } from './harness.ts';

/** All below a directory, and itself, that others may do anything with. */
function open(directory: string): string[] {
  return ['', ...fs.readdirSync(directory, { recursive: true, encoding: 'utf8' })].filter(
    (name) => (fs.lstatSync(join(directory, name)).mode & 0o077) !== 0,
  );
}

test('with a umask that forbids nothing: directories are 0700, files 0600', () => {
  const deployment = temporaryDirectory();
  fs.mkdirSync(join(deployment, 'docs'));
  fs.writeFileSync(join(deployment, 'docs', 'a.md'), '# Bees\n\nHow bees find their way home.\n');
  fs.writeFileSync(
    join(deployment, 'dirigent.config.mjs'),
    `export default { mounts: { '/mnt/docs': './docs:ro' } };`,
  );
  const commands = [
    'echo x > /workspace/f; seq 20000; echo new > /harness/proposals/AGENTS.md',
    'mkdir /harness/proposals/agents; echo x >> /harness/proposals/agents/x.md; chmod -R 777 /harness/proposals',
    'grep "way home" /mnt/docs; echo "say hello" > /session/schedule/2099-01-01T00:00:00Z.md; cat /session/changes/* /session/approvals/*',
  ];
  for (const command of commands) {
    const args = [MAIN, 'sh', '--deployment', deployment, '-c', command];
    const line = ['umask 000; exec "$@"', 'sh', process.execPath, ...args];
    const { status, stderr } = spawnSync('sh', ['-c', ...line], { encoding: 'utf8' });
    expect([status === null, stderr.includes('cannot')], stderr).toEqual([false, false]);
  }
  const state = join(deployment, '.dirigent');
  const names = fs.readdirSync(state, { recursive: true, encoding: 'utf8' }).join('\n');
  for (const part of [
    /sessions\/\w+\/log\.jsonl/,
    /blobs\//,
    /changes\.sqlite/,
    /index\.sqlite/,
    /proposals\/agents\/x\.md/,
  ])
    expect(names).toMatch(part);
  expect(open(state)).toEqual([]);
});

test('a state that others could read is closed to them when it is opened, and one that they could write is told', async () => {
  const warned = vi.spyOn(process, 'emitWarning').mockImplementation(() => undefined);
  onTestFinished(() => warned.mockRestore());
  const state = temporaryDirectory();
  const world = testWorld({ state });
  await world.exec('echo x > f; seq 20000');
  await world.close();
  const loosen = (mode: number): void => {
    for (const name of ['', ...fs.readdirSync(state, { recursive: true, encoding: 'utf8' })])
      fs.chmodSync(join(state, name), mode);
  };
  loosen(0o755);
  closeStateToOthers(state);
  expect(open(state)).toEqual([]);
  expect(warned).not.toHaveBeenCalled();
  loosen(0o777);
  const again = testWorld({ state });
  expect(open(state)).toEqual([]);
  expect(warned).toHaveBeenCalledWith(expect.stringContaining(state), 'DirigentWarning');
  await again.exec('echo still works');
});

test.runIf(process.getuid?.() === 0)('a state of another user is refused, and not touched', () => {
  const state = temporaryDirectory();
  fs.chownSync(state, 12345, 12345);
  fs.chmodSync(state, 0o755);
  expect(() => createWorld({ state })).toThrow(/belongs to another user \(uid 12345/);
  expect(fs.statSync(state).mode & 0o777).toBe(0o755);
  expect(fs.readdirSync(state)).toEqual([]);
});
