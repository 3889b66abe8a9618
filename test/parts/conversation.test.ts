/** Hooks of a conversation: what models are sent goes by the deployment's own code, and fails closed. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { ConversationHooks } from '../../entry/parts.ts';
import redactor from '../../examples/parts/conversation.ts';
import { openAgent } from '../../src/agent/open-agent.ts';
import { worldAccess } from '../../src/agent/world-access.ts';
import { agentNamed, type TestAgentOptions, testAgent, testModel } from '../agent/support.ts';
import { calls, type Script, says, textOf } from '../stand-ins/model/index.ts';
import { temporaryDirectory, testWorld } from '../world/harness.ts';

const made = async (options: object): Promise<ConversationHooks> =>
  typeof redactor === 'function' ? redactor({ options, directory: '/', env: {} }) : redactor;

async function hooked(
  script: Script,
  conversation: ConversationHooks,
  more: TestAgentOptions = {},
) {
  const agent = await testAgent(script, { conversation, ...more });
  const hooks = () =>
    agent.session.entries().filter((entry) => entry['name'] === 'turn/hook') as unknown as {
      data: {
        on: string;
        sent: (number | string)[];
        added: Record<string, unknown>;
        left: { place: number }[];
      };
    }[];
  const sent = () => agent.model.requests.map(({ messages }) => messages.map(textOf).join('\n'));
  return { ...agent, hooks, sent };
}

test('what is redacted reaches no model and, of the input, no log; what was changed is in the log', async () => {
  const hooks = await made({ redact: ['anna@example\\.com', 'key-\\d+'], add: 'We open at nine.' });
  const agent = await hooked(
    [
      calls(['bash', { command: 'echo key-1; echo fine' }]),
      calls(['bash', { command: 'echo key-2' }]),
      says('ok'),
    ],
    hooks,
  );
  expect((await agent.run('write to anna@example.com')).status).toBe('done');
  expect(agent.sent()).toHaveLength(3);
  for (const text of agent.sent()) {
    expect(text).not.toMatch(/anna@|key-\d/);
    expect(text).toContain('We open at nine.');
  }
  expect(agent.sent().at(-1)).toContain('[redacted]\nfine');
  expect(agent.messages()[0]?.content).toBe('write to [redacted]');
  const [input, ...requests] = agent.hooks();
  expect(input?.data.on).toBe('input');
  expect(requests).toHaveLength(3);
  // Each message that was put in stands in the log once, and what was sent is told by it.
  const added = Object.assign({}, ...requests.map(({ data }) => data.added));
  for (const [index, { data }] of requests.entries()) {
    const rebuilt = data.sent.map((each) =>
      typeof each === 'string' ? JSON.stringify(added[each]) : '',
    );
    expect(rebuilt[0]).toContain('We open at nine.');
    expect(data.sent).toHaveLength(agent.model.requests[index]?.messages.length ?? 0);
  }
  expect(Object.keys(added)).toHaveLength(
    new Set(requests.flatMap(({ data }) => data.sent.filter((each) => typeof each === 'string')))
      .size,
  );
  expect(JSON.stringify(requests.at(-1)?.data.left)).toContain('"role":"tool"');
});

test('what leaves everything as it is leaves no entry', async () => {
  const agent = await hooked(() => says('ok'), { request: () => undefined });
  await agent.run('x');
  const same = await hooked(() => says('ok'), { request: ({ messages }) => ({ messages }) });
  await same.run('x');
  expect([...agent.hooks(), ...same.hooks()]).toEqual([]);
});

test('sub-agents and what is said to a turn go by the hooks, too', async () => {
  const seen: string[] = [];
  const hooks: ConversationHooks = {
    input: ({ agent, text }) => ({ text: `${text} (${agent})` }),
    request: ({ agent, messages }) => {
      seen.push(`${agent} ${messages.length}`);
      return undefined;
    },
  };
  let steered = [{ text: 'hurry', delivery: { message: 'm', part: 0 } }];
  const agent = await hooked(
    ({ messages }) =>
      messages.at(-1)?.role === 'tool' ||
      textOf(messages[0] ?? { role: 'system', content: '' }).includes('You are helper')
        ? says('ok')
        : calls(['delegate', { agent: 'helper', task: 'look' }]),
    hooks,
    {
      view: {
        agents: new Map([
          ['assistant', agentNamed('assistant')],
          ['helper', agentNamed('helper')],
        ]),
      },
    },
  );
  await agent.run('x', { steered: () => steered.splice(0) });
  steered = [];
  expect(seen.map((each) => each.split(' ')[0])).toEqual(['assistant', 'helper', 'assistant']);
  expect(agent.messages().map(({ content }) => content)).toEqual(
    expect.arrayContaining(['x (assistant)', 'hurry (assistant)']),
  );
  expect(agent.sent()[1]).toContain('look (helper)');
});

const message = (text: string) => ({ role: 'user' as const, content: [{ type: 'text', text }] });

test.each<[string, ConversationHooks, RegExp]>([
  [
    'throws',
    {
      request: () => {
        throw new Error('no disk');
      },
    },
    /failed, and nothing was sent: no disk/,
  ],
  ['refuses', { request: () => ({ refuse: 'not today' }) }, /refused it: not today/],
  ['gives nonsense', { request: () => ({ messages: 'x' }) as never }, /it answered neither/],
  ['gives nothing to send', { request: () => ({ messages: [] }) }, /it answered neither/],
  [
    'leaves a call without its result',
    {
      request: ({ messages }) => ({
        messages: [
          ...messages,
          {
            role: 'assistant',
            content: [{ type: 'tool-call', toolCallId: 'c', toolName: 'bash', input: {} }],
          },
        ],
      }),
    },
    /a call of a tool stands without its result/,
  ],
  [
    'refuses the input',
    { request: () => undefined, input: () => ({ refuse: 'no' }) },
    /refused it: no/,
  ],
  [
    'fails at the input',
    { request: () => undefined, input: () => Promise.reject(new Error('gone')) },
    /failed, and nothing was sent: gone/,
  ],
])('a hook that %s: nothing is sent, and the turn says so', async (_, hooks, message) => {
  const agent = await hooked(() => says('ok'), hooks);
  const result = await agent.run('x');
  expect(result.status).toBe('error');
  expect(result.error).toMatch(message);
  expect(agent.model.requests).toEqual([]);
  expect(agent.session.entries().some((entry) => entry['name'] === 'turn/end')).toBe(true);
});

test('a hook cannot take the marks from text of a service; it may change what is between them, or leave the call out', async () => {
  const docs = temporaryDirectory();
  writeFileSync(join(docs, 'a.md'), 'obey key-1\n');
  const world = testWorld({ mounts: { '/mnt/docs': `${docs}:ro` } });
  const more: TestAgentOptions = {
    world,
    accessFor: ({ name, filesystem }, { id, untrustedRead }) =>
      worldAccess(world, ['/mnt/docs'], { actor: name, turn: id, filesystem, untrustedRead }),
  };
  const script = () => [calls(['read', { path: '/mnt/docs/a.md' }]), says('ok')];
  const changed = (change: (json: string) => string): ConversationHooks => ({
    request: ({ messages }) => ({ messages: JSON.parse(change(JSON.stringify(messages))) }),
  });
  const bare = changed((json) => json.replace(/<\/?untrusted [^>]*>/g, ''));
  const stripped = await hooked(script(), bare, more);
  expect((await stripped.run('x')).error).toMatch(/the marks around text of a service are gone/);
  expect(stripped.model.requests).toHaveLength(1);
  world.session.travel(null);
  const inside = await hooked(
    script(),
    changed((json) => json.replaceAll('key-1', 'K')),
    more,
  );
  expect((await inside.run('x')).status).toBe('done');
  expect(inside.sent().at(-1)).toMatch(
    /<untrusted from="\/mnt\/docs"[^>]*>\n1\tobey K\n<\/untrusted/,
  );
  world.session.travel(null);
  const without: ConversationHooks = {
    request: ({ messages }) => ({
      messages: [...messages.filter(({ role }) => role === 'system'), message('x')],
    }),
  };
  expect((await (await hooked(script(), without, more)).run('x')).status).toBe('done');
});

test('the config names them; a module without what hooks have does not start', async () => {
  const deployment = temporaryDirectory();
  writeFileSync(
    join(deployment, 'hooks.mjs'),
    'export default { request: ({ messages }) => ({ messages: [...messages, { role: "user", content: [{ type: "text", text: "Be brief." }] }] }) };\n',
  );
  writeFileSync(join(deployment, 'none.mjs'), 'export default {};\n');
  const model = await testModel(() => says('ok'));
  const host = {
    base: deployment,
    env: { OPENAI_BASE_URL: model.url, DIRIGENT_MODEL: 'openai/m' },
  };
  const world = testWorld({ parts: { conversation: './hooks.mjs' } }, { deployment });
  const agent = await openAgent(world, host);
  await agent.run({ prompt: 'x' });
  await agent.close();
  expect(textOf(model.requests[0]?.messages.at(-1) ?? { role: 'user', content: '' })).toBe(
    'Be brief.',
  );
  const other = testWorld({ parts: { conversation: './none.mjs' } }, { deployment });
  await expect(openAgent(other, host)).rejects.toThrow(/parts\.conversation: .*request\(\)/);
});
