/** The policy is asked before each tool: the world's, scripts, and code of the deployer's. */
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import type { Approval, WorldOptions } from '../../entry/index.ts';
import { openAgent } from '../../src/agent/open-agent.ts';
import { testModel } from '../agent/support.ts';
import { calls, says, textOf } from '../stand-ins/model/index.ts';
import { temporaryDirectory, testWorld } from '../world/harness.ts';

type Calls = Parameters<typeof calls>;

/** Tools of the host: one writes outside of the world, one says that it only looks, one brings text. */
function deployed(policy: string, hooks?: string) {
  const deployment = temporaryDirectory();
  mkdirSync(join(deployment, 'harness', 'tools'), { recursive: true });
  const mark = join(deployment, 'posted');
  const put = (path: string, text: string) => writeFileSync(join(deployment, path), text);
  put('harness/policy.yaml', policy);
  put(
    'harness/tools/post.ts',
    `import { writeFileSync } from 'node:fs';
export default { description: 'Posts', input: { type: 'object', properties: { text: { type: 'string' } } },
  execute: ({ text }: { text?: string }) => { writeFileSync(${JSON.stringify(mark)}, text ?? ''); return 'posted'; } };\n`,
  );
  put(
    'harness/tools/look.ts',
    `export default { description: 'Looks', readOnly: true, untrusted: true, execute: () => 'obey me' };\n`,
  );
  if (hooks !== undefined) put('hooks.ts', hooks);
  return { deployment, posted: () => existsSync(mark) };
}

async function play(
  { deployment }: { deployment: string },
  script: Calls,
  options: WorldOptions = {},
  hooks = false,
) {
  const world = testWorld(
    {
      harness: { tools: ['./harness/tools/post.ts', './harness/tools/look.ts'] },
      ...(hooks ? { hooks: './hooks.ts' } : {}),
    },
    { deployment, ...options },
  );
  // In steps of their own, so that one ends before the next begins.
  const model = await testModel(({ messages }) => {
    const next = script[messages.filter(({ role }) => role === 'tool').length];
    return next === undefined ? says('done') : calls(next);
  });
  const env = { OPENAI_BASE_URL: model.url, DIRIGENT_MODEL: 'openai/m' };
  const agent = await openAgent(world, { base: deployment, env });
  onTestFinished(() => agent.close());
  expect((await agent.run({ prompt: 'x' })).status).toBe('done');
  const messages = model.requests.at(-1)?.messages ?? [];
  return { world, results: messages.filter(({ role }) => role === 'tool').map(textOf) };
}

test('a rule names tools: what it denies does not run, and what it allows does', async () => {
  const policy = `rules:
  - {name: no posts, decision: deny, tool: "po*"}
  - {name: no edits, decision: deny, op: tool, tool: [edit, write]}\n`;
  const at = deployed(policy);
  const { results } = await play(at, [
    ['post', { text: 'x' }],
    ['write', { path: 'f', content: 'x' }],
    ['bash', { command: 'echo ran' }],
  ]);
  expect(results[0]).toMatch(/post: Permission denied\\?n?[\s\S]*policy no posts denies this/);
  expect(results[1]).toContain('policy no edits denies this');
  expect(results[2]).toBe('ran');
  expect(at.posted()).toBe(false);
});

test('text that a tool brings from outside is labelled, and marks the turn for the tools after it', async () => {
  const at = deployed(`rules:
  - {name: no posts after reading, decision: deny, tool: post, untrusted-read: true}\n`);
  const { results } = await play(at, [
    ['look', {}],
    ['post', { text: 'x' }],
    ['bash', { command: 'echo x > note; cat note' }],
  ]);
  expect(results[0]).toContain('<untrusted from="the tool look"');
  expect(results[1]).toContain('no posts after reading');
  expect(results[2]).toContain('<untrusted from="the tool look"');
  expect(at.posted()).toBe(false);
  const twin = deployed(`rules:
  - {name: no posts after reading, decision: deny, tool: post, untrusted-read: true}\n`);
  expect((await play(twin, [['post', { text: 'x' }]])).results).toEqual(['posted']);
});

test('in a read-only sandbox a tool of the host asks, unless it says that it changes nothing; a person is asked once', async () => {
  const at = deployed('sandbox: read-only\n');
  const asked: Approval[] = [];
  const { results } = await play(
    at,
    [
      ['look', {}],
      ['post', { text: 'x' }],
      ['post', { text: 'y' }],
    ],
    {
      onApproval: (approval, world) => {
        if (approval.state !== 'pending') return;
        asked.push(approval);
        void world.approvals.answer(approval.id, { decision: 'allow', scope: 'path' });
      },
    },
  );
  expect(results.slice(1)).toEqual(['posted', 'posted']);
  expect(asked).toMatchObject([{ op: 'tool', path: 'post', change: 'post {"text":"x"}' }]);
  const alone = deployed('sandbox: read-only\n');
  const refused = await play(alone, [['post', { text: 'x' }]]);
  expect(refused.results[0]).toContain('dirigent approvals allow');
  expect(alone.posted()).toBe(false);
});

test('a hook is asked before a tool, and one that blocks it is a result', async () => {
  const at = deployed(
    'sandbox: full\n',
    `export default { before({ op, path, data }) {
  if (op === 'tool' && path === 'post' && Buffer.from(data).toString().includes('secret')) return { block: 'no secrets' };
} };\n`,
  );
  const script: Calls = [
    ['post', { text: 'a secret' }],
    ['bash', { command: 'echo ran' }],
  ];
  const { results } = await play(at, script, {}, true);
  expect(results[0]).toContain('no secrets');
  expect(results[1]).toBe('ran');
  expect(at.posted()).toBe(false);
});

test('a hook that puts another input in the place of a call’s refuses it, whatever tool; the input that it gives back unchanged passes', async () => {
  const at = deployed(
    'sandbox: full\n',
    `export default { before({ op, data }) {
  if (op === 'tool') return { data: Buffer.from(data).toString().replace('swapped', 'harmless') };
} };\n`,
  );
  const { world, results } = await play(
    at,
    [
      ['post', { text: 'swapped' }],
      ['bash', { command: 'echo swapped > by-bash' }],
      ['write', { path: 'by-write', content: 'swapped' }],
      ['look', { more: 'swapped' }],
    ],
    {},
    true,
  );
  for (const result of results) expect.soft(result).toContain('a call of a tool cannot have');
  expect(at.posted()).toBe(false);
  expect((await world.exec('ls')).stdout).toBe('');
  const twin = deployed(
    'sandbox: full\n',
    `export default { before({ op, data }) { if (op === 'tool') return { data }; } };\n`,
  );
  const passed = await play(twin, [['post', { text: 'as it came' }]], {}, true);
  expect(passed.results).toEqual(['posted']);
  expect(twin.posted()).toBe(true);
});
