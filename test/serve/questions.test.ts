/** Questions of agents: asked in a form, answered in it, parked while nobody answers, and worth no right. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { Question } from '../../src/policy/question.ts';
import { serveStdio } from '../../src/serve/stdio.ts';
import { type ChatRequest, calls, lastText, says, textOf } from '../stand-ins/model/index.ts';
import {
  begun,
  type Client,
  clientOf,
  deployed,
  said,
  scripted,
  serve,
  settled,
} from './support.ts';

const lastOf = ({ messages }: ChatRequest): string => lastText(messages);

/** Asks what it is told to, as JSON, and says what came of it; `read FILE` reads it first. */
function curious(request: ChatRequest) {
  const last = lastOf(request);
  if (request.messages.at(-1)?.role !== 'tool' && last.startsWith('{'))
    return calls(['ask', JSON.parse(last)]);
  if (last.startsWith('write')) return calls(['bash', { command: 'echo x > /workspace/asked' }]);
  return says(`result: ${last}`);
}

const CHOICE = {
  question: 'Which branch?',
  kind: 'choice',
  options: ['main', 'next'],
};

async function question(client: Client): Promise<Question> {
  for (;;) {
    const [found] = await client.get<Question[]>('/v1/questions?state=pending');
    if (found !== undefined) return found;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

test('a turn that asks is parked, outlives the server for a week, and goes on with the answer', async () => {
  const model = await scripted(curious);
  const deployment = deployed();
  const first = serve(deployment, model, { parkAfterMs: 30 });
  const ana = first.client('ana', 'user');
  const { id } = await begun(ana);
  const message = await said(ana, id, JSON.stringify(CHOICE));
  expect(await settled(ana, message, ['parked'])).toMatchObject({
    approvals: [],
    questions: [expect.any(String)],
  });
  await first.close();

  const now = Date.now() + 6.9 * 24 * 60 * 60 * 1000;
  const second = serve(deployment, model, { now: () => now });
  const again = clientOf(second.app, ana.token);
  const asked = await question(again);
  expect(asked).toMatchObject({ question: 'Which branch?', state: 'pending', untrusted: [] });
  const answer = (value: unknown, digest = asked.digest) =>
    again.send('POST', `/v1/questions/${asked.id}/answer`, { digest, value });
  const wrong = await answer('develop');
  expect(wrong.status).toBe(400);
  expect(await wrong.text()).toContain('one of: main, next');
  expect((await answer('main', '0'.repeat(64))).status).toBe(409);
  expect(await (await answer('next')).json()).toMatchObject({ state: 'answered', answer: 'next' });
  expect(await settled(again, message)).toMatchObject({
    state: 'done',
    part: 1,
    outcome: { text: expect.stringContaining('"Which branch?": answered by ana (http): next') },
  });
  // Answered once it is left as it is.
  expect(await (await answer('main')).json()).toMatchObject({ answer: 'next' });
  const log = readFileSync(join(deployment, '.dirigent/sessions', id, 'log.jsonl'), 'utf8');
  expect(log.match(/"type":"question"/g)).toHaveLength(1);
  expect([...first.faults, ...second.faults]).toEqual([]);
});

test('each form takes what it allows, and refuses the rest with what is allowed', async () => {
  const model = await scripted(curious);
  const { client } = serve(deployed(), model, { parkAfterMs: 60_000 });
  const ana = client('ana', 'user');
  const { id } = await begun(ana);
  const cases: [form: object, refused: unknown, allowed: string, taken: unknown, told: string][] = [
    [{ kind: 'text', max: 5 }, 'too long', '1 to 5 characters', 'short', 'short'],
    [{ kind: 'confirm' }, 'yes', 'yes or no', false, 'no'],
    [
      { kind: 'choices', options: ['a', 'b', 'c'], min: 1, max: 2 },
      ['a', 'b', 'c'],
      '1 to 2 of: a, b, c',
      ['c', 'a'],
      'a, c',
    ],
    [{ kind: 'number', min: 1, max: 9, whole: true }, 2.5, 'a whole number, from 1 to 9', 7, '7'],
    [
      { kind: 'date', from: '2026-01-01' },
      '2026-02-30',
      'a date such as 2026-11-28, at least 2026-01-01',
      '2026-02-28',
      '2026-02-28',
    ],
  ];
  for (const [form, refused, allowed, taken, told] of cases) {
    const message = await said(ana, id, JSON.stringify({ question: 'What?', ...form }));
    const { id: asked, digest } = await question(ana);
    const bad = await ana.send('POST', `/v1/questions/${asked}/answer`, { digest, value: refused });
    expect([bad.status, await bad.text()]).toEqual([400, expect.stringContaining(allowed)]);
    await ana.post(`/v1/questions/${asked}/answer`, { digest, value: taken });
    expect(await settled(ana, message)).toMatchObject({
      outcome: { text: `result: answered by ana (http): ${told}` },
    });
  }
  const declined = await said(ana, id, JSON.stringify({ question: 'And?', kind: 'confirm' }));
  const { id: asked, digest } = await question(ana);
  await ana.post(`/v1/questions/${asked}/answer`, { digest, value: null });
  expect(await settled(ana, declined)).toMatchObject({
    outcome: { text: expect.stringContaining('was declined by ana (http)') },
  });
  const malformed = await said(ana, id, JSON.stringify({ question: 'Which?', kind: 'choice' }));
  expect(await settled(ana, malformed)).toMatchObject({
    outcome: { text: expect.stringContaining('choice needs the options to choose from') },
  });
});

test('a question is for whoever has its session: others see it or not, and do not answer it', async () => {
  const model = await scripted(curious);
  const { client } = serve(deployed(), model, { parkAfterMs: 60_000 });
  const ana = client('ana', 'user');
  const { id } = await begun(ana);
  await said(ana, id, JSON.stringify(CHOICE));
  const { id: asked, digest } = await question(ana);
  const statusOf = async (who: Client): Promise<number> =>
    (await who.send('POST', `/v1/questions/${asked}/answer`, { digest, value: 'main' })).status;
  const [ben, vera, ada] = [
    client('ben', 'user'),
    client('vera', 'viewer'),
    client('ada', 'approver'),
  ];
  expect(await ben.get('/v1/questions')).toEqual([]);
  expect(await vera.get('/v1/questions')).toHaveLength(1);
  expect(await Promise.all([ben, vera, ada].map(statusOf))).toEqual([404, 403, 403]);
  expect(await statusOf(client('olga', 'owner'))).toBe(200);
});

test('a yes to a question allows nothing at the gate', async () => {
  const model = await scripted((request) => {
    const tools = request.messages.filter(({ role }) => role === 'tool').map(textOf);
    if (tools.length === 0)
      return calls(['ask', { question: 'May I write /workspace/asked?', kind: 'confirm' }]);
    if (tools.length === 1) return calls(['bash', { command: 'echo x > /workspace/asked' }]);
    return says(`result: ${tools.at(-1)}`);
  });
  const { client } = serve(deployed(), model, { parkAfterMs: 30 });
  const ana = client('ana', 'user');
  const { id } = await begun(ana);
  const message = await said(ana, id, 'go');
  const { id: asked, digest } = await question(ana);
  await ana.post(`/v1/questions/${asked}/answer`, { digest, value: true });
  // It is asked about as if nothing had been said.
  for (;;) {
    const now = await settled(ana, message, ['parked', 'done']);
    if (now.approvals.length > 0 || now.state === 'done') {
      expect(now).toMatchObject({ state: 'parked', approvals: [expect.any(String)] });
      return;
    }
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
});

test('a program is asked by lines, and answers by them', async () => {
  const model = await scripted(curious);
  const { service } = serve(deployed(), model, { parkAfterMs: 60_000 });
  const told: Record<string, unknown>[] = [];
  const asked = async (): Promise<Question> => {
    for (;;) {
      const found = told.find(({ entry }) => (entry as { type?: string })?.type === 'question');
      if (found !== undefined) return (found['entry'] as { question: Question }).question;
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  };
  async function* lines() {
    yield JSON.stringify({ do: 'submit', text: JSON.stringify(CHOICE), id: 1 });
    const { id, digest } = await asked();
    yield JSON.stringify({ do: 'reply', question: id, digest, value: 'trunk', id: 2 });
    yield JSON.stringify({ do: 'reply', question: id, digest, value: 'main', id: 3 });
  }
  const signal = new AbortController().signal;
  const write = async (line: object) => told.push(line as never);
  await serveStdio({ service, lines: lines(), write, signal });
  expect(told.filter((line) => 'result' in line || 'error' in line)).toMatchObject([
    { id: 1 },
    { id: 2, error: { code: 'EINVAL', message: expect.stringContaining('one of: main, next') } },
    { id: 3, result: { state: 'answered', answer: 'main' } },
  ]);
  expect(told.findLast(({ message }) => message !== undefined)).toMatchObject({
    message: { state: 'done', outcome: { text: 'result: answered by user (http): main' } },
  });
});
