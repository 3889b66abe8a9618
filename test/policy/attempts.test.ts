/**
 * What an agent may not write, it cannot, by whatever detour; every refusal is
 * in the log, whatever became of the messages; and the same thing done where it
 * is allowed succeeds under the same policy.
 */
import {
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { temporaryDirectory, testWorld } from '../world/harness.ts';
import { ATTEMPTS } from './attempts.ts';

const POLICY = `
sandbox: workspace
approval: never
rules:
  - {name: open, decision: allow, path: /mnt/open/**}
`;

/** Everything below a directory of the host, as text. */
function contentOf(root: string): string {
  return readdirSync(root, { recursive: true, encoding: 'utf8' })
    .sort()
    .map((path) => {
      const stat = lstatSync(join(root, path));
      const text = stat.isFile() ? readFileSync(join(root, path), 'utf8') : '';
      return `${path} ${stat.mode} ${stat.isFile() ? stat.mtimeMs : ''} ${text}`;
    })
    .join('\n');
}

test(`C one gate, through the shell: ${ATTEMPTS.length} attempts are refused and in the log, and their benign twins succeed`, async () => {
  expect(ATTEMPTS.length).toBeGreaterThanOrEqual(40);
  const deployment = temporaryDirectory();
  const outside = temporaryDirectory();
  for (const name of ['harness', 'harness/agents', 'ro', 'workspace'])
    mkdirSync(join(deployment, name));
  writeFileSync(join(deployment, 'harness', 'policy.yaml'), POLICY);
  writeFileSync(join(deployment, 'harness', 'AGENTS.md'), '#x\n');
  writeFileSync(join(deployment, 'ro', 'a.md'), 'a\n');
  symlinkSync('/etc', join(deployment, 'escape'));
  const mounts = { '/mnt/ro': './ro:ro', '/mnt/open': '.:rw' };
  const state = join(deployment, '.dirigent');
  mkdirSync(state);
  const world = testWorld({ mounts, state }, { deployment });
  const context = { actor: 'assistant' };
  // Each begins in a directory of its own.
  const run = async (script: string, index: string) =>
    world.exec(`mkdir /workspace/${index}; cd /workspace/${index}; printf 'a\\n' > f; ${script}`, {
      context,
    });
  const kept = () =>
    [join(deployment, 'harness'), join(deployment, 'ro'), outside].map(contentOf).join('\n');
  const before = kept();
  for (const [index, { name, script, twin }] of ATTEMPTS.entries()) {
    const attempt = await run(script, `a${index}`);
    expect.soft(attempt.exitCode, `${name}: ${attempt.stderr}`).not.toBe(0);
    expect.soft(attempt.refused, `${name}: ${attempt.stderr}`).not.toEqual([]);
    const logged = world.session.entries().at(-1);
    expect.soft(logged?.['refused'], name).toEqual(attempt.refused);
    expect.soft(kept(), name).toBe(before);
    const benign = await run(twin, `b${index}`);
    expect.soft(benign.stderr, `${name}, the twin`).toBe('');
    expect.soft([benign.exitCode, benign.refused], `${name}, the twin`).toEqual([0, []]);
  }
  const log = readFileSync(world.session.file, 'utf8').trimEnd().split('\n');
  expect(log.length).toBe(1 + ATTEMPTS.length * 4);
}, 60_000);
