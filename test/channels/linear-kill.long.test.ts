/** An agent in Linear is killed by SIGKILL while its answers are on the way: each mention is answered once. */
import { createHmac, randomUUID } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { deployed, scripted } from '../serve/support.ts';
import { Victim } from '../serve/victim.ts';
import { startLinearStandIn } from '../stand-ins/linear/index.ts';
import { lastSaid, says } from '../stand-ins/model/index.ts';
import { writeChannel } from './support.ts';

const SECRET = 'lin_wh_of_the_tests';
const KILLS = Number(process.env['KILLS'] ?? 3);

test(`${KILLS} kills: each mention is answered once`, async () => {
  const linear = await startLinearStandIn();
  onTestFinished(() => linear.close());
  const model = await scripted(({ messages }) => {
    return says(`done ${/key-\d+/.exec(lastSaid(messages))?.[0]}.`);
  });
  const { users, tokens, issues } = await linear.dump();
  const self = users.find(({ id }) => id === tokens[linear.token]);
  const ana = users.find(({ id }) => id !== self?.id);
  const deployment = deployed();
  writeFileSync(join(deployment, 'dirigent.config.mjs'), 'export default {};\n');
  writeChannel(
    deployment,
    'desk',
    `---\nkind: linear\nlogin: ${self?.displayName}\nbaseUrl: ${linear.url}\npeople: { ana: ${ana?.id} }\n---\n`,
  );
  const env = { LINEAR_API_KEY: linear.token, LINEAR_WEBHOOK_SECRET: SECRET };
  const begin = () => new Victim(deployment, { model: model.url, turns: 2, env });
  let victim = begin();
  onTestFinished(() => victim.kill());
  const tell = async (id: string, body: string): Promise<void> => {
    const data = { id, body, issueId: issues[0]?.id, userId: ana?.id };
    const actor = { id: ana?.id, type: 'user', name: 'Ana' };
    const payload = {
      action: 'create',
      type: 'Comment',
      actor,
      data,
      webhookTimestamp: Date.now(),
    };
    const bytes = JSON.stringify(payload);
    const signature = createHmac('sha256', SECRET).update(bytes).digest('hex');
    const url = `${await victim.url}/channels/desk`;
    const headers = { 'linear-signature': signature };
    expect((await fetch(url, { method: 'POST', headers, body: bytes })).status).toBe(200);
  };
  const answers = async (): Promise<string[]> =>
    (await linear.dump()).comments.flatMap(({ userId, body }) =>
      userId === self?.id && body.startsWith('done key-') ? [body] : [],
    );
  const keys = Array.from({ length: KILLS }, (_, kill) => `key-${kill}`);
  for (const [kill, key] of keys.entries()) {
    const id = randomUUID();
    const at = new Date().toISOString();
    const body = `@${self?.displayName} ${key}`;
    const fields = {
      id,
      body,
      issueId: issues[0]?.id,
      userId: ana?.id,
      createdAt: at,
      updatedAt: at,
    };
    await linear.edit({ op: 'add', table: 'comments', fields });
    // It is there, and its answer comes too late.
    await linear.fault({ kind: 'slow', ms: 60_000, operation: 'mutation', times: 1 });
    await tell(id, body);
    while ((await answers()).length <= kill) await delay(20);
    await victim.kill();
    victim = begin();
    // Linear tells of what it had no answer to once more.
    await tell(id, body);
  }
  const last = randomUUID();
  const at = new Date().toISOString();
  const fields = {
    id: last,
    body: 'x',
    issueId: issues[0]?.id,
    userId: ana?.id,
    createdAt: at,
    updatedAt: at,
  };
  await linear.edit({ op: 'add', table: 'comments', fields });
  await tell(last, `@${self?.displayName} key-99`);
  while (!(await answers()).includes('done key-99.')) await delay(20);
  expect((await answers()).toSorted()).toEqual([...keys, 'key-99'].map((key) => `done ${key}.`));
});
