/** What was allowed to the agent of one person is allowed to nobody else who has the same agent. */
import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, test } from 'vitest';
import type { Approval } from '../../src/policy/approval.ts';
import type { QueuedTurn } from '../../src/serve/queue/turn.ts';
import { type ChatRequest, calls, says, textOf } from '../stand-ins/model/index.ts';
import {
  asked,
  begun,
  type Client,
  deployed,
  type Served,
  said,
  scripted,
  serve,
  settled,
} from './support.ts';

const COMMAND = 'echo x >> /workspace/asked && echo written';

/** Does it when it is told to; of what was answered it does nothing by itself. */
function script({ messages }: ChatRequest) {
  const last = messages.at(-1);
  if (last === undefined || last.role === 'tool') return says(last ? textOf(last) : '');
  return textOf(last) === 'go' ? calls(['bash', { command: COMMAND }]) : says('well');
}

async function opened(): Promise<Served & { deployment: string }> {
  const deployment = deployed();
  return { deployment, ...serve(deployment, await scripted(script), { parkAfterMs: 0 }) };
}

/** Says it in a new session; gives what came of it. */
async function tries(client: Client, agent?: string) {
  const { id } = await begun(client, agent);
  const { state, outcome } = await settled(client, await said(client, id, 'go'), [
    'done',
    'failed',
    'parked',
  ]);
  return { id, state, text: outcome?.text };
}

const allow = (client: Client, { id, digest }: Approval, more: object = {}) =>
  client.post(`/v1/approvals/${id}/answer`, { digest, decision: 'allow', ...more });

const all = (client: Client): Promise<Approval[]> => client.get('/v1/approvals');

test('what was allowed once in a session of somebody’s is not used up by an agent of somebody else’s, who is asked about', async () => {
  const { client, deployment } = await opened();
  const [ana, ben] = [client('ana', 'approver'), client('ben', 'user')];
  const { id, state } = await tries(ana);
  expect(state).toBe('parked');
  // The one who asked for it has gone, and the answer comes late.
  await ana.send('POST', `/v1/sessions/${id}/stop`);
  const request = await asked(ana);
  expect(request).toMatchObject({ actor: 'assistant', people: ['ana'] });
  await allow(ana, request);
  expect(await tries(ben)).toMatchObject({ state: 'parked' });
  expect(existsSync(join(deployment, 'workspace/asked'))).toBe(false);
  expect((await all(ana)).map(({ people, state }) => [people, state])).toEqual([
    [['ana'], 'allowed'],
    [['ben'], 'pending'],
  ]);
  // Whom it was allowed to does it, in whichever session.
  expect((await tries(ana)).text).toContain('written');
  expect((await tries(ana)).state).toBe('parked');
});

test('a path that was allowed to one person’s agent is asked about for another’s', async () => {
  const { client, deployment } = await opened();
  const [ana, ben] = [client('ana', 'approver'), client('ben', 'user')];
  await tries(ana);
  await allow(ana, await asked(ana), { scope: 'path' });
  expect((await tries(ana)).text).toContain('written');
  // It is the very same that is done: to make the file.
  rmSync(join(deployment, 'workspace/asked'));
  expect((await tries(ben)).state).toBe('parked');
  const [request] = await ana.get<Approval[]>('/v1/approvals?state=pending');
  expect(request?.people).toEqual(['ben']);
});

test('one request that two people have made is two: the answer to one is none to the other', async () => {
  const { client } = await opened();
  const [ana, ben] = [client('ana', 'approver'), client('ben', 'user')];
  await tries(ana);
  await tries(ben);
  const [first, second] = await all(ana);
  expect(first?.digest).toBe(second?.digest);
  await client('owner', 'owner').post(`/v1/approvals/${second?.id}/answer`, {
    digest: second?.digest,
    decision: 'deny',
  });
  expect((await all(ana)).map(({ state }) => state)).toEqual(['pending', 'denied']);
});

test('somebody who is called as an agent is somebody: what was allowed to that agent of the person in charge is asked about for theirs', async () => {
  const { client, deployment } = await opened();
  const [user, assistant] = [client('user', 'owner'), client('assistant', 'user')];
  await tries(user);
  const request = await asked(user);
  expect(request).toMatchObject({ actor: 'assistant', people: [] });
  await allow(user, request, { scope: 'path' });
  expect((await tries(user)).text).toContain('written');
  rmSync(join(deployment, 'workspace/asked'));
  expect((await tries(assistant, 'assistant')).state).toBe('parked');
  expect((await asked(user)).people).toEqual(['assistant']);
});

test('a turn that an earlier version has parked ends, and says why; what is asked anew counts', async () => {
  const { client, deployment, close } = await opened();
  const { id } = await tries(client('ana', 'approver'));
  await close();
  const database = new DatabaseSync(join(deployment, '.dirigent/changes.sqlite'));
  database.exec('ALTER TABLE approvals DROP COLUMN people');
  database.close();

  const again = serve(deployment, await scripted(script), { parkAfterMs: 0 });
  again.service.principals.remove('ana');
  const ana = again.client('ana', 'approver');
  const [message] = await ana.get<QueuedTurn[]>(`/v1/sessions/${id}/messages`);
  if (message === undefined) throw new Error('it is not there');
  const { state, outcome } = await settled(ana, message);
  expect([state, outcome?.error]).toEqual(['expired', expect.stringContaining('say it again')]);
  expect((await all(ana)).map(({ state }) => state)).toEqual(['expired']);
  await tries(ana);
  await allow(ana, await asked(ana), { scope: 'path' });
  expect((await tries(ana)).text).toContain('written');
});
