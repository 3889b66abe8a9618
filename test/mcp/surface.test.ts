/** What the door for MCP has beside tools: questions to a person, tasks, progress, cancelling, resources, prompts. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Client } from '@modelcontextprotocol/client';
import { describe, expect, onTestFinished, test } from 'vitest';
import { z } from 'zod';
import type { WorldConfig } from '../../entry/index.ts';
import { temporaryDirectory } from '../world/harness.ts';
import {
  type Answer,
  call,
  connectMcp,
  ERAS,
  type Era,
  INITIALIZE,
  openMcp,
  postTo,
  serving,
  TOKEN,
  testDoorway,
} from './support.ts';

const POLICY = `sandbox: full
approval: ask
rules:
  - { name: asked, decision: ask, op: change, path: "/workspace/asked*" }
  - { name: secret, decision: deny, op: read, path: /workspace/secret }
`;

function deployed(config: WorldConfig = {}) {
  const deployment = temporaryDirectory();
  for (const name of ['harness', 'harness/prompts']) mkdirSync(join(deployment, name));
  writeFileSync(join(deployment, 'harness/policy.yaml'), POLICY);
  writeFileSync(join(deployment, 'harness/prompts/review.md'), 'Review $1, then $2.\n');
  return testDoorway(config, deployment);
}

const ALLOW: Answer = { action: 'accept', content: { answer: 'once' } };

describe.each(ERAS)('questions to a person, %s', (era: Era) => {
  test('a command that asks twice is put twice, whole and with its digest, and runs once', async () => {
    const url = await openMcp(deployed().doorway);
    const shown: string[] = [];
    const elicit = (message: string): Answer => {
      shown.push(message);
      return ALLOW;
    };
    const client = await connectMcp(url, era, { elicit });
    const command =
      'echo run >> /workspace/runs; echo one > /workspace/asked1; echo two > /workspace/asked2';
    expect(await call(client, 'bash', { command })).toMatchObject({ failed: false });
    expect(shown).toHaveLength(2);
    expect(shown[0]).toMatch(
      /assistant wants to create \/workspace\/asked1\n[\s\S]*\+one\n[\s\S]*digest [0-9a-f]{64}$/,
    );
    const kept = await call(client, 'bash', { command: 'cat /workspace/runs /workspace/asked*' });
    expect(kept.text).toBe('run\none\ntwo');
  });

  test.each(['decline', 'cancel', 'accept'] as const)(
    'what is not allowed is refused: %s',
    async (action) => {
      const url = await openMcp(deployed().doorway);
      const content = action === 'accept' ? { content: { answer: 'no' } } : {};
      const client = await connectMcp(url, era, { elicit: () => ({ action, ...content }) });
      const refused = await call(client, 'write', { path: '/workspace/asked', content: 'x' });
      expect(refused.failed).toBe(true);
      expect(refused.text).toMatch(/was denied by assistant \(mcp\)/);
    },
  );

  test('a client without forms is refused, and told how to be asked', async () => {
    const url = await openMcp(deployed().doorway);
    const client = await connectMcp(url, era);
    const refused = await call(client, 'write', { path: '/workspace/asked', content: 'x' });
    expect(refused).toMatchObject({
      failed: true,
      text: expect.stringContaining('approvals allow'),
    });
  });
});

/** Requests of 2026-07-28 as they are, so that what a client would do by itself can be left out. */
async function raw(url: string, capabilities: Record<string, unknown> = {}, token = TOKEN) {
  let id = 0;
  return async (method: string, params: Record<string, unknown> = {}) => {
    const _meta = {
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientInfo': { name: 'raw', version: '1' },
      'io.modelcontextprotocol/clientCapabilities': capabilities,
    };
    const name = params['name'] ?? params['uri'] ?? params['taskId'];
    const response = await fetch(url, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${token}`,
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        'mcp-protocol-version': '2026-07-28',
        'mcp-method': method,
        ...(typeof name === 'string' ? { 'mcp-name': name } : {}),
      },
      body: JSON.stringify({ jsonrpc: '2.0', id: ++id, method, params: { ...params, _meta } }),
    });
    const text = await response.text();
    const data = /^data: (.*)$/m.exec(text)?.[1] ?? text;
    return answerSchema.parse(JSON.parse(data));
  };
}
const answerSchema = z.object({
  result: z.record(z.string(), z.any()).optional(),
  error: z.object({ code: z.number(), message: z.string() }).optional(),
});

const FORMS = { elicitation: { form: {} } };
const WRITE = { name: 'write', arguments: { path: '/workspace/asked', content: 'x' } };
const allowed = (about: Record<string, unknown>) =>
  Object.fromEntries(Object.keys(about).map((name) => [name, ALLOW]));

describe('an answer is bound to what was asked', () => {
  test('not to another call, another client, another question, or a state that was made up', async () => {
    const tokens = { [TOKEN]: { actor: 'alice' }, other: { actor: 'mallory' } };
    const url = await openMcp(deployed().doorway, {}, tokens);
    const alice = await raw(url, FORMS);
    const mallory = await raw(url, FORMS, 'other');
    const { result: asked } = await alice('tools/call', WRITE);
    expect(asked?.['resultType']).toBe('input_required');
    const { inputRequests, requestState } = asked ?? {};
    const answer = { inputResponses: allowed(inputRequests), requestState };
    const other = { ...WRITE, arguments: { path: '/workspace/asked', content: 'y' } };
    expect((await alice('tools/call', { ...other, ...answer })).error?.code).toBe(-32_602);
    expect((await mallory('tools/call', { ...WRITE, ...answer })).error?.code).toBe(-32_602);
    const forged = { ...answer, requestState: `${requestState}x` };
    expect((await alice('tools/call', { ...WRITE, ...forged })).error?.code).toBe(-32_602);
    const misnamed = { inputResponses: { 'approval-another': ALLOW }, requestState };
    const again = await alice('tools/call', { ...WRITE, ...misnamed });
    expect(again.result?.['inputRequests']).toEqual(inputRequests);
    const done = await alice('tools/call', { ...WRITE, ...answer });
    expect(done.result).toMatchObject({ isError: false });
    // What was answered is over.
    const replayed = await alice('tools/call', { ...WRITE, ...answer });
    expect(replayed.result?.['content'][0].text).toContain('this call is over');
  });
});

const TASKS = { extensions: { 'io.modelcontextprotocol/tasks': {} } };
const WAIT = { name: 'bash', arguments: { command: 'sleep 0.4; echo slept' } };

describe('what takes long', () => {
  async function ended(ask: Awaited<ReturnType<typeof raw>>, taskId: string) {
    for (;;) {
      const { result } = await ask('tasks/get', { taskId });
      if (result?.['status'] !== 'working') return result;
    }
  }

  test('is a task for who knows these, and a call for others', async () => {
    const { doorway } = deployed();
    const url = await openMcp(doorway, { ...serving(), taskAfterMs: 50 });
    const ask = await raw(url, TASKS);
    const { result: task } = await ask('tools/call', WAIT);
    expect(task).toMatchObject({ resultType: 'task', status: 'working', ttlMs: 600_000 });
    const done = await ended(ask, task?.['taskId']);
    expect(done).toMatchObject({ status: 'completed', result: { content: [{ text: 'slept' }] } });
    const plain = await (await raw(url))('tools/call', WAIT);
    expect(plain.result).toMatchObject({ resultType: 'complete', content: [{ text: 'slept' }] });
    expect((await ask('tasks/get', { taskId: 'another' })).error?.code).toBe(-32_602);
    // Who says nothing of tasks has none.
    const { taskId } = task ?? {};
    expect((await (await raw(url))('tasks/get', { taskId })).error?.code).toBe(-32_021);
  });

  test('a task is its client’s, asks its person, and ends when it is cancelled', async () => {
    const tokens = { [TOKEN]: { actor: 'alice' }, other: { actor: 'mallory' } };
    const url = await openMcp(deployed().doorway, { taskAfterMs: 50 }, tokens);
    const ask = await raw(url, { ...TASKS, ...FORMS });
    const command = 'sleep 0.3; echo x > /workspace/asked && echo written; sleep 60';
    const { result: task } = await ask('tools/call', { name: 'bash', arguments: { command } });
    const taskId: string = task?.['taskId'];
    const asking = await ended(ask, taskId);
    expect(asking?.['status']).toBe('input_required');
    const mallory = await raw(url, TASKS, 'other');
    for (const method of ['tasks/get', 'tasks/cancel'])
      expect((await mallory(method, { taskId })).error?.code).toBe(-32_602);
    const inputResponses = allowed(asking?.['inputRequests']);
    await ask('tasks/update', { taskId, inputResponses: { 'approval-another': ALLOW } });
    expect((await ended(ask, taskId))?.['status']).toBe('input_required');
    await ask('tasks/update', { taskId, inputResponses });
    expect((await ask('tasks/get', { taskId })).result?.['status']).toBe('working');
    await ask('tasks/cancel', { taskId });
    expect((await ended(ask, taskId))?.['status']).toBe('cancelled');
  });

  test.each(ERAS)(
    'tells of its progress, and is stopped when its client gives it up, %s',
    async (era) => {
      const url = await openMcp(deployed().doorway);
      const client = await connectMcp(url, era);
      const told: string[] = [];
      const stop = new AbortController();
      const long = { name: 'bash', arguments: { command: 'echo begun; sleep 300; echo "never"' } };
      const running = client.callTool(long, {
        signal: stop.signal,
        onprogress: ({ message = '' }) => {
          told.push(message);
          stop.abort();
        },
      });
      await expect(running).rejects.toThrow();
      expect(told[0]).toMatch(/^running for \d+ s, 6 bytes printed$/);
      // Commands run one after the other: the next one is not kept waiting.
      expect((await call(client, 'bash', { command: 'echo next' })).text).toBe('next');
    },
    30_000,
  );
});

describe.each(ERAS)('files as resources, %s', (era: Era) => {
  const uriOf = (path: string): string => `dirigent://${path}`;
  const read = async (client: Client, path: string): Promise<Record<string, unknown>> =>
    (await client.readResource({ uri: uriOf(path) })).contents[0] as Record<string, unknown>;

  test('are listed by pages, named by a template, and read as the gate lets them', async () => {
    const client = await connectMcp(await openMcp(deployed().doorway), era);
    const make =
      'cd /workspace; seq 1 230 | xargs touch; echo hé > "a b.md"; printf "\\377" > raw; touch secret; mkdir d; touch d/x';
    await call(client, 'bash', { command: make });
    const { resources } = await client.listResources();
    expect(resources.map(({ name }) => name)).toContain('/workspace/a b.md');
    expect(resources.length).toBeGreaterThanOrEqual(100);
    const { resourceTemplates } = await client.listResourceTemplates();
    expect(resourceTemplates[0]?.uriTemplate).toBe('dirigent:///{+path}');
    expect(await read(client, '/workspace/a%20b.md')).toMatchObject({
      text: 'hé\n',
      mimeType: 'text/markdown',
    });
    expect(await read(client, '/workspace/raw')).toMatchObject({ blob: '/w==' });
    expect(await read(client, '/workspace/d')).toMatchObject({ text: 'x\n' });
    await expect(read(client, '/workspace/secret')).rejects.toThrow('policy secret');
    await expect(read(client, '/workspace/none')).rejects.toThrow('No such file');
    for (const uri of ['file:///etc/passwd', 'dirigent:///%ff', 'dirigent://host/x'])
      await expect(client.readResource({ uri })).rejects.toThrow('is no file of this world');
    const large = 'head -c 1100000 /dev/zero > /workspace/large';
    await call(client, 'bash', { command: large });
    await expect(read(client, '/workspace/large')).rejects.toThrow('read parts of it');
  });

  test('a subscription tells of changes by commands, by tools, and of no other file', async () => {
    const client = await connectMcp(await openMcp(deployed().doorway), era);
    const told: string[] = [];
    const updated = Promise.withResolvers<void>();
    client.setNotificationHandler('notifications/resources/updated', ({ params }) => {
      told.push(params.uri);
      if (told.includes(uriOf('/workspace/b'))) updated.resolve();
    });
    const uris = ['/workspace/a', '/workspace/b'].map(uriOf);
    if (era === '2026') {
      const subscription = await client.listen({ resourceSubscriptions: uris });
      onTestFinished(() => subscription.close());
    } else for (const uri of uris) await client.subscribeResource({ uri });
    await call(client, 'bash', { command: 'echo a > /workspace/a; echo c > /workspace/c' });
    await call(client, 'write', { path: '/workspace/b', content: 'b' });
    await updated.promise;
    expect(new Set(told)).toEqual(new Set(uris));
  });
});

test('the definitions cost a conversation no more than 700 tokens', async () => {
  const client = await connectMcp(await openMcp(deployed().doorway), '2026');
  const { tools } = await client.listTools();
  // Tokenizers of today's models make of such JSON a token of some 4.2 bytes.
  expect(Buffer.byteLength(JSON.stringify(tools))).toBeLessThan(700 * 4.2);
  for (const { inputSchema } of tools) expect(inputSchema).not.toHaveProperty('$schema');
});

test('templates and skills of the harness are prompts', async () => {
  const client = await connectMcp(await openMcp(deployed().doorway), '2026');
  const { prompts } = await client.listPrompts();
  expect(prompts.map(({ name }) => name)).toContain('review');
  const { messages } = await client.getPrompt({
    name: 'review',
    arguments: { arguments: '"the plan" merge' },
  });
  expect(messages[0]?.content).toMatchObject({ text: 'Review the plan, then merge.' });
  await expect(client.getPrompt({ name: 'nosuch' })).rejects.toThrow('there are: review');
});

test('what a client may take is bounded: sessions, bodies, calls', async () => {
  const url = await openMcp(deployed().doorway);
  const body = 'x'.repeat(2 * 1024 * 1024);
  const headers = { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json' };
  expect((await fetch(url, { method: 'POST', headers, body })).status).toBe(413);
  const begin = async () => {
    const response = await postTo(url, TOKEN, INITIALIZE);
    await response.text();
    return response.status;
  };
  const statuses: number[] = [];
  for (let batch = 0; batch < 20; batch++)
    statuses.push(...(await Promise.all(Array.from({ length: 50 }, begin))));
  expect(statuses).toHaveLength(1_000);
  expect(statuses.filter((status) => status === 200)).toHaveLength(32);
  expect(new Set(statuses)).toEqual(new Set([200, 503]));
});

describe.each(ERAS)('questions of the model and plans, %s', (era: Era) => {
  /** A client whose person answers each form by its message, and what it was shown. */
  const asking = async (answer: (message: string) => Answer, planning = false) => {
    const shown: string[] = [];
    const url = await openMcp(deployed().doorway, { planning });
    const elicit = (message: string): Answer => {
      shown.push(message);
      return answer(message);
    };
    return { client: await connectMcp(url, era, { elicit }), shown };
  };
  const accept = (content: Record<string, string>): Answer => ({ action: 'accept', content });

  test('a question is put as a form, asked again where its answer has not the form, and may be declined', async () => {
    const answers: Answer[] = [accept({ answer: 'green' }), accept({ answer: 'blue' })];
    const { client, shown } = await asking(() => answers.shift() ?? { action: 'decline' });
    const ask = () =>
      call(client, 'ask', { question: 'Which?\u202e', kind: 'choice', options: ['red', 'blue'] });
    expect(await ask()).toMatchObject({ failed: false, text: expect.stringContaining('blue') });
    expect(shown).toHaveLength(2);
    expect(shown[0]).toMatch(/Which\?\\u202e[\s\S]*digest [0-9a-f]{64}$/);
    expect(shown[1]).toMatch(/^That was no answer: .*red/);
    expect(await ask()).toMatchObject({ failed: true, text: expect.stringContaining('declined') });
  });

  test('who cannot be asked has no tool for it', async () => {
    const client = await connectMcp(await openMcp(deployed().doorway, { planning: true }), era);
    const names = (await client.listTools()).tools.map(({ name }) => name);
    expect(names).not.toContain('ask');
    expect(names).not.toContain('plan');
    expect((await call(client, 'write', { path: '/workspace/x', content: 'x' })).text).toContain(
      'plan',
    );
  });

  test('a door that begins with a plan changes what its person has approved, and nothing else', async () => {
    const answers: Answer[] = [
      accept({ answer: 'change', comment: 'not there' }),
      accept({ answer: 'approve' }),
    ];
    const { client, shown } = await asking(() => answers.shift() ?? { action: 'decline' }, true);
    const write = async (name: string) =>
      (await call(client, 'write', { path: `/workspace/${name}`, content: 'x' })).failed;
    const plan = (name: string) =>
      call(client, 'plan', { plan: 'Write it.', writes: [{ path: `/workspace/${name}` }] });
    expect(await write('a')).toBe(true);
    expect((await plan('b')).text).toContain('not there');
    expect(await write('b')).toBe(true);
    expect(await plan('a')).toMatchObject({ failed: false });
    expect(shown.at(-1)).toContain('write, create /workspace/a');
    expect([await write('a'), await write('b')]).toEqual([false, true]);
    expect((await call(client, 'bash', { command: 'echo y > /workspace/b' })).failed).toBe(true);
  });
});
