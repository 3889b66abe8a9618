/** What was allowed to the agent of one person is allowed to nobody else who has the same agent. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { Approval } from '../../src/policy/approval.ts';
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
async function tries(client: Client) {
  const { id } = await begun(client);
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
  const { client } = await opened();
  const [ana, ben] = [client('ana', 'approver'), client('ben', 'user')];
  await tries(ana);
  await allow(ana, await asked(ana), { scope: 'path' });
  expect((await tries(ana)).text).toContain('written');
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
