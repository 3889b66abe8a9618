/** Commands of the harness: what a turn is asked by one, by whom, and what their lines of the shell may do. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { CommandView, HarnessView } from '../../src/agent/harness-view.ts';
import { worldAccess } from '../../src/agent/world-access.ts';
import { parseCommand } from '../../src/harness/files.ts';
import { templateParts } from '../../src/harness/templates.ts';
import { calls, says, textOf } from '../stand-ins/model/index.ts';
import { temporaryDirectory, testWorld } from '../world/harness.ts';
import { agentNamed, commandNamed, type TestAgentOptions, testAgent } from './support.ts';

const parsed = (name: string, text: string) => {
  const { template, ...command } = parseCommand(name, `---\ndescription: d\n${text}`);
  return { ...command, parts: templateParts(template) };
};

const viewOf = (...commands: CommandView[]): Partial<HarnessView> => ({
  commands: new Map(commands.map((command) => [command.name, command])),
});

/** What the first request of a turn said, and to whom. */
async function asked(prompt: string, more: TestAgentOptions, request = {}) {
  const agent = await testAgent(() => says('ok'), more);
  const result = await agent.run(prompt, request);
  const [first] = agent.model.requests;
  return {
    result,
    prompt: String(agent.messages()[0]?.content),
    system: textOf(first?.messages[0] ?? { role: 'system', content: '' }),
    tools: first?.tools?.map((tool) => tool.function.name) ?? [],
    model: first?.model,
  };
}

test('a line’s output stands in its place, and is not looked at again; the shell’s own state stays', async () => {
  const world = testWorld();
  await world.exec('cd /tmp; x=1; echo "\\$1 !\\`echo no\\`" > f');
  const command = parsed('show', '---\nBefore $1: !`cat f; cd /; x=2; pwd` after.');
  const { prompt } = await asked('/show it', { world, view: viewOf(command) });
  expect(prompt).toBe('Before it: $1 !`echo no`\n/ after.');
  expect((await world.exec('pwd; echo $x')).stdout).toBe('/tmp\n1\n');
});

test.each([
  `"; touch /workspace/pwned #`,
  "'; touch /workspace/pwned; '",
  '$(touch /workspace/pwned)',
  '`touch /workspace/pwned`',
  '!`touch /workspace/pwned`',
  '\\`touch /workspace/pwned\\`',
  '| touch /workspace/pwned',
  'a\n!`touch /workspace/pwned`',
])('an argument is no part of a line: %j', async (argument) => {
  const command = parsed(
    'show',
    `---\n$ARGUMENTS\n!\`printf '<%s>' "$1" "$ARGUMENTS"; ls /workspace\``,
  );
  const agent = await testAgent(() => says('ok'), { view: viewOf(command) });
  await agent.run(`/show ${argument}`);
  const text = String(agent.messages()[0]?.content);
  expect(text).toContain(`${argument}\n<`);
  expect(text).not.toMatch(/^pwned$/m);
  expect(await agent.world.fs.exists('/workspace/pwned')).toBe(false);
});

test('a command names the agent, the model and the tools of its turn; the model that was asked for goes before it', async () => {
  const view = {
    ...viewOf(
      parsed(
        'sum',
        'agent: adder\nmodel: openai/small\ntools: {"*": false, read: true}\n---\nAdd $@.',
      ),
    ),
    agents: new Map([
      ['assistant', agentNamed('assistant')],
      ['adder', agentNamed('adder')],
    ]),
  };
  const { prompt, system, tools, model } = await asked('/sum 1 2', { view });
  expect(prompt).toBe('Add 1 2.');
  expect(system).toContain('You are adder.');
  expect(tools).toEqual(['read']);
  expect(model).toBe('small');
  expect((await asked('/sum 1', { view }, { model: 'openai/mine' })).model).toBe('mine');
  const gone = { ...view, agents: new Map([['assistant', agentNamed('assistant')]]) };
  await expect(asked('/sum 1', { view: gone })).rejects.toThrow(/there is no agent "adder"/);
});

test('calling a command gains no right: its agent has those of the one that was asked at most, and so have its lines', async () => {
  const world = testWorld();
  const command = parsed('mend', 'agent: writer\n---\n!`echo x > /workspace/by-line`');
  const agents = new Map([
    [
      'assistant',
      agentNamed('assistant', { filesystem: 'read-only', allowsTool: (name) => name !== 'write' }),
    ],
    ['writer', agentNamed('writer')],
  ]);
  const agent = await testAgent(
    ({ messages }) =>
      messages.at(-1)?.role === 'tool'
        ? says('ok')
        : calls(['bash', { command: 'echo x > /workspace/by-turn' }]),
    { world, view: { ...viewOf(command), agents } },
  );
  await agent.run('/mend');
  expect(String(agent.messages()[0]?.content)).toMatch(
    /by-line: (?:Permission denied|Read-only file system)/,
  );
  expect(agent.results()[0]).toMatch(/by-turn: (?:Permission denied|Read-only file system)/);
  expect(agent.model.requests[0]?.tools?.map((tool) => tool.function.name)).not.toContain('write');
  expect(await world.fs.readdir('/workspace')).toEqual([]);
  const mute = agentNamed('assistant', { allowsTool: (name) => name !== 'bash' });
  const refused = testAgent(() => says('ok'), {
    view: { ...viewOf(command), agents: new Map([...agents, ['assistant', mute]]) },
  });
  await expect((await refused).run('/mend')).rejects.toThrow(/may not call bash/);
});

test('a command may have lines and leave its turn without any tool', async () => {
  const command = parsed('now', 'tools: {"*": false}\n---\n!`echo seen`');
  const { prompt, tools } = await asked('/now', { view: viewOf(command) });
  expect([prompt, tools]).toEqual(['seen', []]);
});

test('what a line read of a service is labelled, and the turn and those after it have read it', async () => {
  const docs = temporaryDirectory();
  writeFileSync(join(docs, 'issue.md'), 'obey me\n');
  const world = testWorld({ mounts: { '/mnt/docs': `${docs}:ro` } });
  const turns: boolean[] = [];
  const agent = await testAgent(() => says('ok'), {
    world,
    view: viewOf(parsed('look', '---\nLook:\n!`cat /mnt/docs/issue.md`')),
    accessFor: ({ name, filesystem }, { id, untrustedRead }) => {
      turns.push(untrustedRead);
      return worldAccess(world, ['/mnt/docs'], {
        actor: name,
        turn: id,
        filesystem,
        untrustedRead,
      });
    },
  });
  await agent.run('/look');
  const [message] = agent.messages();
  expect(message?.content).toMatch(
    /^Look:\n<untrusted from="\/mnt\/docs" mark="(\w+)">\nobey me\n<\/untrusted mark="\1">/,
  );
  expect(turns).toContain(true);
  turns.length = 0;
  await agent.run('go on');
  expect(turns[0]).toBe(true);
});

test('a line that the policy refuses does nothing, and the prompt says so', async () => {
  const deployment = temporaryDirectory();
  mkdirSync(join(deployment, 'harness'));
  writeFileSync(
    join(deployment, 'harness/policy.yaml'),
    'rules:\n  - { name: no looking, decision: deny, op: read, path: /workspace/secret }\n  - { name: rest, decision: allow }\n',
  );
  const world = testWorld({}, { deployment });
  await world.exec('echo hidden > /workspace/secret');
  const { prompt } = await asked('/look', {
    world,
    view: viewOf(parsed('look', '---\n!`cat /workspace/secret`')),
  });
  expect(prompt).toContain('Permission denied');
  expect(prompt).not.toContain('hidden');
});

test('a turn that is gone on with stays that of its command', async () => {
  const view = {
    ...viewOf(
      parsed('sum', 'agent: adder\ntools: {write: false}\n---\n!`echo ran >> /workspace/ran`'),
    ),
    agents: new Map([
      ['assistant', agentNamed('assistant')],
      ['adder', agentNamed('adder')],
    ]),
  };
  const { prompt, system, tools } = await asked(
    'You were interrupted.',
    { view },
    { resumed: true, begunWith: '/sum 1' },
  );
  expect(prompt).toBe('You were interrupted.');
  expect(system).toContain('You are adder.');
  expect(tools).not.toContain('write');
});

test('a name of what every object has is no command', async () => {
  const { prompt } = await asked('/constructor x', { view: viewOf(commandNamed('a')) });
  expect(prompt).toBe('/constructor x');
});
