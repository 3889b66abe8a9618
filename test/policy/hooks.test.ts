/** Hooks see what is written by whatever way, and what they give back is what is written. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { World } from '../../entry/index.ts';
import { temporaryDirectory, testWorld } from '../world/harness.ts';

const HOOKS = `import fs from 'node:fs';
const text = (data) => data && Buffer.from(data).toString();
const log = (line) => fs.appendFileSync(new URL('./seen', import.meta.url), JSON.stringify(line) + '\\n');
export default {
  before({ op, path, data }) {
    if (!path.startsWith('/mnt/docs/to')) return;
    log(['before', op, path, text(data)]);
    if (text(data)?.includes('forbidden')) return { block: 'this must not be written' };
    if (data !== undefined) return { data: text(data).replaceAll('secret', '[redacted]') };
  },
  after({ op, path, data }) {
    log(['after', op, path, text(data)]);
  },
};
`;

/** A world with hooks that redact what is written to /mnt/docs/to, and what they have seen of a path. */
function hooked(policy?: string): { world: World; seen(when: string, path: string): unknown[] } {
  const deployment = temporaryDirectory();
  for (const name of ['docs', 'harness']) mkdirSync(join(deployment, name));
  writeFileSync(join(deployment, 'hooks.mjs'), HOOKS);
  writeFileSync(join(deployment, 'seen'), '');
  if (policy !== undefined) writeFileSync(join(deployment, 'harness', 'policy.yaml'), policy);
  const world = testWorld(
    { hooks: './hooks.mjs', mounts: { '/mnt/docs': './docs:rw', '/mnt/mem': 'mem' } },
    { deployment },
  );
  const seen = (when: string, path: string): unknown[] =>
    readFileSync(join(deployment, 'seen'), 'utf8')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as unknown[])
      .filter(([at, op, where]) => at === when && op !== 'read' && where === path)
      .map(([, , , data]) => data);
  return { world, seen };
}

/** Ways that text goes to /mnt/docs/to, and the place of its file there. */
const WAYS: readonly [name: string, command: string, path?: string][] = [
  ['a write', 'cat /mnt/mem/f > /mnt/docs/to'],
  ['a copy', 'cp /mnt/mem/f /mnt/docs/to'],
  ['a copy of a tree', 'cp -r /mnt/mem/d /mnt/docs/to', '/mnt/docs/to/x'],
  ['a move over mounts', 'mv /mnt/mem/f /mnt/docs/to'],
  ['a move of a tree over mounts', 'mv /mnt/mem/d /mnt/docs/to', '/mnt/docs/to/x'],
  ['a renaming', 'cp /mnt/docs/f /mnt/docs/g && mv /mnt/docs/f /mnt/docs/to'],
  ['a renaming over a file', 'echo x > /mnt/docs/to; mv /mnt/docs/f /mnt/docs/to'],
  ['a renaming of a directory', 'mv /mnt/docs/d /mnt/docs/to', '/mnt/docs/to/x'],
];

test('before a file gets to a path by any way, a hook sees its content, and what it gives back is there', async () => {
  const { world, seen } = hooked();
  for (const [name, command, path = '/mnt/docs/to'] of WAYS) {
    for (const content of ['a secret\n', 'plain\n']) {
      await plant(world, content);
      expect((await world.exec(command)).stderr, name).toBe('');
      expect((await world.exec(`cat ${path}`)).stdout, name).toBe(
        content.replace('secret', '[redacted]'),
      );
      expect(seen('before', path), name).toContain(content);
      await expect
        .poll(() => seen('after', path), { message: name })
        .toContain(content.replace('secret', '[redacted]'));
    }
  }
});

test('a hook that blocks a content blocks it by every way, and leaves both ends as they were', async () => {
  const { world } = hooked();
  for (const [name, command, path = '/mnt/docs/to'] of WAYS) {
    await plant(world, 'forbidden\n');
    const { exitCode, stderr } = await world.exec(command);
    expect([name, exitCode, stderr]).toEqual([
      name,
      1,
      expect.stringContaining('this must not be written'),
    ]);
    expect((await world.exec(`cat ${path}`)).stdout, name).not.toContain('forbidden');
    expect((await world.exec('cat /mnt/mem/f /mnt/mem/d/x')).stdout, name).toBe(
      'forbidden\nforbidden\n',
    );
  }
});

test('a second name is refused where a hook would have other content under it', async () => {
  const { world } = hooked();
  await plant(world, 'a secret\n');
  const { exitCode, stderr } = await world.exec('ln /mnt/docs/f /mnt/docs/to');
  expect([exitCode, stderr]).toEqual([1, expect.stringContaining('copy it')]);
  await plant(world, 'plain\n');
  expect((await world.exec('ln /mnt/docs/f /mnt/docs/to')).exitCode).toBe(0);
});

test('a person is asked about what the hooks left of a move, and that is what is written', async () => {
  const { world } = hooked(
    'sandbox: full\nrules: [{decision: ask, op: change, path: "/mnt/docs/**"}]\n',
  );
  await plant(world, 'a secret\n');
  const command = 'mv /mnt/mem/f /mnt/docs/to';
  expect((await world.exec(command)).exitCode).toBe(1);
  const [asked] = await world.approvals.list('pending');
  expect(asked?.change).toContain('+a [redacted]');
  await world.approvals.answer(asked?.id ?? '', { decision: 'allow' });
  expect((await world.exec(command)).stderr).toBe('');
  expect((await world.exec('cat /mnt/docs/to')).stdout).toBe('a [redacted]\n');
});

/** The files that are copied and moved, with a content. */
async function plant({ exec, fs }: World, content: string): Promise<void> {
  await exec('rm -rf /mnt/docs/* /mnt/mem/*; mkdir /mnt/docs/d /mnt/mem/d', {
    context: { origin: 'host' },
  });
  for (const path of ['/mnt/docs/f', '/mnt/mem/f', '/mnt/docs/d/x', '/mnt/mem/d/x'])
    await fs.writeFile(path, content);
}
