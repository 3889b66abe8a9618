/** From a request to a turn: whose it is, by which model, with what it is told, and what is done after it. */
import { describe, expect, test, vi } from 'vitest';
import { ConfigError } from '../errors.ts';
import type { EntryDraft } from '../session/entry.ts';
import {
  type AgentOptions,
  compactNow,
  type RunRequest,
  runAgent,
  type TurnContext,
} from './agent.ts';
import { CITING } from './citing.ts';
import { BUILTIN_EXTRACT } from './extract/model.ts';
import type { AgentView, CommandView, HarnessView } from './harness-view.ts';
import { Ledger } from './ledger.ts';
import type { Readings } from './memory/readings.ts';
import { PLANNING, type PlanMode } from './plan-mode.ts';
import { NO_REMINDER } from './reminder.ts';
import {
  type MemoryTranscript,
  memoryAccess,
  memoryTranscript,
  probe,
  type ScriptedReply,
  said,
  scriptedModel,
  sentTo,
} from './testing.ts';

function agentNamed(name: string, more: Partial<AgentView> = {}): AgentView {
  return {
    name,
    description: `the agent ${name}`,
    model: 'auto',
    prompt: `You are ${name}.`,
    allowsTool: () => true,
    filesystem: 'read-write',
    skills: null,
    ...more,
  };
}

const byName = <T extends { name: string }>(...all: T[]): Map<string, T> =>
  new Map(all.map((each) => [each.name, each]));

function harnessOf(more: Partial<HarnessView> = {}): HarnessView {
  return {
    agents: byName(agentNamed('assistant'), agentNamed('helper', { model: 'openai/helper' })),
    skills: new Map(),
    commands: new Map(),
    instructions: [],
    rules: [],
    tools: [],
    enforce: async () => undefined,
    ...more,
  };
}

const commandNamed = (name: string, more: Partial<CommandView> = {}): CommandView => ({
  name,
  description: '',
  arguments: '',
  parts: [{ text: `do ${name}` }],
  agent: null,
  model: null,
  tools: {},
  ...more,
});

/** Agents whose models all answer by one script. */
function open(
  replies: readonly ScriptedReply[] = [],
  more: Partial<AgentOptions> & { view?: Partial<HarnessView>; log?: readonly EntryDraft[] } = {},
) {
  const { view, log, ...rest } = more;
  const transcript = memoryTranscript(log);
  const model = scriptedModel(replies);
  const access = memoryAccess();
  const models: string[] = [];
  const accesses: { agent: AgentView; turn: TurnContext }[] = [];
  const delegated: { agent: string; call: string; transcript: MemoryTranscript }[] = [];
  const ended: string[] = [];
  const options: AgentOptions = {
    transcript,
    harness: async () => harnessOf(view),
    accessFor: (agent, turn) => {
      accesses.push({ agent, turn });
      return access;
    },
    transcriptFor: (agent, call) => {
      const transcript = memoryTranscript();
      delegated.push({ agent: agent.name, call, transcript });
      return transcript;
    },
    model: async (id) => {
      models.push(id);
      return model;
    },
    defaultModel: 'openai/default',
    mounts: ['/mnt/docs'],
    scheduled: async () => [],
    facts: async () => ({}),
    budget: { limits: {}, ledger: new Ledger(':memory:'), requests: () => 0 },
    endShell: (name) => void ended.push(name),
    now: () => new Date('2026-03-04T12:00:00Z'),
    maxRetries: 0,
    ...rest,
  };
  const run = (request: Partial<RunRequest> = {}) =>
    runAgent(options, { prompt: 'hello', ...request });
  const toolsOf = (call: number) =>
    (model.doStreamCalls[call]?.tools ?? []).map(({ name }) => name);
  return { transcript, model, access, models, accesses, delegated, ended, options, run, toolsOf };
}

describe('whose a turn is', () => {
  test('is the assistant’s, or that of the agent that is named', async () => {
    const agent = open();
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
    const agent = open();
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
    const agent = open([], { view: { enforce } });
    await expect(agent.run()).rejects.toThrow('policy: it is wrong');
    await expect(compactNow(agent.options, {})).rejects.toThrow('policy: it is wrong');
    expect(agent.transcript.entries).toEqual([]);
  });

  test('is bounded by who wrote its prompt', async () => {
    const agent = open([], { view: { tools: [probe()] } });
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
    const agent = open([], { log: [marked] });
    await agent.run({ untrusted: ['/mnt/b'] });
    expect(agent.accesses.at(-1)?.turn).toMatchObject({
      untrustedRead: true,
      untrustedFrom: ['/mnt/a', '/mnt/b'],
    });
    expect(agent.transcript.entries[1]).toMatchObject({ untrusted: ['/mnt/b'] });
    const clean = open();
    await clean.run();
    expect(clean.accesses.at(-1)?.turn).toMatchObject({ untrustedRead: false, untrustedFrom: [] });
    expect(clean.transcript.entries[0]).not.toHaveProperty('untrusted');
  });

  test('is one turn to all who look at it, with the rules for paths and the door it came through', async () => {
    const rule = { name: 'style', paths: ['/mnt/**'], path: '/r.md', text: 'x' };
    const through = { origin: 'mcp', attended: false, answers: [] } as const;
    const agent = open([], { view: { rules: [rule, { ...rule, name: 'always', paths: null }] } });
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
    await open([], { onTurn }).run();
    expect(told.splice(0)).toEqual([[2, undefined], 'ended']);
    const model = () => Promise.reject(new ConfigError('model', 'there is none'));
    await expect(open([], { onTurn, model }).run()).rejects.toThrow('model: there is none');
    expect(told).toEqual([[2, undefined], 'ended']);
  });

  test('has a shell of its own where a command names another agent, which ends with it', async () => {
    const commands = byName(
      commandNamed('ask', { agent: 'helper' }),
      commandNamed('own', { agent: 'assistant' }),
    );
    const agent = open([], { view: { commands } });
    await agent.run({ prompt: '/own' });
    expect(agent.accesses.every(({ turn }) => turn.shell === undefined)).toBe(true);
    expect(agent.ended).toEqual([]);
    await agent.run({ prompt: '/ask' });
    expect(sentTo(agent.model)[1]?.system).toMatch(/^You are helper\./);
    expect(sentTo(agent.model)[1]?.messages.at(-1)).toBe('user: do ask');
    expect(agent.ended).toEqual([agent.accesses.at(-1)?.turn.shell]);
  });

  test('is bounded by how many steps and tries it was made with', async () => {
    const agent = open([[{ call: 'none' }], [{ call: 'none' }]], { maxSteps: 1 });
    expect(await agent.run()).toMatchObject({ status: 'steps', steps: 1 });
  });

  test('gets what it is steered by, and the delivery that it is', async () => {
    const delivery = { message: 'm', part: 0 };
    const lists = [[{ text: 'also', delivery }]];
    const agent = open();
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
    const agent = open([], { view: { instructions, skills: byName(skill) } });
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
    const agent = open();
    await agent.run({ system: 'Just so.' });
    expect(sentTo(agent.model)[0]?.system).toBe('Just so.');
  });
});

describe('the tools of a turn', () => {
  const HOUSE = ['bash', 'read', 'write', 'edit', 'verify', 'ask'];

  test('are those of the house and of the deployment; skills and agents where there are any', async () => {
    const skill = { name: 'dance', description: '', path: '/s.md', body: '' };
    const agent = open([], { view: { tools: [probe()], skills: byName(skill) } });
    await agent.run();
    expect(agent.toolsOf(0)).toEqual([...HOUSE, 'skill', 'delegate', 'probe']);
    // Who summarises is nobody to be asked.
    const alone = open([], {
      view: { agents: byName(agentNamed('assistant'), agentNamed('compact')) },
    });
    await alone.run();
    expect(alone.toolsOf(0)).toEqual(HOUSE);
  });

  test('are those that its agent may call', async () => {
    const agents = byName(agentNamed('assistant', { allowsTool: (name) => name === 'read' }));
    const agent = open([], { view: { agents, tools: [probe()] } });
    await agent.run();
    expect(agent.toolsOf(0)).toEqual(['read']);
  });

  test('are none for a model that cannot call any', async () => {
    const abilities = ['text'] as never;
    const toolless = open([], { facts: async () => ({ abilities }) });
    await toolless.run();
    expect(toolless.toolsOf(0)).toEqual([]);
    const able = open([], { facts: async () => ({ abilities: ['tools'] as never }) });
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
    const agent = open([], { onTurn });
    const result = await agent.run({ plan: true });
    expect(sentTo(agent.model)[0]?.system.endsWith(`\n\n${PLANNING}`)).toBe(true);
    expect(agent.toolsOf(0)).toContain('plan');
    expect(agent.accesses.map(({ turn }) => turn.plan)).toEqual(agent.accesses.map(() => plans[0]));
    expect(plans[0]?.isApproved).toBe(false);
    expect(result).not.toHaveProperty('planApproved');
  });

  test('that was approved before goes on with it', async () => {
    const agent = open();
    const scope = { writes: [{ path: '/a', operations: ['write'] as const }], tools: [] };
    const result = await agent.run({
      plan: { ...scope, writes: [{ path: '/a', operations: ['write'] }] },
    });
    expect(sentTo(agent.model)[0]?.system).not.toContain(PLANNING);
    expect(agent.accesses[0]?.turn.plan?.scope).toEqual(scope);
    expect(result.planApproved).toBe(true);
    const plain = open();
    expect(await plain.run({ plan: false })).not.toHaveProperty('planApproved');
    expect(plain.toolsOf(0)).not.toContain('plan');
  });
});

describe('the citations of an answer', () => {
  const cited = '/mnt/docs/a.md';
  const of = (words: string) => `So it is [${cited}:1 "${words}"].`;

  test('are checked before it is given, once; what came of them is in the result and, without the words of documents, in the log', async () => {
    const agent = open([[of('never mind')], [of('a squeaky wheel')], ['never']]);
    agent.access.disk.set(cited, 'a squeaky wheel\n');
    const result = await agent.run({ cite: true });
    expect(sentTo(agent.model)[0]?.system).toContain(CITING);
    expect(sentTo(agent.model)[1]?.messages.at(-1)).toMatch(
      /^user: These citations .* do not hold/,
    );
    expect(result).toMatchObject({ status: 'done', text: of('a squeaky wheel'), steps: 2 });
    expect(result.citations?.citations).toMatchObject([{ verdict: 'holds' }]);
    const [entry] = agent.transcript.named('turn/citations');
    expect(entry?.['data']).toMatchObject({ citations: [{ verdict: 'holds' }], uncited: 0 });
    expect(JSON.stringify(entry)).not.toContain('stands');
    expect(agent.transcript.durable.slice(-2)).toEqual(['turn/citations', 'sign']);
  });

  test('are nobody’s business where they were not asked for, or the turn did not end well', async () => {
    const plain = open([[of('never mind')]]);
    expect(await plain.run()).not.toHaveProperty('citations');
    expect(sentTo(plain.model)[0]?.system).not.toContain(CITING);
    const failed = open([new Error('it broke')]);
    expect(await failed.run({ cite: true })).not.toHaveProperty('citations');
    expect(failed.transcript.named('turn/citations')).toEqual([]);
  });

  test('of a model that only quotes are not objected to', async () => {
    const agent = open([['no citation']]);
    const result = await agent.run({ cite: true, model: BUILTIN_EXTRACT });
    expect(result).toMatchObject({ text: 'no citation', steps: 1 });
    expect(result.citations?.citations).toEqual([]);
  });
});

test('an answer is looked at by the caller where it is not for its citations', async () => {
  const review = async (text: string) => (text === 'one' ? 'not so' : null);
  const agent = open([['one'], ['two']]);
  expect(await agent.run({ review })).toMatchObject({ text: 'two', steps: 2 });
});

test('a promise to remind with nothing behind it is answered for', async () => {
  const promise = 'I will remind you.';
  expect((await open([[promise]]).run()).text).toBe(`${promise}\n\n${NO_REMINDER}`);
  const scheduled = vi.fn(async () => ['a.md']);
  expect((await open([[promise]], { scheduled }).run()).text).toBe(promise);
  expect((await open([['Hello.']], { scheduled }).run()).text).toBe('Hello.');
  // Who promises nothing needs no look at the schedule.
  expect(scheduled).toHaveBeenCalledOnce();
});

describe('the memory after a turn', () => {
  const remembering = (
    replies: ScriptedReply[],
    filesystem: AgentView['filesystem'] = 'read-write',
  ) => {
    const due = vi.fn(() => new Map());
    const agents = byName(agentNamed('assistant', { filesystem }));
    const readings = { due } as unknown as Readings;
    const agent = open(replies, { mounts: ['/mnt/docs', '/memory'], readings, view: { agents } });
    Object.assign(agent.access.files, { readdir: async () => [] });
    return { ...agent, due };
  };

  test('is kept of what it has read, where it ended well', async () => {
    const agent = remembering([['ok']]);
    await agent.run();
    const [{ turn } = { turn: undefined }] = agent.accesses;
    expect(agent.due.mock.calls).toEqual([
      [turn?.id, ['/mnt/docs', '/memory'], [], turn?.filesRead],
    ]);
    const failed = remembering([new Error('it broke')]);
    await failed.run();
    expect(failed.due).not.toHaveBeenCalled();
  });

  test('is left alone by who may not write there, and in a turn that began with a plan', async () => {
    const reader = remembering([['ok']], 'read-only');
    await reader.run();
    const planner = remembering([['ok']]);
    await planner.run({ plan: true });
    expect([reader.due.mock.calls, planner.due.mock.calls]).toEqual([[], []]);
  });
});

describe('a sub-agent', () => {
  const task = (agent: string) => ({ call: 'delegate', input: { agent, task: 'look' } });

  test('has a conversation and a shell of its own, the model of its own, and its answer is the result', async () => {
    const agent = open([[task('helper')], ['looked'], ['ok']]);
    expect(await agent.run()).toMatchObject({ status: 'done', text: 'ok' });
    expect(agent.delegated).toMatchObject([{ agent: 'helper', call: 'call-1-0' }]);
    expect(agent.delegated[0]?.transcript.messages()[0]?.content).toBe('look');
    expect(sentTo(agent.model)[1]).toMatchObject({
      system: expect.stringMatching(/^You are helper\./),
      messages: ['user: look'],
    });
    expect(sentTo(agent.model)[2]?.messages.at(-1)).toBe('tool: looked');
    expect(agent.models).toContain('openai/helper');
    const { shell } = agent.accesses.find(({ agent }) => agent.name === 'helper')?.turn ?? {};
    expect(shell).toBeTypeOf('string');
    expect(agent.ended).toEqual([shell]);
    expect(new Set(agent.accesses.map(({ turn }) => turn.id)).size).toBe(1);
  });

  test('has the model that was asked for, and no tool that its caller lacks', async () => {
    const agents = byName(
      agentNamed('assistant', { allowsTool: (name) => ['delegate', 'read'].includes(name) }),
      agentNamed('helper'),
    );
    const agent = open([[task('helper')]], { view: { agents } });
    await agent.run({ model: 'openai/asked' });
    expect(agent.toolsOf(1)).toEqual(['read', 'delegate']);
    expect([...new Set(agent.models)]).toEqual(['openai/asked']);
  });

  test('may ask another in turn, three deep', async () => {
    const down = [task('helper'), task('assistant'), task('helper')].map((each) => [each]);
    const agent = open([...down, ['deep'], ['up'], ['up'], ['up']]);
    expect(await agent.run()).toMatchObject({ status: 'done', text: 'up' });
    expect(agent.delegated.map((each) => each.agent)).toEqual(['helper', 'assistant', 'helper']);
    const asking = [0, 1, 2, 3].map((call) => agent.toolsOf(call).includes('delegate'));
    expect(asking).toEqual([true, true, true, false]);
  });

  test('neither plans nor cites, though its caller does', async () => {
    const agent = open([[task('helper')], ['looked']]);
    await agent.run({ plan: true, cite: true });
    const { system = '' } = sentTo(agent.model)[1] ?? {};
    expect(system).not.toContain(PLANNING);
    expect(system).not.toContain(CITING);
    expect(agent.toolsOf(1)).not.toContain('plan');
  });
});

describe('a summary that is asked for', () => {
  const turns = ['a', 'b', 'c'].flatMap((text) => [said('user', text), said('assistant', text)]);
  const agents = byName(
    agentNamed('assistant'),
    agentNamed('compact', { prompt: 'You summarise.' }),
  );

  test('is made now, by the agent that summarises, of what there is', async () => {
    const agent = open([], { log: turns, view: { agents } });
    expect(await compactNow(agent.options, {})).toBe(true);
    expect(agent.transcript.named('compaction')).toHaveLength(1);
    expect(sentTo(agent.model)[0]?.system).toBe('You summarise.');
    expect(agent.models).toEqual(['openai/default']);
    const short = open([], { log: turns.slice(0, 2), view: { agents } });
    expect(await compactNow(short.options, { model: 'openai/asked' })).toBe(false);
    expect(short.models).toEqual(['openai/asked']);
  });

  test('is refused by name: who asks, by what, and without anybody who could', async () => {
    const agent = open([], { log: turns, view: { agents } });
    await expect(compactNow(agent.options, { model: BUILTIN_EXTRACT })).rejects.toThrow(
      'model: builtin/extract summarises nothing; name another model',
    );
    await expect(compactNow(agent.options, { agent: 'none' })).rejects.toThrow('no agent "none"');
    await expect(compactNow(open([], { log: turns }).options, {})).rejects.toThrow(
      'agent: the harness has no agent "compact", which summarises',
    );
  });

  test('knows whose text stands in the conversation', async () => {
    const [first, ...rest] = turns;
    const log = [{ ...first, type: 'message', untrusted: ['/mnt/a'] }, ...rest];
    const agent = open([], { log, view: { agents } });
    await compactNow(agent.options, {});
    expect(agent.accesses.at(-1)?.turn).toMatchObject({
      untrustedRead: true,
      untrustedFrom: ['/mnt/a'],
    });
  });

  test('is made before a request, where the conversation is too long for the model', async () => {
    const agent = open([['summary'], ['ok']], { log: turns, view: { agents }, contextWindow: 100 });
    await agent.run();
    expect(agent.transcript.named('compaction')).toHaveLength(1);
    const roomy = open([['ok']], { log: turns, view: { agents } });
    await roomy.run();
    expect(roomy.transcript.named('compaction')).toEqual([]);
    const nobody = open([['ok']], { log: turns, contextWindow: 100 });
    expect((await nobody.run()).status).toBe('done');
    expect(nobody.transcript.named('compaction')).toEqual([]);
  });
});
