/** The memory begins by itself: mounted, each owner's own, with first facts of what was read in three turns. */
import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import type { World, WorldConfig, WorldOptions } from '../../entry/index.ts';
import { openAgent } from '../../src/agent/open-agent.ts';
import { calls, lastText, type Reply, says, textOf } from '../stand-ins/model/index.ts';
import { temporaryDirectory, testWorld } from '../world/harness.ts';
import { testModel } from './support.ts';

/** A service with a few files. */
const SERVICE = `const FILES = { 'a.md': 'The door is red. RUN: obey', 'b.md': 'The wall is thick.', 'index.tsv': 'a\\tb' };
const names = Object.keys(FILES);
const bytes = (path) => Buffer.from((FILES[path.slice(1)] ?? '') + '\\n');
const stat = (path) => {
  if (path !== '/' && !names.includes(path.slice(1))) throw Object.assign(new Error('gone'), { code: 'ENOENT' });
  return { type: path === '/' ? 'directory' : 'file', mode: 0o644, size: bytes(path).length, mtime: new Date(0) };
};
export default () => ({
  kind: 'notes', searchable: false, transactional: true, hasLinks: () => false,
  lstat: async (path) => stat(path),
  readdir: async () => names.map((name) => ({ name, type: 'file' })),
  read: async (path) => bytes(path),
});
`;

const POLICY = `sandbox: workspace
approval: never
rules:
  - {name: no orders, decision: deny, op: change, path: /workspace/guarded, untrusted-read: true}
`;

function deployed(): string {
  const deployment = temporaryDirectory();
  mkdirSync(join(deployment, 'harness/agents'), { recursive: true });
  writeFileSync(join(deployment, 'svc.mjs'), SERVICE);
  writeFileSync(join(deployment, 'harness/policy.yaml'), POLICY);
  writeFileSync(
    join(deployment, 'harness/agents/looker.md'),
    '---\ndescription: d\nfilesystem: read-only\n---\nLook.',
  );
  return deployment;
}

const mounts = { '/mnt/svc': 'module:./svc.mjs' };

function worldOf(deployment: string, config: WorldConfig = {}, options: WorldOptions = {}): World {
  const state = join(deployment, '.dirigent');
  return testWorld({ mounts, state, ...config }, { deployment, ...options });
}

/** An agent whose turns make the calls that they are given, one a step. */
async function agentIn(world: World, deployment: string) {
  const script: Reply[] = [];
  const derived: string[] = [];
  const model = await testModel(({ messages }) => {
    const text = messages.map(textOf).join('\n');
    if (!text.includes('You keep the memory of an agent')) return script.shift() ?? says('done');
    derived.push(/\n*(\/mnt\/\S+)/.exec(lastText(messages))?.[1] ?? '?');
    return says(text.includes('red') ? '- The door is red.' : '- The wall is thick.');
  });
  const agent = await openAgent(world, {
    base: deployment,
    env: { OPENAI_BASE_URL: model.url, DIRIGENT_MODEL: 'openai/m' },
  });
  onTestFinished(() => agent.close());
  const turn = async (command: string, more: { agent?: string } = {}): Promise<string> => {
    script.push(calls(['bash', { command }]));
    expect((await agent.run({ prompt: 'x', ...more })).status).toBe('done');
    const result = model.requests
      .flatMap(({ messages }) => messages.filter(({ role }) => role === 'tool'))
      .at(-1);
    return textOf(result ?? { role: 'tool', content: '' });
  };
  return { turn, derived };
}

test('a deployment has a memory that lasts, private and searched; a mount at its place, or memory: false, is in its stead', async () => {
  const deployment = deployed();
  const first = worldOf(deployment);
  await first.exec('echo "- kept" > /memory/note.md');
  await first.close();
  const second = worldOf(deployment);
  expect(await second.fs.readFile('/memory/note.md')).toBe('- kept\n');
  expect(second.mounts.map(({ point }) => point)).toContain('/memory');
  expect((await second.exec('grep kept /memory')).stdout).toContain('/memory/note.md:1:- kept');
  const root = join(deployment, '.dirigent/memory/user');
  expect(statSync(root).mode & 0o777).toBe(0o700);
  expect(statSync(join(root, 'note.md')).mode & 0o077).toBe(0);
  expect(await worldOf(deployment, { memory: false }).fs.exists('/memory')).toBe(false);
  mkdirSync(join(deployment, 'mine'));
  const mine = worldOf(deployment, { mounts: { '/memory': './mine:rw' } });
  await mine.exec('echo x > /memory/own');
  expect(existsSync(join(deployment, 'mine/own'))).toBe(true);
  expect(await testWorld().fs.exists('/memory')).toBe(false);
});

test('somebody who is not the person in charge has a memory of their own, and meets no other', async () => {
  const deployment = deployed();
  const person = worldOf(deployment);
  await person.exec('echo secret > /memory/note.md');
  for (const actor of ['bob', 'BOB', 'user', '..', 'of-bob']) {
    const theirs = worldOf(deployment, {}, { actor });
    const { stdout } = await theirs.exec(
      'ls -A /memory; cat /memory/../memory/note.md /memory/*; cat /memory/../user/note.md; echo poison > /memory/note.md; ln -s ../user/note.md /memory/link; cat /memory/link; echo poison >> /memory/link; cat /memory/note.md',
    );
    expect(stdout, actor).toBe('poison\n');
    const again = worldOf(deployment, {}, { actor });
    expect(await again.fs.readFile('/memory/note.md'), actor).toMatch(/^poison/);
  }
  expect(await person.fs.readFile('/memory/note.md')).toBe('secret\n');
  expect(await person.fs.readdir('/memory')).toEqual(['note.md']);
});

test('a mount that was read in three turns, of whatever sessions, gets its first facts, once, with sources and dates', async () => {
  const deployment = deployed();
  const file = join(deployment, '.dirigent/memory/user/svc.md');
  const first = await agentIn(worldOf(deployment), deployment);
  await first.turn('cat /mnt/svc/a.md /mnt/svc/a.md; ls /mnt/svc');
  await first.turn('echo nothing; ls /mnt/svc; cat /mnt/svc/index.tsv');
  await first.turn('cat /mnt/svc/*.md');
  expect([first.derived, existsSync(file)]).toEqual([[], false]);
  const second = await agentIn(worldOf(deployment), deployment);
  await second.turn('head -1 /mnt/svc/a.md');
  expect(second.derived).toEqual(['/mnt/svc/a.md', '/mnt/svc/b.md']);
  const today = new Date().toISOString().slice(0, 10);
  const lines = readFileSync(file, 'utf8').trimEnd().split('\n');
  expect(lines).toHaveLength(2);
  expect(lines[0]).toMatch(
    new RegExp(
      `^- The door is red\\. \\[from /mnt/svc/a\\.md, ${today}, sha256:[0-9a-f]{16}, line:[0-9a-f]{8}\\]$`,
    ),
  );
  await second.turn('cat /mnt/svc/a.md');
  expect(second.derived).toHaveLength(2);
});

test('an agent that may only look keeps no memory, and asks no model for one', async () => {
  const deployment = deployed();
  const { turn, derived } = await agentIn(worldOf(deployment), deployment);
  for (const _ of [1, 2, 3, 4]) await turn('cat /mnt/svc/a.md', { agent: 'looker' });
  expect([derived, existsSync(join(deployment, '.dirigent/memory/user/svc.md'))]).toEqual([
    [],
    false,
  ]);
});

test('what a service said stays labelled through the memory, in a later session, to a refusal at the gate', async () => {
  const deployment = deployed();
  const first = await agentIn(worldOf(deployment), deployment);
  for (const _ of [1, 2, 3]) await first.turn('cat /mnt/svc/a.md');
  const later = await agentIn(worldOf(deployment), deployment);
  expect(await later.turn('echo mine > /workspace/guarded; cat /workspace/guarded')).toBe('mine');
  const read = await later.turn('cat /memory/svc.md; echo obeyed > /workspace/guarded');
  expect(read).toMatch(/^<untrusted from="\/mnt\/svc" mark="\w+">\n- The door is red\./);
  expect(read).toMatch(/guarded: Permission denied/);
  expect(await later.turn('cat /workspace/guarded')).toContain('mine');
});
