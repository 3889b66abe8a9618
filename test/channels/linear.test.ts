/** People meet an agent in comments of Linear: against the stand-in, which answers by the published schema, with deliveries that Linear's own package takes. */
import { createHmac, randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { LinearWebhookClient } from '@linear/sdk/webhooks';
import { beforeAll, expect, onTestFinished, test } from 'vitest';
import { serveHttp } from '../../src/serve/http/server.ts';
import { atEndOfFile } from '../file-end.ts';
import { type LinearStandIn, startLinearStandIn } from '../stand-ins/linear/index.ts';
import { type ChatRequest, calls, lastSaid, says } from '../stand-ins/model/index.ts';
import { type Meeting, meetIn } from './support.ts';

const SECRET = 'lin_wh_of_the_tests';

interface Person {
  id: string;
  name: string;
}

let linear: LinearStandIn;
let self: Person & { displayName: string };
/** Two people, and somebody who is none of them. */
let people: Person[] = [];
let issues: string[] = [];
beforeAll(async () => {
  linear = await startLinearStandIn();
  atEndOfFile(() => linear.close());
  const { users, tokens, issues: all } = await linear.dump();
  const own = users.find(({ id }) => id === tokens[linear.token]);
  if (own === undefined) throw new Error('the token is nobody’s');
  self = own;
  people = users.filter(({ id }) => id !== own.id);
  issues = all.map(({ id }) => id);
});

/** Repeats what was said last; `ask NAME` writes a file that a person is asked about. */
function echo({ messages }: ChatRequest) {
  if (messages.at(-1)?.role === 'tool') return says('it is done');
  const last = lastSaid(messages);
  const [, name] = /ask (\w+)/.exec(last) ?? [];
  if (name !== undefined) return calls(['bash', { command: `echo hi > /workspace/asked-${name}` }]);
  return says(`you said: ${last}`);
}

interface Said {
  action?: string;
  actor?: object;
  parentId?: string | null;
  secret?: string;
  at?: number;
}

interface Met extends Meeting {
  /** Somebody comments, and Linear tells of it. @returns the id of the comment, and the status of the answer */
  say(who: number, body: string, said?: Said): Promise<{ id: string; status: number }>;
  told(id: string, who: number, body: string, said?: Said): Promise<number>;
  /** What the agent has commented, in all of the issue. */
  answers(): Promise<{ body: string; parentId: string | null }[]>;
}

async function meet(): Promise<Met> {
  const [ana, ben] = people;
  const file = `---\nkind: linear\nlogin: ${self.displayName}\nbaseUrl: ${linear.url}\npeople:\n  ana: { id: ${ana?.id}, role: approver }\n  ben: ${ben?.id}\n---\n`;
  const env = { LINEAR_API_KEY: linear.token, LINEAR_WEBHOOK_SECRET: SECRET };
  const meeting = await meetIn({ desk: file }, env, { script: echo });
  const { served, channels, faults } = meeting;
  const onFault = (error: unknown): void => void faults.push(error);
  const where = { host: '127.0.0.1', port: 0 };
  const server = await serveHttp({ service: served.service, channels, ...where, onFault });
  onTestFinished(() => server.close());
  // Each test has an issue of its own.
  const issueId = issues.pop() ?? '';
  const told: Met['told'] = async (id, who, body, said = {}) => {
    const { action = 'create', secret = SECRET, at = Date.now(), parentId = null } = said;
    const by = people[who] ?? self;
    const { actor = { id: by.id, type: 'user', name: by.name } } = said;
    const data = { id, body, issueId, parentId, userId: by.id, reactionData: [] };
    const payload = { action, type: 'Comment', actor, data, webhookTimestamp: at };
    const bytes = Buffer.from(JSON.stringify({ ...payload, createdAt: new Date().toISOString() }));
    const signature = createHmac('sha256', secret).update(bytes).digest('hex');
    if (secret === SECRET && said.at === undefined)
      new LinearWebhookClient(SECRET).verify(bytes, signature);
    const headers = { 'linear-signature': signature, 'linear-event': 'Comment' };
    const sent = await fetch(`${server.url}/channels/desk`, {
      method: 'POST',
      headers,
      body: bytes,
    });
    return sent.status;
  };
  return {
    ...meeting,
    told,
    say: async (who, body, said = {}) => {
      const id = randomUUID();
      const at = new Date().toISOString();
      const { parentId = null } = said;
      const fields = {
        id,
        body,
        issueId,
        parentId,
        userId: people[who]?.id,
        createdAt: at,
        updatedAt: at,
      };
      await linear.edit({ op: 'add', table: 'comments', fields });
      return { id, status: await told(id, who, body, said) };
    },
    answers: async () => {
      const { comments } = await linear.dump();
      return comments
        .filter((one) => one.issueId === issueId && one.userId === self.id)
        .map(({ body, parentId }) => ({ body, parentId }));
    },
  };
}

const bodies = async (met: Met): Promise<string[]> => (await met.answers()).map(({ body }) => body);

test('who mentions the agent is answered below, once; others, strangers, programs and quotes move nothing', async () => {
  const met = await meet();
  const me = `@${self.displayName}`;
  const { id, status } = await met.say(0, `${me} hello`);
  expect(status).toBe(200);
  await expect.poll(met.answers).toEqual([{ body: 'you said: hello', parentId: id }]);
  await met.told(id, 0, `${me} hello`);
  await met.told(id, 0, `${me} changed`, { action: 'update' });
  await met.say(0, 'not for the agent');
  await met.say(2, `${me} give me all`);
  await met.say(1, `> ${me} hello\n\nI think so, too`);
  await met.say(1, `${me}-other, x${me} and ${me}.other are others`);
  await met.say(1, `${me} from a program`, {
    actor: { id: 'x', type: 'integration', name: 'Ben' },
  });
  await met.say(1, `And you, https://linear.app/harbor/profiles/${self.displayName}?`, {
    parentId: id,
  });
  await expect.poll(async () => (await met.answers()).length).toBe(2);
  const turns = met.served.service.journal.list();
  expect(turns.map(({ text }) => text)).toEqual(['hello', 'ben says:\nAnd you, ?']);
  expect(new Set(turns.map(({ session }) => session)).size).toBe(1);
  expect((await met.answers()).map(({ parentId }) => parentId)).toEqual([id, id]);
  expect(met.faults).toEqual([]);
});

test('an approval is answered by a comment below it, of whoever may', async () => {
  const met = await meet();
  const { id } = await met.say(1, `@${self.displayName} ask now`);
  await expect.poll(async () => (await bodies(met)).at(-1) ?? '').toContain('/answer');
  const asked = (await bodies(met)).at(-1) ?? '';
  expect(asked).toContain('create /workspace/asked-now');
  const [, allow = ''] = /Allow: `(\/answer \w+)`/.exec(asked) ?? [];
  await met.say(2, allow, { parentId: id });
  // Below another comment it is worth nothing.
  await met.say(0, allow);
  await met.say(1, allow, { parentId: id });
  await expect
    .poll(async () => (await bodies(met)).some((text) => text.startsWith('ben may not')))
    .toBe(true);
  expect(existsSync(join(met.deployment, 'workspace/asked-now'))).toBe(false);
  await met.say(0, allow, { parentId: id });
  await expect.poll(async () => (await bodies(met)).includes('it is done')).toBe(true);
  await expect.poll(async () => (await bodies(met))[0]).toMatch(/\*\*Allowed\*\* by ana/);
  expect(existsSync(join(met.deployment, 'workspace/asked-now'))).toBe(true);
});

test('an answer that is lost on the way is looked for by its id, and is not said twice', async () => {
  const met = await meet();
  await linear.fault({ kind: 'lost-answer', operation: 'mutation', times: 1 });
  await met.say(0, `@${self.displayName} hello`);
  await expect.poll(() => bodies(met)).toEqual(['you said: hello']);
  await linear.fault({ kind: 'limited', retryAfter: 1, operation: 'mutation', times: 1 });
  await met.say(0, `@${self.displayName} bye`);
  await expect.poll(() => bodies(met)).toEqual(['you said: hello', 'you said: bye']);
});

test('what is not signed with the secret, or is old, is not taken', async () => {
  const met = await meet();
  const text = `@${self.displayName} hello`;
  expect((await met.say(0, text, { secret: 'another' })).status).toBe(401);
  expect((await met.say(0, text, { at: Date.now() - 120_000 })).status).toBe(401);
  expect(met.served.service.journal.list()).toEqual([]);
});
