/** `dirigent session`: its verbs in this process, on a session that a world wrote, and one as a process. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { cli } from '../cli/run-cli.ts';
import { testWorld } from '../world/harness.ts';
import { inProcess } from './in-process.ts';
import { temporaryDirectory } from './support.ts';

test('ls, label, diff, fork, tree, verify, show and export of a deployment', async () => {
  const deployment = temporaryDirectory();
  writeFileSync(join(deployment, 'dirigent.config.mjs'), 'export default {};\n');
  const where = ['--deployment', deployment];
  const session = (...args: string[]): Promise<string> => inProcess(['session', ...args, ...where]);
  /** What a world of the deployment prints. */
  const sh = async (command: string, id?: string): Promise<string> => {
    const options = id === undefined ? { deployment } : { deployment, session: id };
    const world = testWorld({ state: join(deployment, '.dirigent') }, options);
    const { stdout } = await world.exec(command);
    await world.close();
    return stdout;
  };
  await sh('echo one > f; echo "<b>&"');
  const [{ id }] = JSON.parse(await session('ls', '--json')) as [{ id: string }];
  const ended = /^(\S+) {2}\$ echo one/m.exec(await session('tree'))?.[1] ?? '';
  await session('label', ended.slice(-8), 'begin');
  await sh('echo two > f', id);
  expect(await session('tree')).toContain('→ 0 [begin]');
  const leaf = /^(\S+) {2}\$ echo two.* ←$/m.exec(await session('tree'))?.[1] ?? '';
  expect(await session('diff', 'begin', leaf)).toContain('-one\n+two\n');
  const fork = (await session('fork', '--at', 'begin')).trim();
  expect(await sh('cat f', fork)).toBe('one\n');
  expect(await session('fork', '--session', id, '--at', 'begin', '--in-place')).toBe(
    '/workspace/f\n',
  );
  expect(readFileSync(join(deployment, 'workspace', 'f'), 'utf8')).toBe('one\n');
  expect(await session('verify', '--all')).toMatch(
    /^(\w+ whole: .*\n {2}signed to its end at .*\n){2}$/,
  );
  expect(await session('show', id)).toContain('$ echo one > f');
  const page = await session('export', '--html', id);
  expect(page).toContain('&#60;b&#62;&#38;');
  expect(page).not.toMatch(/<script|src=|https?:/);
  // A process of its own says how a refusal looks.
  const refused = await cli(['session', 'diff', 'nowhere', 'begin', ...where]);
  expect([refused.status, refused.stderr]).toEqual([1, expect.stringContaining('session tree')]);
});
