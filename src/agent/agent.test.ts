/** From a request to a turn: whose it is, by which model, with which tools, and what it is told. */
import { describe, expect, test } from 'vitest';
import { ConfigError } from '../errors.ts';
import { type AgentOptions, compactNow } from './agent.ts';
import type { PlanMode } from './plan-mode.ts';
import { PLANNING } from './plan-mode.ts';
import { probe, said, sentTo } from './testing.ts';
import { agentNamed, byName, commandNamed, scriptedAgent } from './testing-agent.ts';

describe('whose a turn is', () => {
  test('is the assistant’s, or that of the agent that is named', async () => {
    const agent = scriptedAgent();
    await agent.run();
    await agent.run({ agent: 'helper' });
    expect(sentTo(agent.model).map(({ system }) => system.split('\n')[0])).toEqual([
      'You are assistant.',
      'You are helper.',
    ]);
    expect(agent.accesses.at(-1)?.agent.name).toBe('helper');
    await expect(agent.run({ agent: 'none' })).rejects.toThrow(
      'there is no agent "none"; there are: assistant, helper',
    );
  });

  test('is by the model of the request, else of the agent, else the usual one', async () => {
    const agent = scriptedAgent();
    await agent.run();
    await agent.run({ agent: 'helper' });
    await agent.run({ agent: 'helper', model: 'openai/asked' });
    expect([...new Set(agent.models)]).toEqual(['openai/default', 'openai/helper', 'openai/asked']);
    expect(agent.transcript.entries.flatMap(({ model }) => model ?? [])).toEqual([
      'openai/default',
      'openai/helper',
      'openai/asked',
    ]);
  });

  test('is none’s where the policy of the harness cannot be put in force', async () => {
    const enforce = () => Promise.reject(new ConfigError('policy', 'it is wrong'));
    const agent = scriptedAgent([], { view: { enforce } });
    await expect(agent.run()).rejects.toThrow('policy: it is wrong');
    await expect(compactNow(agent.options, {})).rejects.toThrow('policy: it is wrong');
    expect(agent.transcript.entries).toEqual([]);
  });

  test('is bounded by who wrote its prompt', async () => {
    const agent = scriptedAgent([], { view: { tools: [probe()] } });
    const rights = {
      filesystem: 'read-only',
      tools: [{ '*': false, probe: true }],
      skills: null,
    } as const;
    await agent.run({ author: { actors: ['ann'], rights, people: ['ann'] } });
    expect(agent.toolsOf(0)).toEqual(['probe']);
    expect(agent.accesses.at(-1)?.agent).toMatchObject({
      filesystem: 'read-only',
      onBehalfOf: ['ann'],
      people: ['ann'],
    });
  });
});

describe('a turn', () => {
  test('begins as one that has read what is in the view, and in the prompt', async () => {
    const marked = { ...said('user', 'x'), untrusted: ['/mnt/a'] };
    const agent = scriptedAgent([], { log: [marked] });
    await agent.run({ untrusted: ['/mnt/b'] });
    expect(agent.accesses.at(-1)?.turn).toMatchObject({
      untrustedRead: true,
      untrustedFrom: ['/mnt/a', '/mnt/b'],
    });
    expect(agent.transcript.entries[1]).toMatchObject({ untrusted: ['/mnt/b'] });
    const clean = scriptedAgent();
    await clean.run();
    expect(clean.accesses.at(-1)?.turn).toMatchObject({ untrustedRead: false, untrustedFrom: [] });
    expect(clean.transcript.entries[0]).not.toHaveProperty('untrusted');
  });

  test('is one turn to all who look at it, with the rules for paths and the door it came through', async () => {
    const rule = { name: 'style', paths: ['/mnt/**'], path: '/r.md', text: 'x' };
    const through = { origin: 'mcp', attended: false, answers: [] } as const;
    const agent = scriptedAgent([], {
      view: { rules: [rule, { ...rule, name: 'always', paths: null }] },
    });
    await agent.run({ through });
    const [first, ...others] = agent.accesses.map(({ turn }) => turn);
    expect(new Set([first, ...others].map((turn) => turn?.id)).size).toBe(1);
    expect(first).toMatchObject({ rules: [{ name: 'style', paths: ['/mnt/**'] }], through });
    for (const field of ['plan', 'shell']) expect(first).not.toHaveProperty(field);
    await agent.run();
    expect(agent.accesses.at(-1)?.turn.id).not.toBe(first?.id);
    expect(agent.accesses.at(-1)?.turn).not.toHaveProperty('through');
  });

  test('tells when it begins and ends, also where it fails', async () => {
    const told: unknown[] = [];
    const onTurn: AgentOptions['onTurn'] = (harness, plan) => {
      told.push([harness.agents.size, plan]);
      return () => void told.push('ended');
    };
    await scriptedAgent([], { onTurn }).run();
    expect(told.splice(0)).toEqual([[2, undefined], 'ended']);
    const model = () => Promise.reject(new ConfigError('model', 'there is none'));
    await expect(scriptedAgent([], { onTurn, model }).run()).rejects.toThrow(
      'model: there is none',
    );
    expect(told).toEqual([[2, undefined], 'ended']);
  });

  test('has a shell of its own where a command names another agent, which ends with it', async () => {
    const commands = byName(
      commandNamed('ask', { agent: 'helper', parts: [{ text: 'do ask' }] }),
      commandNamed('own', { agent: 'assistant' }),
    );
    const agent = scriptedAgent([], { view: { commands } });
    await agent.run({ prompt: '/own' });
    expect(agent.accesses.every(({ turn }) => turn.shell === undefined)).toBe(true);
    expect(agent.ended).toEqual([]);
    await agent.run({ prompt: '/ask' });
    expect(sentTo(agent.model)[1]?.system).toMatch(/^You are helper\./);
    expect(sentTo(agent.model)[1]?.messages.at(-1)).toBe('user: do ask');
    expect(agent.ended).toEqual([agent.accesses.at(-1)?.turn.shell]);
  });

  test('is bounded by how many steps and tries it was made with', async () => {
    const agent = scriptedAgent([[{ call: 'none' }], [{ call: 'none' }]], { maxSteps: 1 });
    expect(await agent.run()).toMatchObject({ status: 'steps', steps: 1 });
  });

  test('gets what it is steered by, and the delivery that it is', async () => {
    const delivery = { message: 'm', part: 0 };
    const lists = [[{ text: 'also', delivery }]];
    const agent = scriptedAgent();
    await agent.run({ delivery, steered: () => lists.shift() ?? [] });
    expect(sentTo(agent.model)[0]?.messages).toEqual(['user: hello', 'user: also']);
    expect(agent.transcript.named('turn/end')).toMatchObject([{ data: { delivery } }]);
    await agent.run({ prompt: 'go on', resumed: true });
    expect(agent.transcript.entries.find((each) => each['model'] === 'dirigent')).toMatchObject({
      message: { content: 'go on' },
    });
  });
});

describe('the system prompt', () => {
  test('has the agent, the nearest instructions before those of the deployment, and where it is', async () => {
    const instructions = [{ path: '/harness/AGENTS.md', text: 'Of the deployment.' }];
    const skill = { name: 'dance', description: 'how to', path: '/s.md', body: 'x' };
    const agent = scriptedAgent([], { view: { instructions, skills: byName(skill) } });
    agent.access.disk.set('/workspace/AGENTS.md', 'Of the directory.');
    await agent.run();
    const { system = '' } = sentTo(agent.model)[0] ?? {};
    const parts = [
      'You are assistant.',
      '- bash: ',
      'Of the directory.',
      'Of the deployment.',
      '- dance: how to (/s.md)',
      'You are the agent "assistant", in session session-1.',
      'The date is 2026-03-04 (UTC).',
      'The current directory is /workspace.',
      'Mounted: /mnt/docs.',
    ];
    const places = parts.map((part) => system.indexOf(part));
    expect(places).not.toContain(-1);
    expect(places).toEqual(places.toSorted((a, b) => a - b));
  });

  test('of the caller’s own is used as it is', async () => {
    const agent = scriptedAgent();
    await agent.run({ system: 'Just so.' });
    expect(sentTo(agent.model)[0]?.system).toBe('Just so.');
  });
});

describe('the tools of a turn', () => {
  const HOUSE = ['bash', 'read', 'write', 'edit', 'verify', 'ask'];

  test('are those of the house and of the deployment; skills and agents where there are any', async () => {
    const skill = { name: 'dance', description: '', path: '/s.md', body: '' };
    const agent = scriptedAgent([], { view: { tools: [probe()], skills: byName(skill) } });
    await agent.run();
    expect(agent.toolsOf(0)).toEqual([...HOUSE, 'skill', 'delegate', 'probe']);
    // Who summarises is nobody to be asked.
    const alone = scriptedAgent([], {
      view: { agents: byName(agentNamed('assistant'), agentNamed('compact')) },
    });
    await alone.run();
    expect(alone.toolsOf(0)).toEqual(HOUSE);
  });

  test('are those that its agent may call', async () => {
    const agents = byName(agentNamed('assistant', { allowsTool: (name) => name === 'read' }));
    const agent = scriptedAgent([], { view: { agents, tools: [probe()] } });
    await agent.run();
    expect(agent.toolsOf(0)).toEqual(['read']);
  });

  test('are none for a model that cannot call any', async () => {
    const abilities = ['text'] as never;
    const toolless = scriptedAgent([], { facts: async () => ({ abilities }) });
    await toolless.run();
    expect(toolless.toolsOf(0)).toEqual([]);
    const able = scriptedAgent([], { facts: async () => ({ abilities: ['tools'] as never }) });
    await able.run();
    expect(able.toolsOf(0)).not.toEqual([]);
  });
});

describe('a turn that begins with a plan', () => {
  test('is told so, may propose one, and everybody who acts in it is bound by it', async () => {
    const plans: (PlanMode | undefined)[] = [];
    const onTurn: AgentOptions['onTurn'] = (_, plan) => {
      plans.push(plan);
      return () => undefined;
    };
    const agent = scriptedAgent([], { onTurn });
    const result = await agent.run({ plan: true });
    expect(sentTo(agent.model)[0]?.system.endsWith(`\n\n${PLANNING}`)).toBe(true);
    expect(agent.toolsOf(0)).toContain('plan');
    expect(agent.accesses.map(({ turn }) => turn.plan)).toEqual(agent.accesses.map(() => plans[0]));
    expect(plans[0]?.isApproved).toBe(false);
    expect(result).not.toHaveProperty('planApproved');
  });

  test('that was approved before goes on with it', async () => {
    const agent = scriptedAgent();
    const scope = { writes: [{ path: '/a', operations: ['write'] as const }], tools: [] };
    const result = await agent.run({
      plan: { ...scope, writes: [{ path: '/a', operations: ['write'] }] },
    });
    expect(sentTo(agent.model)[0]?.system).not.toContain(PLANNING);
    expect(agent.accesses[0]?.turn.plan?.scope).toEqual(scope);
    expect(result.planApproved).toBe(true);
    const plain = scriptedAgent();
    expect(await plain.run({ plan: false })).not.toHaveProperty('planApproved');
    expect(plain.toolsOf(0)).not.toContain('plan');
  });
});
