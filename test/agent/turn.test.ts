/** The loop against a model that misbehaves: each turn ends in a clean session that goes on. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { type AgentTool, defineTool, ToolFault } from '../../src/agent/tool.ts';
import { MAX_STEPS, WRAP_UP } from '../../src/agent/turn.ts';
import { FsError } from '../../src/errors.ts';
import { calls, lastText, type Reply, says, textOf } from '../stand-ins/model/index.ts';
import { temporaryDirectory, testWorld } from '../world/harness.ts';
import { budgetFor, type TestAgent, testAgent } from './support.ts';

/** A tool that tells when it was called, and gives what it is told to. */
function probe(
  name: string,
  run: (input: { n?: number | undefined }) => Promise<string>,
): AgentTool {
  return defineTool({
    name,
    description: `A probe. It is called ${name}.`,
    input: z.strictObject({ n: z.number().optional() }),
    readOnly: true,
    run,
  });
}

/** The session goes on: the next turn is accepted, and every call has its result. */
async function expectResumes(agent: TestAgent): Promise<void> {
  const before = agent.model.requests.length;
  expect((await agent.run('go on')).status).toBe('done');
  const { messages } = agent.model.requests[before] ?? { messages: [] };
  const called = messages.flatMap(({ tool_calls = [] }) => tool_calls.map(({ id }) => id));
  const answered = messages.flatMap(({ tool_call_id }) => tool_call_id ?? []);
  expect(answered).toEqual(called);
  expect(lastText(messages)).toBe('go on');
}

/** The machine may be busy. */
const PATIENT = { timeout: 10_000 };

/** The script, and then a model that only says that it is done. */
const then = (...replies: Reply[]) => [...replies, says('done')];

describe('the loop', () => {
  test('H a turn goes from prompt through tools to an answer, and every step is in the log', async () => {
    const agent = await testAgent([
      calls(['bash', { command: 'echo one > a; cat a' }], ['read', { path: 'a' }]),
      says('It says ', 'one.'),
    ]);
    const result = await agent.run('what is in a?');
    expect(result).toMatchObject({ status: 'done', text: 'It says one.', steps: 2 });
    expect(agent.messages().map(({ role }) => role)).toEqual([
      'user',
      'assistant',
      'tool',
      'tool',
      'assistant',
    ]);
    expect(agent.results()).toEqual(['one', expect.any(String)]);
    expect(result.usage).toEqual({ inputTokens: 20, outputTokens: 10 });
    await expectResumes(agent);
  });

  test('a turn that leaves jobs running says so, to the person and in the log', async () => {
    const replies = [calls(['bash', { command: 'sleep 60 &' }]), says('Begun.')];
    // A job outlives its test in a world that is shared.
    const agent = await testAgent(replies, { world: testWorld() });
    const result = await agent.run('begin it');
    expect(result).toMatchObject({ status: 'done', jobs: ['1 (sleep 60)'] });
    expect(result.text).toMatch(/^Begun\.\n\nStill running in the background: 1 \(sleep 60\)\./);
    expect(agent.results()[0]).toContain('its output is in /session/jobs/1/');
  });

  test('H a tool runs when its call arrives in the stream, before the stream has ended', async () => {
    const ran = Promise.withResolvers<void>();
    const early = probe('early', async () => {
      ran.resolve();
      return 'ran';
    });
    // The stream goes on only once the first call has run.
    const reply: Reply = {
      parts: [
        { call: 'early', args: {} },
        { call: 'late', args: {} },
        { wait: ran.promise },
        { text: 'after' },
      ],
    };
    const agent = await testAgent(then(reply), {
      tools: [early, probe('late', async () => 'late')],
    });
    expect((await agent.run('x')).status).toBe('done');
    expect(agent.results()).toEqual(['ran', 'late']);
    await expectResumes(agent);
  });

  test('H a tool runs when its call arrives: several at once, and their results stand in the order of the calls', async () => {
    const second = Promise.withResolvers<void>();
    const tools = [
      probe('slow', () => second.promise.then(() => 'slow')),
      probe('quick', async () => {
        second.resolve();
        return 'quick';
      }),
    ];
    const agent = await testAgent(then(calls(['slow', {}], ['quick', {}])), { tools });
    await agent.run('x');
    expect(agent.results()).toEqual(['slow', 'quick']);
  });

  test('C only the parked call waits; its siblings go on', async () => {
    const deployment = temporaryDirectory();
    const docs = temporaryDirectory();
    const parked = Promise.withResolvers<string>();
    const world = testWorld(
      { mounts: { '/mnt/docs': `${docs}:rw` } },
      {
        deployment,
        onApproval: ({ id, state }) => {
          if (state === 'pending') parked.resolve(id);
        },
      },
    );
    const agent = await testAgent(
      then(
        calls(
          ['write', { path: '/mnt/docs/asks', content: 'x' }],
          ['write', { path: '/workspace/a', content: 'one' }],
          ['bash', { command: 'cat a; printf two > b' }],
        ),
      ),
      { world },
    );
    const running = agent.run('x');
    const id = await parked.promise;
    const ended = (): unknown[] =>
      agent.events.filter(({ type }) => type === 'tool-end').map(({ name }) => name);
    while (ended().length < 2) await sleep(20);
    expect(ended()).toEqual(['write', 'bash']);
    expect(existsSync(join(docs, 'asks'))).toBe(false);
    await world.approvals.answer(id, { decision: 'allow' });
    await running;
    expect(agent.results()).toEqual([
      'wrote 1 bytes to /mnt/docs/asks',
      'wrote 3 bytes to /workspace/a',
      'one',
    ]);
    expect(existsSync(join(docs, 'asks'))).toBe(true);
  });

  test('calls that change something run one after the other, in the order of the calls', async () => {
    const agent = await testAgent(
      then(
        calls(
          ['write', { path: 'a', content: 'one' }],
          ['bash', { command: 'cat a; sleep 0.05; printf two > a' }],
          ['edit', { path: 'a', old: 'two', new: 'three' }],
          ['bash', { command: 'cat a' }],
        ),
      ),
    );
    await agent.run('x');
    expect(agent.results()[1]).toBe('one');
    expect(agent.results()[3]).toBe('three');
  });

  test.each(['stop', 'length', 'content_filter', 'error'] as const)(
    'H a finish reason is not to be trusted: calls run although the model says "%s"',
    async (finish) => {
      const reply = { ...calls(['bash', { command: 'echo ran' }]), finish };
      const agent = await testAgent(then(reply));
      expect((await agent.run('x')).status).toBe('done');
      expect(agent.results()).toEqual(['ran']);
      await expectResumes(agent);
    },
  );

  test('H MAX_STEPS 100, and one step before: no tools, and "wrap up now" is added to the prompt', async () => {
    const agent = await testAgent(
      (_, index) => (index < 2 ? calls(['bash', { command: 'true' }]) : says('wrapped up')),
      { maxSteps: 3 },
    );
    expect(await agent.run('x')).toMatchObject({ status: 'done', text: 'wrapped up', steps: 3 });
    expect(MAX_STEPS).toBe(100);
    const [first, , last] = agent.model.requests;
    expect(first?.tools?.length).toBeGreaterThan(0);
    expect(last?.tools).toBeUndefined();
    const system = textOf(first?.messages[0] ?? { role: 'system', content: '' });
    expect(textOf(last?.messages[0] ?? { role: 'system', content: '' })).toBe(
      `${system}\n\n${WRAP_UP}`,
    );
  });

  test('H no toolChoice "none": a model that calls tools all the same, and never stops, is stopped cleanly', async () => {
    const agent = await testAgent(
      (_, index) => (index < 4 ? calls(['bash', { command: `echo ${index}` }]) : says('done')),
      { maxSteps: 4 },
    );
    expect(await agent.run('x')).toMatchObject({ status: 'steps', steps: 4 });
    expect(agent.results()).toEqual([
      '0',
      '1',
      '2',
      expect.stringContaining('no tool can be called'),
    ]);
    await expectResumes(agent);
  });
});

describe('H four kinds of failure of a tool, each a result that the model reads', () => {
  test('an unknown tool', async () => {
    const agent = await testAgent(then(calls(['nosuch', { a: 1 }])));
    expect((await agent.run('x')).status).toBe('done');
    expect(agent.results()[0]).toContain('there is no tool "nosuch"; the tools are bash, read');
    await expectResumes(agent);
  });

  test('an input that does not fit: every field is named, and nothing ran', async () => {
    const agent = await testAgent(then(calls(['edit', { path: 1, old: 'a', extra: true }])));
    await agent.run('x');
    const [text] = agent.results();
    for (const named of ['nothing was done', 'path:', 'new:', 'extra'])
      expect(text).toContain(named);
  });

  test('arguments that are no JSON', async () => {
    const agent = await testAgent(then(calls(['bash', '{"command": "echo never'])));
    await agent.run('x');
    expect(agent.results()[0]).toContain('not valid JSON: {"command": "echo never');
    await expectResumes(agent);
  });

  test('an error of the tool, with what to do; and one that nobody expected', async () => {
    const tools = [
      probe('faulty', () => Promise.reject(new ToolFault('the page is empty; name another one'))),
      probe('refused', () =>
        Promise.reject(
          new FsError('EACCES', { path: '/harness/a', op: 'open', reason: 'propose it instead' }),
        ),
      ),
      probe('broken', () => Promise.reject(new TypeError('x is not a function'))),
    ];
    const agent = await testAgent(then(calls(['faulty', {}], ['refused', {}], ['broken', {}])), {
      tools,
    });
    expect((await agent.run('x')).status).toBe('done');
    expect(agent.results()).toEqual([
      'the page is empty; name another one',
      '/harness/a: Permission denied\npropose it instead',
      'the tool broke: x is not a function',
    ]);
    await expectResumes(agent);
  });

  test('one retry when it was transient, and only of what can be repeated', async () => {
    const tries = { repeatable: 0, once: 0 };
    const flaky = (name: 'repeatable' | 'once'): AgentTool => ({
      ...probe(name, async () => {
        tries[name] += 1;
        if (tries[name] === 1) throw new FsError('EAGAIN', { path: '/mnt/x', op: 'read' });
        return 'second time';
      }),
      repeatable: name === 'repeatable',
    });
    const agent = await testAgent(then(calls(['repeatable', {}], ['once', {}])), {
      tools: [flaky('repeatable'), flaky('once')],
    });
    await agent.run('x');
    expect(agent.results()).toEqual(['second time', '/mnt/x: Resource temporarily unavailable']);
    expect(tries).toEqual({ repeatable: 2, once: 1 });
  });
});

describe('H an error of the model ends the turn, cleanly', () => {
  test('a stream that is cut keeps what came, and the results of what ran', async () => {
    const agent = await testAgent(
      then({
        parts: [
          { text: 'I look. ' },
          { call: 'bash', args: { command: 'echo ran > /workspace/ran' } },
          { call: 'bash', args: { command: 'true' } },
          { wait: 100 },
          { cut: true },
        ],
      }),
    );
    const result = await agent.run('x');
    expect(result.status).toBe('error');
    expect(result.text).toBe('I look. ');
    expect(result.error).toContain('the answer of openai/scripted broke off');
    expect((await agent.world.exec('cat ran')).stdout).toBe('ran\n');
    await expectResumes(agent);
  });

  test('429 and 500 that pass are sent again; what stays ends the turn with what to do', async () => {
    const limited: Reply = {
      status: 429,
      headers: { 'retry-after-ms': '1' },
      message: 'slow down',
    };
    const broken: Reply = { status: 500, headers: { 'retry-after-ms': '1' }, message: 'oops' };
    const agent = await testAgent([limited, broken, says('hello')]);
    expect(await agent.run('x')).toMatchObject({ status: 'done', text: 'hello' });
    expect(agent.model.requests).toHaveLength(3);
    const down = await testAgent([limited, limited, limited, says('done')]);
    const result = await down.run('x');
    expect(result.status).toBe('error');
    expect(result.error).toContain('status 429, 3 times in a row: slow down; try again later');
    await expectResumes(down);
  });

  test('a wrong key is not tried again', async () => {
    const agent = await testAgent([{ status: 401, message: 'who are you' }, says('done')]);
    const result = await agent.run('x');
    expect(result.error).toContain('status 401: who are you; check the key');
    expect(agent.model.requests).toHaveLength(1);
    await expectResumes(agent);
  });
});

test('H an abort stops the command and the answer, and keeps the session', async () => {
  const stop = new AbortController();
  const agent = await testAgent(then(calls(['bash', { command: 'echo begun; sleep 60' }])));
  const running = agent.run('x', { signal: stop.signal });
  await expect
    .poll(() => agent.events.some(({ type }) => type === 'tool-output'), PATIENT)
    .toBe(true);
  stop.abort();
  expect((await running).status).toBe('stopped');
  expect(agent.results()[0]).toContain('begun');
  await expectResumes(agent);
});

test('an abort in the middle of the text keeps what was said', async () => {
  const stop = new AbortController();
  const never = new Promise(() => undefined);
  const agent = await testAgent(then({ parts: [{ text: 'half' }, { wait: never }] }));
  const running = agent.run('x', { signal: stop.signal });
  await expect
    .poll(() => agent.events.some(({ type }) => type === 'text-delta'), PATIENT)
    .toBe(true);
  stop.abort();
  expect(await running).toMatchObject({ status: 'stopped', text: 'half' });
  await expectResumes(agent);
});

test('a budget that is used up stops the turn politely', async () => {
  const usage = { input: 6_000, output: 1_500 };
  const agent = await testAgent(
    (_, index) => (index < 5 ? { ...calls(['bash', { command: 'true' }]), usage } : says('done')),
    { budget: budgetFor({ limits: { tokensPerTurn: 15_000 } }) },
  );
  const result = await agent.run('x');
  expect(result.status).toBe('budget');
  expect(result.text).toContain('this turn has used 15000 of its 15000 tokens');
  expect(agent.model.requests).toHaveLength(2);
});
