/**
 * What an agent may not write through the shell, it cannot through a sub-agent
 * either; each refusal is in the log, and each twin succeeds. The other doors
 * are columns of test/attacks.
 */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Client, InMemoryTransport } from '@modelcontextprotocol/client';
import { expect, test } from 'vitest';
import { openAgent } from '../../src/agent/open-agent.ts';
import { enterClient } from '../../src/doors/mcp/client.ts';
import { createMcpServer } from '../../src/doors/mcp/server.ts';
import { testModel } from '../agent/support.ts';
import { ASSISTANT, serving, testDoorway } from '../mcp/support.ts';
import { calls, says } from '../stand-ins/model/index.ts';
import { temporaryDirectory, testWorld } from '../world/harness.ts';

type Call = Parameters<typeof calls>[number];

const write = (path: string): Call => ['write', { path, content: 'x' }];
const bash = (command: string): Call => ['bash', { command }];

/** Each an attempt, and the same thing where it is allowed. */
const ATTEMPTS: readonly [attempt: Call, twin: Call][] = [
  [write('/harness/AGENTS.md'), write('/workspace/AGENTS.md')],
  [write('/harness/proposals/../policy.yaml'), write('/harness/proposals/policy.yaml')],
  [write('/workspace/way/AGENTS.md'), write('/workspace/there/AGENTS.md')],
  [['edit', { path: '/harness/AGENTS.md', old: '#x', new: '#y' }], write('/workspace/note.md')],
  [write('/session/log.jsonl'), write('/workspace/log.jsonl')],
  [write('/session/approvals/x.md'), write('/workspace/x.md')],
  [write('/mnt/ro/a.md'), write('/workspace/a.md')],
  [write('/bin/grep'), write('/workspace/grep')],
  [write('/etc/passwd'), write('/tmp/passwd')],
  [bash('echo x > /harness/policy.yaml'), bash('echo x > /workspace/policy.yaml')],
  [bash('cd /workspace/way && echo x > anything'), bash('cd /workspace/there && echo x > skills')],
  [bash('rm /bin/cat'), bash('cd /workspace; touch cat; rm cat')],
];

async function deployed() {
  const deployment = temporaryDirectory();
  for (const name of ['harness', 'harness/agents', 'ro']) mkdirSync(join(deployment, name));
  const put = (path: string, text: string) => writeFileSync(join(deployment, path), text);
  put('harness/policy.yaml', 'sandbox: workspace\napproval: never\nrules: []\n');
  put('harness/AGENTS.md', '#x\n');
  put(
    'harness/agents/doer.md',
    '---\ndescription: does\nfilesystem: read-write\n---\nYou are the doer.\n',
  );
  put(
    'harness/agents/looker.md',
    '---\ndescription: looks\nfilesystem: read-only\n---\nYou look.\n',
  );
  put('ro/a.md', 'a\n');
  const world = testWorld({ mounts: { '/mnt/ro': './ro:ro' } }, { deployment });
  await world.exec('ln -s /harness way; mkdir there');
  const kept = () =>
    ['harness/policy.yaml', 'harness/AGENTS.md', 'ro/a.md'].map((path) =>
      readFileSync(join(deployment, path), 'utf8'),
    );
  return { world, deployment, kept, before: kept() };
}

test.each([
  ['a read-write parent', 'assistant', true],
  ['a read-only parent, whose child may do no more', 'looker', false],
])(
  'C one gate, through a sub-agent of %s: every attempt is refused and in the log',
  async (_, parent, mayWrite) => {
    const { world, kept, before, deployment } = await deployed();
    const script = ATTEMPTS.flat();
    const results: string[] = [];
    const model = await testModel(({ messages }) => {
      const answers = messages.filter(({ role }) => role === 'tool');
      if (!String(messages[0]?.content).includes('You are the doer.'))
        return answers.length > 0
          ? says('done')
          : calls(['delegate', { agent: 'doer', task: 'try' }]);
      const last = answers.at(-1);
      if (last !== undefined) results.push(String(last.content));
      const next = script[answers.length];
      return next === undefined ? says('tried') : calls(next);
    });
    const env = { OPENAI_BASE_URL: model.url, DIRIGENT_MODEL: 'openai/m' };
    const agent = await openAgent(world, { base: deployment, env });
    expect((await agent.run({ prompt: 'x', agent: parent })).status).toBe('done');
    expect(results).toHaveLength(script.length);
    for (const [index, result] of results.entries()) {
      const what = `${JSON.stringify(script[index])}: ${result}`;
      const free = JSON.stringify(script[index]).match(/proposals\/policy|\/tmp\//) !== null;
      if (index % 2 === 0 || (!mayWrite && !free)) {
        expect.soft(result, what).toMatch(/permitted|denied|read-only/i);
      } else expect.soft(result, what).not.toMatch(/permitted|denied|exit status/i);
    }
    expect(kept()).toEqual(before);
    await agent.close();
  },
  60_000,
);

test('the calls of a client over MCP count together: in bulk, and for what they have read', async () => {
  const deployment = temporaryDirectory();
  for (const name of ['harness', 'docs']) mkdirSync(join(deployment, name));
  writeFileSync(
    join(deployment, 'harness', 'policy.yaml'),
    'sandbox: full\nrules: [{name: bulk, decision: deny, mount: /mnt/docs, op: change, bulk: 3}]\n',
  );
  writeFileSync(
    join(deployment, 'hooks.mjs'),
    'export default { before: () => new Promise((resolve) => setTimeout(resolve, 20)) };\n',
  );
  const { doorway } = testDoorway(
    { mounts: { '/mnt/docs': './docs:rw' }, hooks: './hooks.mjs' },
    deployment,
  );
  const connected = async (actor: string): Promise<Client> => {
    const entered = await enterClient(doorway, { ...ASSISTANT, actor });
    const server = createMcpServer(entered, serving(), 'none');
    const [near, far] = InMemoryTransport.createLinkedPair();
    const client = new Client({ name: 'test', version: '1' });
    await Promise.all([server.connect(near), client.connect(far)]);
    return client;
  };
  const first = await connected('assistant');
  const failed = async (name: string, input: Record<string, unknown>, client = first) =>
    (await client.callTool({ name, arguments: input })).isError === true;
  const put = (name: string, client = first) =>
    failed('write', { path: `/mnt/docs/${name}`, content: 'x' }, client);
  expect([await put('1'), await put('2'), await put('3'), await put('4')]).toEqual([
    false,
    false,
    false,
    true,
  ]);
  expect(await failed('bash', { command: 'echo x > /mnt/docs/5' })).toBe(true);
  // At the same time, no more get through than one after the other.
  const other = await connected('other');
  const many = Array.from({ length: 20 }, (_, index) => `many ${index}`);
  const results = await Promise.all(many.map((name) => put(name, other)));
  expect(results.filter((refused) => !refused)).toHaveLength(3);
  expect(await failed('write', { path: '/workspace/6', content: 'x' })).toBe(false);
});

test('what a sub-agent, or the agent of a command, leaves in a shell is run by nobody who has more rights', async () => {
  const { world, deployment } = await deployed();
  mkdirSync(join(deployment, 'harness/commands'));
  writeFileSync(
    join(deployment, 'harness/commands/look.md'),
    '---\ndescription: looks\nagent: looker\n---\nlook\n',
  );
  const trap = [
    'ls() { echo x > /workspace/trapped; }; alias cat="touch /workspace/trapped"; shopt -s expand_aliases',
    'declare -f ls > /dev/null && LEFT=left; cd /mnt/ro; trap "echo x > /workspace/trapped" EXIT DEBUG; set -f; umask 000',
    '[ "$LEFT" = left ] && [ "$PWD" = /mnt/ro ] && echo kept',
  ];
  const seen: string[] = [];
  const model = await testModel(({ messages }) => {
    const begun = messages.findLastIndex(({ role }) => role === 'user');
    const own = messages.slice(begun).filter(({ role }) => role === 'tool');
    const last = String(own.at(-1)?.content ?? '');
    if (String(messages[0]?.content).includes('You look.')) {
      const next = trap[own.length];
      return next === undefined ? says(last) : calls(bash(next));
    }
    const hands = JSON.stringify(messages[begun]?.content).includes('hand on');
    if (hands && own.length === 0) return calls(['delegate', { agent: 'looker', task: 'try' }]);
    if (hands && own.length === 1) seen.push(last);
    if (own.length < (hands ? 2 : 1))
      return calls(bash('ls / > /dev/null; cat /workspace/there/nothing; echo "[$LEFT] $PWD $-"'));
    seen.push(last);
    return says('done');
  });
  const env = { OPENAI_BASE_URL: model.url, DIRIGENT_MODEL: 'openai/m' };
  const agent = await openAgent(world, { base: deployment, env });
  await agent.run({ prompt: 'hand on' });
  expect(seen[0]).toContain('kept');
  expect((await agent.run({ prompt: '/look' })).text).toContain('kept');
  await agent.run({ prompt: 'go on' });
  expect(seen.slice(1).join()).toContain('[] /workspace');
  expect(seen.slice(1).join()).not.toMatch(/\[left\]|\/mnt\/ro/);
  expect(await world.fs.readdir('/workspace')).not.toContain('trapped');
  await agent.close();
});
