/** The queue of turns: each message once, in order, one turn a session; parked while a person is asked. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ALL_RIGHTS } from '../../src/policy/rights.ts';
import type { QueuedTurn } from '../../src/serve/queue/turn.ts';
import { serveStdio } from '../../src/serve/stdio.ts';
import { type ChatRequest, calls, lastText, says } from '../stand-ins/model/index.ts';
import { asked, begun, clientOf, deployed, said, scripted, serve, settled } from './support.ts';

/** A busy machine is no failure. */
const PATIENT = { timeout: 50_000 };

const lastOf = ({ messages }: ChatRequest): string => lastText(messages);

/** Says what it was told; `write FILE` writes that file, `read FILE` reads it, and `hold` waits. */
function obedient(held: Promise<unknown> = Promise.resolve()) {
  return (request: ChatRequest) => {
    const last = lastOf(request);
    if (request.messages.at(-1)?.role === 'tool') return says(`result: ${last}`);
    const [, file] = /^write (\S+)$/.exec(last) ?? [];
    if (file !== undefined)
      return calls(['bash', { command: `echo before >> /workspace/log; echo x > ${file}` }]);
    const [, read] = /^read (\S+)$/.exec(last) ?? [];
    if (read !== undefined) return calls(['bash', { command: `cat ${read}` }]);
    if (last.includes('do it again'))
      return calls(['bash', { command: 'echo x > /workspace/asked' }]);
    if (last === 'hold') return { parts: [{ wait: held }, { text: 'held' }] };
    return says(`you said: ${last}`);
  };
}

test('messages of a session are turns in their order, and a message that comes twice is one', async () => {
  const model = await scripted(obedient());
  const { client } = serve(deployed(), model);
  const ana = client('ana', 'user');
  const { id } = await begun(ana);
  const first = await said(ana, id, 'one', { key: 'k1' });
  const second = await said(ana, id, 'two');
  expect(await said(ana, id, 'one', { key: 'k1' })).toMatchObject({ id: first.id });
  expect(
    (await ana.send('POST', `/v1/sessions/${id}/messages`, { text: 'three', key: 'k1' })).status,
  ).toBe(409);
  expect(await settled(ana, second)).toMatchObject({
    state: 'done',
    outcome: { text: 'you said: two' },
  });
  expect(await settled(ana, first)).toMatchObject({ outcome: { text: 'you said: one' } });
  expect(model.requests.map(lastOf)).toEqual(['one', 'two']);
});

test('what is said to a turn that runs is part of it; what stops it leaves those behind it', async () => {
  const holding = Promise.withResolvers<void>();
  const model = await scripted(obedient(holding.promise));
  const { client } = serve(deployed(), model);
  const ana = client('ana', 'user');
  const { id } = await begun(ana);
  const held = await said(ana, id, 'hold');
  await settled(ana, held, ['running']);
  const steering = await said(ana, id, '/steer and be brief');
  const next = await said(ana, id, 'next');
  await expect.poll(() => model.requests.length, PATIENT).toBe(1);
  holding.resolve();
  expect(await settled(ana, held)).toMatchObject({ outcome: { text: 'you said: and be brief' } });
  expect(await settled(ana, steering)).toMatchObject({ state: 'done', text: 'and be brief' });
  expect(await settled(ana, next)).toMatchObject({ outcome: { text: 'you said: next' } });
  const stuck = Promise.withResolvers<void>();
  const other = await scripted(obedient(stuck.promise));
  const again = serve(deployed(), other);
  const ben = again.client('ben', 'user');
  const session = (await begun(ben)).id;
  const [stopped, after] = [await said(ben, session, 'hold'), await said(ben, session, 'after')];
  await expect.poll(() => other.requests.length, PATIENT).toBe(1);
  expect(await ben.post(`/v1/sessions/${session}/messages`, { text: '/stop' })).toMatchObject({
    stopped: true,
  });
  expect(await settled(ben, stopped)).toMatchObject({ state: 'stopped' });
  expect(await settled(ben, after)).toMatchObject({ outcome: { text: 'you said: after' } });
  stuck.resolve();
});

test('what is said to a turn that runs keeps its label; what somebody else says to it is a turn of theirs', async () => {
  const holding = Promise.withResolvers<void>();
  const model = await scripted(obedient(holding.promise));
  const { service, client } = serve(deployed(), model);
  const ana = client('ana', 'user');
  const { id } = await begun(ana);
  const held = await said(ana, id, 'hold');
  await settled(ana, held, ['running']);
  await expect.poll(() => model.requests.length, PATIENT).toBe(1);
  const steer = (sourceId: string, more: object) =>
    service.queue.submit({
      session: id,
      source: 'channel desk',
      sourceId,
      actor: 'ana',
      text: sourceId,
      mode: 'steer',
      ...more,
    }).turn;
  const forwarded = steer('forwarded', { untrusted: ['channels/desk'] });
  const others = steer('of ben', { author: { actors: ['ben'], rights: ALL_RIGHTS } });
  holding.resolve();
  expect(await settled(ana, held)).toMatchObject({ outcome: { text: 'you said: forwarded' } });
  await settled(ana, forwarded);
  expect(await settled(ana, others)).toMatchObject({ outcome: { text: 'you said: of ben' } });
  const entries = await ana.get<{ delivery?: { message: string }; untrusted?: string[] }[]>(
    `/v1/sessions/${id}/entries`,
  );
  const kept = entries.find(({ delivery }) => delivery?.message === forwarded.id);
  expect(kept?.untrusted).toEqual(['channels/desk']);
});

test('a message that was stopped while it was held back does not begin when it is let go', async () => {
  const model = await scripted(obedient());
  const { service, client } = serve(deployed(), model);
  const ana = client('ana', 'user');
  const { id } = await begun(ana);
  const draft = { session: id, source: 'channel desk', actor: 'ana', mode: 'steer' as const };
  const held = { ...draft, sourceId: '1', text: 'with a file' };
  const { turn } = service.journal.add(held, 'channel desk');
  await ana.post(`/v1/sessions/${id}/messages`, { text: '/stop' });
  service.queue.release(turn.id);
  expect(await settled(ana, await said(ana, id, 'next'))).toMatchObject({ state: 'done' });
  expect(await ana.get(`/v1/messages/${turn.id}`)).toMatchObject({ state: 'stopped' });
  expect(model.requests.map(lastOf)).toEqual(['next']);
});

test('a turn that waits for a person is parked, outlives the server, and goes on with the answer', async () => {
  const model = await scripted(obedient());
  const deployment = deployed();
  const first = serve(deployment, model, { parkAfterMs: 50 });
  const owner = first.client('olga', 'owner');
  const { id } = await begun(owner);
  const message = await said(owner, id, 'write /workspace/asked');
  expect(await settled(owner, message, ['parked'])).toMatchObject({
    approvals: [expect.any(String)],
  });
  // What comes meanwhile does not wait with it.
  expect(await settled(owner, await said(owner, id, 'hello'))).toMatchObject({ state: 'done' });
  await first.close();

  let now = Date.now();
  const week = 6.9 * 24 * 60 * 60 * 1000;
  now += week;
  const second = serve(deployment, model, { now: () => now });
  const again = clientOf(second.app, owner.token);
  const approval = await asked(again);
  const wrong = await again.send('POST', `/v1/approvals/${approval.id}/answer`, {
    digest: '0'.repeat(64),
    decision: 'allow',
  });
  expect(wrong.status).toBe(409);
  const read = async (file: string): Promise<string> =>
    (await settled(again, await said(again, id, `read ${file}`))).outcome?.text ?? '';
  expect(await read('/workspace/asked')).toContain('No such file');
  await again.post(`/v1/approvals/${approval.id}/answer`, {
    digest: approval.digest,
    decision: 'allow',
  });
  expect(await settled(again, message)).toMatchObject({ state: 'done', part: 1 });
  expect(await read('/workspace/asked')).toMatch(/\bx\b/);
  // What it had done before it asked was kept, and is not done again.
  expect((await read('/workspace/log')).match(/before/g)).toHaveLength(1);
  const log = readFileSync(join(deployment, '.dirigent/sessions', id, 'log.jsonl'), 'utf8');
  expect(log).toContain('"status":"parked"');
  expect(log).toContain(`approval ${approval.id} was allowed by olga (http)`);
  expect([...first.faults, ...second.faults]).toEqual([]);
});

test('a turn for which nobody answers within a week has expired', async () => {
  const model = await scripted(obedient());
  const deployment = deployed();
  let now = Date.now();
  const { client } = serve(deployment, model, { parkAfterMs: 1, now: () => now });
  const owner = client('olga', 'owner');
  const { id } = await begun(owner);
  const message = await said(owner, id, 'write /workspace/asked');
  await settled(owner, message, ['parked']);
  now += 8 * 24 * 60 * 60 * 1000;
  expect(await settled(owner, message)).toMatchObject({ state: 'expired' });
});

test('an answer within a moment is met by the command that waits', async () => {
  const model = await scripted(obedient());
  const deployment = deployed();
  const { client } = serve(deployment, model, { parkAfterMs: 60_000 });
  const owner = client('olga', 'owner');
  const { id } = await begun(owner);
  const message = await said(owner, id, 'write /workspace/asked');
  const approval = await asked(owner);
  await owner.post(`/v1/approvals/${approval.id}/answer`, {
    digest: approval.digest,
    decision: 'allow',
  });
  expect(await settled(owner, message)).toMatchObject({ state: 'done', part: 0 });
  expect(model.requests).toHaveLength(2);
});

test('a prompt that is due is carried out once, in the name of whoever wrote it', async () => {
  const model = await scripted(obedient());
  const { client, faults } = serve(deployed(), model);
  const ana = client('ana', 'user');
  const draft = { name: 'soon.md', at: '2026-01-01T09:00:00Z', prompt: 'tidy up' };
  expect(await ana.post('/v1/schedule', draft)).toMatchObject({ authors: ['ana'], fault: null });
  await expect
    .poll(async () => (await ana.get<{ outcome: string }[]>('/v1/schedule'))[0]?.outcome, PATIENT)
    .toBe('done');
  const messages = await ana.get<object[]>('/v1/messages');
  expect(messages).toMatchObject([{ source: 'schedule', actor: 'ana', text: 'tidy up' }]);
  expect(model.requests).toHaveLength(1);
  expect(await client('ben', 'user').get('/v1/schedule')).toEqual([]);
  expect(faults).toEqual([]);
});

test('a prompt that comes again is carried out each time, one after the other, and missed times once', async () => {
  let now = Date.parse('2026-01-01T08:59:00Z');
  const gate = Promise.withResolvers<void>();
  const model = await scripted(() => ({ parts: [{ wait: gate.promise }, { text: 'did it' }] }));
  const { client, faults } = serve(deployed(), model, { now: () => now });
  const ana = client('ana', 'user');
  const add = (name: string, draft: object) => ana.send('POST', '/v1/schedule', { name, ...draft });
  expect((await add('bad.md', { every: '0 25 * * *', prompt: 'x' })).status).toBe(400);
  expect((await add('none.md', { prompt: 'x' })).status).toBe(400);
  const draft = { every: '0 9 * * *', zone: 'UTC', prompt: 'look' };
  expect(await (await add('daily.md', draft)).json()).toMatchObject({
    state: 'waiting',
    at: '2026-01-01T09:00:00.000Z',
    every: '0 9 * * *',
    zone: 'UTC',
  });
  // Four times are missed, and come as one; four more while that one is carried out, and so do they.
  now += 4 * 24 * 3_600_000;
  await expect.poll(() => model.requests.length, PATIENT).toBe(1);
  now += 4 * 24 * 3_600_000;
  await expect.poll(async () => (await ana.get<object[]>('/v1/schedule')).length, PATIENT).toBe(3);
  expect(model.requests).toHaveLength(1);
  gate.resolve();
  await expect.poll(() => model.requests.length, PATIENT).toBe(2);
  await expect
    .poll(async () => {
      const all = await ana.get<{ state: string }[]>('/v1/schedule');
      return all.map(({ state }) => state).sort();
    }, PATIENT)
    .toEqual(['done', 'done', 'waiting']);
  expect(await ana.send('DELETE', '/v1/schedule/daily.md')).toMatchObject({ status: 200 });
  expect(faults).toEqual([]);
});

test('a program drives turns by lines, and is told what happens', async () => {
  const model = await scripted(obedient());
  const { service } = serve(deployed(), model, { parkAfterMs: 60_000 });
  const told: Record<string, unknown>[] = [];
  const found = async <T>(what: (line: Record<string, unknown>) => T | undefined): Promise<T> => {
    for (;;) {
      const hit = told.map(what).find((each) => each !== undefined);
      if (hit !== undefined) return hit;
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  };
  async function* lines() {
    yield 'no JSON';
    yield '{"do": "dance", "id": "a"}';
    yield '{"do": "submit", "text": "write /workspace/asked", "id": 1}';
    const { id, digest } = await found(({ entry }) => {
      const { type, approval } = (entry ?? {}) as {
        type?: string;
        approval?: { id: string; digest: string };
      };
      return type === 'approval' ? approval : undefined;
    });
    yield JSON.stringify({ do: 'approve', approval: id, digest: 'another', id: 2 });
    yield JSON.stringify({ do: 'approve', approval: id, digest, id: 3 });
  }
  const signal = new AbortController().signal;
  await serveStdio({
    service,
    lines: lines(),
    write: async (line) => told.push(line as never),
    signal,
  });
  const answers = told.filter((line) => 'result' in line || 'error' in line);
  expect(answers).toMatchObject([
    { error: { message: 'the line is no JSON' } },
    { error: { code: 'EINVAL' } },
    { id: 1, result: { isNew: true, message: { state: 'queued' } } },
    { id: 2, error: { code: 'ESTALE' } },
    { id: 3, result: { state: 'allowed' } },
  ]);
  expect(told.some(({ event }) => (event as { type?: string })?.type === 'text-delta')).toBe(true);
  expect(told.findLast(({ message }) => message !== undefined)).toMatchObject({
    message: { state: 'done', outcome: { text: expect.stringContaining('result:') } },
  });
});

test('no more turns run than may, and what one of many actors has said waits for no other', async () => {
  const gates = Array.from({ length: 7 }, () => Promise.withResolvers<void>());
  const opening = gates.values();
  const model = await scripted(() => ({
    parts: [{ wait: opening.next().value?.promise ?? Promise.resolve() }, { text: 'held' }],
  }));
  const { client, service } = serve(deployed(), model, { turns: 4 });
  const [ana, ben] = [client('ana', 'user'), client('ben', 'user')];
  const sessions = await Promise.all(Array.from({ length: 6 }, () => begun(ana)));
  const messages: QueuedTurn[] = [];
  for (const { id } of sessions) messages.push(await said(ana, id, 'hold'));
  const own = await said(ben, (await begun(ben)).id, 'hold');
  await expect.poll(() => model.requests.length, PATIENT).toBe(4);
  expect(service.queue.running).toBe(4);
  gates[0]?.resolve();
  // Two of Ana's were there before it, and wait on.
  await settled(ben, own, ['running']);
  for (const each of messages.slice(4))
    expect(await ana.get(`/v1/messages/${each.id}`)).toMatchObject({ state: 'queued' });
  for (const { resolve } of gates) resolve();
  for (const each of [...messages, own])
    expect(await settled(each === own ? ben : ana, each)).toMatchObject({ state: 'done' });
});
