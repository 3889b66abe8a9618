/** What is done with an answer, and after it; and what others are asked on the way. */
import { describe, expect, test, vi } from 'vitest';
import { compactNow } from './agent.ts';
import { CITING } from './citing.ts';
import { BUILTIN_EXTRACT } from './extract/model.ts';
import type { AgentView } from './harness-view.ts';
import type { Readings } from './memory/readings.ts';
import { PLANNING } from './plan-mode.ts';
import { NO_REMINDER } from './reminder.ts';
import { type ScriptedReply, said, sentTo } from './testing.ts';
import { agentNamed, byName, scriptedAgent } from './testing-agent.ts';

describe('the citations of an answer', () => {
  const cited = '/mnt/docs/a.md';
  const of = (words: string) => `So it is [${cited}:1 "${words}"].`;

  test('are checked before it is given, once; what came of them is in the result and, without the words of documents, in the log', async () => {
    const agent = scriptedAgent([[of('never mind')], [of('a squeaky wheel')], ['never']]);
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
    const plain = scriptedAgent([[of('never mind')]]);
    expect(await plain.run()).not.toHaveProperty('citations');
    expect(sentTo(plain.model)[0]?.system).not.toContain(CITING);
    const failed = scriptedAgent([new Error('it broke')]);
    expect(await failed.run({ cite: true })).not.toHaveProperty('citations');
    expect(failed.transcript.named('turn/citations')).toEqual([]);
  });

  test('of a model that only quotes are not objected to', async () => {
    const agent = scriptedAgent([['no citation']]);
    const result = await agent.run({ cite: true, model: BUILTIN_EXTRACT });
    expect(result).toMatchObject({ text: 'no citation', steps: 1 });
    expect(result.citations?.citations).toEqual([]);
  });
});

test('an answer is looked at by the caller where it is not for its citations', async () => {
  const review = async (text: string) => (text === 'one' ? 'not so' : null);
  const agent = scriptedAgent([['one'], ['two']]);
  expect(await agent.run({ review })).toMatchObject({ text: 'two', steps: 2 });
});

test('a promise to remind with nothing behind it is answered for', async () => {
  const promise = 'I will remind you.';
  expect((await scriptedAgent([[promise]]).run()).text).toBe(`${promise}\n\n${NO_REMINDER}`);
  const scheduled = vi.fn(async () => ['a.md']);
  expect((await scriptedAgent([[promise]], { scheduled }).run()).text).toBe(promise);
  expect((await scriptedAgent([['Hello.']], { scheduled }).run()).text).toBe('Hello.');
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
    const agent = scriptedAgent(replies, {
      mounts: ['/mnt/docs', '/memory'],
      readings,
      view: { agents },
    });
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
    const agent = scriptedAgent([[task('helper')], ['looked'], ['ok']]);
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
    const agent = scriptedAgent([[task('helper')]], { view: { agents } });
    await agent.run({ model: 'openai/asked' });
    expect(agent.toolsOf(1)).toEqual(['read', 'delegate']);
    expect([...new Set(agent.models)]).toEqual(['openai/asked']);
  });

  test('may ask another in turn, three deep', async () => {
    const down = [task('helper'), task('assistant'), task('helper')].map((each) => [each]);
    const agent = scriptedAgent([...down, ['deep'], ['up'], ['up'], ['up']]);
    expect(await agent.run()).toMatchObject({ status: 'done', text: 'up' });
    expect(agent.delegated.map((each) => each.agent)).toEqual(['helper', 'assistant', 'helper']);
    const asking = [0, 1, 2, 3].map((call) => agent.toolsOf(call).includes('delegate'));
    expect(asking).toEqual([true, true, true, false]);
  });

  test('neither plans nor cites, though its caller does', async () => {
    const agent = scriptedAgent([[task('helper')], ['looked']]);
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
    const agent = scriptedAgent([], { log: turns, view: { agents } });
    expect(await compactNow(agent.options, {})).toBe(true);
    expect(agent.transcript.named('compaction')).toHaveLength(1);
    expect(sentTo(agent.model)[0]?.system).toBe('You summarise.');
    expect(agent.models).toEqual(['openai/default']);
    const short = scriptedAgent([], { log: turns.slice(0, 2), view: { agents } });
    expect(await compactNow(short.options, { model: 'openai/asked' })).toBe(false);
    expect(short.models).toEqual(['openai/asked']);
  });

  test('is refused by name: who asks, by what, and without anybody who could', async () => {
    const agent = scriptedAgent([], { log: turns, view: { agents } });
    await expect(compactNow(agent.options, { model: BUILTIN_EXTRACT })).rejects.toThrow(
      'model: builtin/extract summarises nothing; name another model',
    );
    await expect(compactNow(agent.options, { agent: 'none' })).rejects.toThrow('no agent "none"');
    await expect(compactNow(scriptedAgent([], { log: turns }).options, {})).rejects.toThrow(
      'agent: the harness has no agent "compact", which summarises',
    );
  });

  test('knows whose text stands in the conversation', async () => {
    const [first, ...rest] = turns;
    const log = [{ ...first, type: 'message', untrusted: ['/mnt/a'] }, ...rest];
    const agent = scriptedAgent([], { log, view: { agents } });
    await compactNow(agent.options, {});
    expect(agent.accesses.at(-1)?.turn).toMatchObject({
      untrustedRead: true,
      untrustedFrom: ['/mnt/a'],
    });
  });

  test('is made before a request, where the conversation is too long for the model', async () => {
    const agent = scriptedAgent([['summary'], ['ok']], {
      log: turns,
      view: { agents },
      contextWindow: 100,
    });
    await agent.run();
    expect(agent.transcript.named('compaction')).toHaveLength(1);
    const roomy = scriptedAgent([['ok']], { log: turns, view: { agents } });
    await roomy.run();
    expect(roomy.transcript.named('compaction')).toEqual([]);
    const nobody = scriptedAgent([['ok']], { log: turns, contextWindow: 100 });
    expect((await nobody.run()).status).toBe('done');
    expect(nobody.transcript.named('compaction')).toEqual([]);
  });
});
