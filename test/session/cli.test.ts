/** `dirigent session`, as a process. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { cli } from '../cli/run-cli.ts';
import { temporaryDirectory } from './support.ts';

test('ls, label, diff, fork, tree, verify, show and export of a deployment', async () => {
  const deployment = temporaryDirectory();
  writeFileSync(join(deployment, 'dirigent.config.mjs'), 'export default {};\n');
  const where = ['--deployment', deployment];
  const run = async (...args: string[]): Promise<string> => {
    const { stdout, stderr, status } = await cli([...args, ...where]);
    expect([status, stderr.replace(/^open it with.*\n/, '')], args.join(' ')).toEqual([0, '']);
    return stdout.toString();
  };
  await run('sh', '-c', 'echo one > f; echo "<b>&"');
  const [{ id }] = JSON.parse(await run('session', 'ls', '--json')) as [{ id: string }];
  const ended = /^(\S+) {2}\$ echo one/m.exec(await run('session', 'tree'))?.[1] ?? '';
  await run('session', 'label', ended.slice(-8), 'begin');
  await run('sh', '--session', id, '-c', 'echo two > f');
  expect(await run('session', 'tree')).toContain('→ 0 [begin]');
  const leaf = /^(\S+) {2}\$ echo two.* ←$/m.exec(await run('session', 'tree'))?.[1] ?? '';
  expect(await run('session', 'diff', 'begin', leaf)).toContain('-one\n+two\n');
  const fork = (await run('session', 'fork', '--at', 'begin')).trim();
  expect(await run('sh', '--session', fork, '-c', 'cat f')).toBe('one\n');
  expect(await run('session', 'fork', '--session', id, '--at', 'begin', '--in-place')).toBe(
    '/workspace/f\n',
  );
  expect(readFileSync(join(deployment, 'workspace', 'f'), 'utf8')).toBe('one\n');
  expect(await run('session', 'verify', '--all')).toMatch(/^\w+ whole: .*\n\w+ whole: .*\n$/);
  expect(await run('session', 'show', id)).toContain('$ echo one > f');
  const page = await run('session', 'export', '--html', id);
  expect(page).toContain('&#60;b&#62;&#38;');
  expect(page).not.toMatch(/<script|src=|https?:/);
  const refused = await cli(['session', 'diff', 'nowhere', 'begin', ...where]);
  expect([refused.status, refused.stderr]).toEqual([1, expect.stringContaining('session tree')]);
}, 60_000);
