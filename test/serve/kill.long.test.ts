/**
 * A server, killed by SIGKILL at random while messages come, turns run and people
 * are asked: each message is carried out once, or is said to be interrupted.
 */
import { randomUUID } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { changesFile } from '../../src/changes/file.ts';
import type { Approval } from '../../src/policy/approval.ts';
import { Principals } from '../../src/serve/principals.ts';
import { hasEnded, type QueuedTurn } from '../../src/serve/queue/turn.ts';
import { sessionPlace } from '../../src/session/place.ts';
import { verifySession } from '../../src/session/verify.ts';
import { type ChatRequest, calls, lastSaid, says } from '../stand-ins/model/index.ts';
import { deployed, scripted } from './support.ts';
import { Victim } from './victim.ts';

const KILLS = Number(process.env['KILLS'] ?? 30);
const SESSIONS = 6;
const AT_ONCE = 3;
/** From the moment that the server listens to its end, at most. In ms. */
const LIFE = 5_000;

/** `job KEY` notes the key once; `ask KEY` notes it, and then writes a file that a person is asked about. */
function worker({ messages }: ChatRequest) {
  if (messages.at(-1)?.role === 'tool') return says('done');
  const last = lastSaid(messages);
  const [, what, key = ''] = /^(job|ask) (\S+)$/.exec(last) ?? [];
  const note = `echo ${key} >> /workspace/log`;
  if (what === 'job') return calls(['bash', { command: note }]);
  if (what === 'ask')
    return calls(['bash', { command: `${note}; echo x > /workspace/asked-${key}` }]);
  const [, asked = ''] = /asked-([\w-]+)/.exec(last) ?? [];
  return calls(['bash', { command: `echo x > /workspace/asked-${asked}` }]);
}

test(`${KILLS} kills at random: each message once, or said to be interrupted`, {
  timeout: 3_600_000,
}, async () => {
  const model = await scripted(worker);
  const deployment = deployed();
  writeFileSync(join(deployment, 'dirigent.config.mjs'), 'export default {};\n');
  const state = join(deployment, '.dirigent');
  let victim = new Victim(deployment, { model: model.url, turns: AT_ONCE });
  onTestFinished(() => victim.kill());
  let url = await victim.url;
  const principals = new Principals(changesFile(state));
  const token = principals.add('ana', 'approver');
  principals.close();
  /** What the server says; null where it was killed meanwhile. */
  const ask = async <T>(method: string, path: string, body?: unknown): Promise<T | null> => {
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
    const sent = body === undefined ? {} : { body: JSON.stringify(body) };
    try {
      const response = await fetch(`${url}${path}`, { method, headers, ...sent });
      const text = await response.text();
      if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`);
      return JSON.parse(text) as T;
    } catch (error) {
      if (error instanceof TypeError) return null;
      throw error;
    }
  };
  const sessions: string[] = [];
  while (sessions.length < SESSIONS) {
    const session = await ask<{ id: string }>('POST', '/v1/sessions', {});
    if (session !== null) sessions.push(session.id);
  }
  /** Key and whether the server said that it has it. */
  const sent = new Map<string, { session: string; text: string; id: string | null }>();
  const send = async (key: string): Promise<void> => {
    const message = sent.get(key);
    if (message === undefined) return;
    const answer = await ask<{ message: QueuedTurn }>(
      'POST',
      `/v1/sessions/${message.session}/messages`,
      { text: message.text, key },
    );
    if (answer === null) return;
    if (message.id !== null) expect(answer.message.id).toBe(message.id);
    message.id = answer.message.id;
  };
  const decide = async (): Promise<void> => {
    for (const { id, digest } of (await ask<Approval[]>('GET', '/v1/approvals?state=pending')) ??
      [])
      if (Math.random() < 0.7)
        await ask('POST', `/v1/approvals/${id}/answer`, { digest, decision: 'allow' });
  };
  /** What a client does: new messages, and those again of which it has no answer. */
  const live = async (until: number): Promise<void> => {
    while (Date.now() < until) {
      const key = randomUUID();
      const session = sessions[Math.floor(Math.random() * SESSIONS)] ?? '';
      sent.set(key, { session, text: `${Math.random() < 0.5 ? 'ask' : 'job'} ${key}`, id: null });
      await send(key);
      for (const [other, { id }] of sent)
        if (id === null || Math.random() < 0.05) await send(other);
      await decide();
      await delay(Math.random() * 1_000);
    }
  };
  for (let kill = 0; kill < KILLS; kill++) {
    const until = Date.now() + Math.random() * LIFE;
    const living = live(until);
    await delay(until - Date.now());
    await victim.kill();
    await living;
    victim = new Victim(deployment, { model: model.url, turns: AT_ONCE });
    url = await victim.url;
  }
  for (const key of sent.keys()) await send(key);
  let turns: QueuedTurn[] = [];
  for (;;) {
    await decide();
    turns = (await ask<QueuedTurn[]>('GET', '/v1/messages?limit=1000')) ?? [];
    if (turns.length > 0 && turns.every(hasEnded)) break;
    await delay(200);
  }
  const count = (each: QueuedTurn['state']): number =>
    turns.filter(({ state: at }) => at === each).length;
  const tally = {
    sent: sent.size,
    done: count('done'),
    interrupted: count('interrupted'),
    resumed: turns.filter(({ part }) => part > 0).length,
  };
  console.log(JSON.stringify(tally));
  expect(turns.map(({ sourceId }) => sourceId).sort()).toEqual([...sent.keys()].sort());
  expect(tally.done + tally.interrupted).toBe(tally.sent);
  const noted = readFileSync(join(deployment, 'workspace/log'), 'utf8').trimEnd().split('\n');
  for (const { sourceId, state: at, text } of turns) {
    const times = noted.filter((line) => line === sourceId).length;
    expect([text, at, times]).toEqual([text, at, at === 'done' ? 1 : Math.min(times, 1)]);
    if (text.startsWith('ask') && at === 'done')
      expect(existsSync(join(deployment, 'workspace', `asked-${sourceId}`))).toBe(true);
  }
  // No part of a message was told to its session twice, and no log is broken.
  for (const session of sessions) {
    const lines = readFileSync(join(state, 'sessions', session, 'log.jsonl'), 'utf8')
      .trimEnd()
      .split('\n');
    const begun = lines.flatMap((line) => {
      const { type, delivery } = JSON.parse(line) as { type: string; delivery?: object };
      return type === 'message' && delivery !== undefined ? [JSON.stringify(delivery)] : [];
    });
    expect(new Set(begun).size).toBe(begun.length);
    expect(verifySession(sessionPlace(state), session).faults).toEqual([]);
  }
});
