/** In whose name a prompt is carried out that an agent has scheduled. */
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, onTestFinished, test } from 'vitest';
import { Ledger } from '../../src/agent/ledger.ts';
import { changesFile } from '../../src/changes/file.ts';
import { type Author, bothAuthors, personAuthor } from '../../src/policy/author.ts';
import { ALL_RIGHTS } from '../../src/policy/rights.ts';
import { ScheduleJournal } from '../../src/schedule/journal.ts';
import { Principals } from '../../src/serve/principals.ts';
import type { QueuedTurn } from '../../src/serve/queue/turn.ts';
import type { ServedPrompt } from '../../src/serve/schedule.ts';
import { makeStateDirectory } from '../../src/state.ts';
import { type ChatRequest, calls, says, textOf } from '../stand-ins/model/index.ts';
import { temporaryDirectory, testWorld } from '../world/harness.ts';
import { begun, type Client, deployed, said, scripted, serve, settled } from './support.ts';

const POLICY = `sandbox: full
approval: never
rules:
  - { name: not ana, decision: deny, op: change, path: /workspace/denied, actor: ana }
`;

async function scheduledTurn(client: Client): Promise<QueuedTurn> {
  for (;;) {
    const all = await client.get<QueuedTurn[]>('/v1/messages');
    const found = all.find(({ text }) => text.trim() === 'look');
    if (found !== undefined) return settled(client, found);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

test('what the agent of somebody schedules is carried out as theirs: in a world of their own, and bound by what binds them', async () => {
  const model = await scripted(({ messages }: ChatRequest) => {
    const last = messages.at(-1) ?? { role: 'user', content: '' };
    if (last.role === 'tool') return says(textOf(last));
    const command =
      textOf(last).trim() === 'look'
        ? 'ls /session/past; echo x > /workspace/denied'
        : 'printf -- "---\\nat: 2020-01-01T00:00:00Z\\n---\\nlook\\n" > /session/schedule/x.md';
    return calls(['bash', { command }]);
  });
  const deployment = deployed(POLICY);
  const { client } = serve(deployment, model);
  const [ana, ben, olga] = [client('ana', 'user'), client('ben', 'user'), client('olga', 'owner')];
  const bens = await begun(ben);
  const { id } = await begun(ana);
  await settled(ana, await said(ana, id, 'schedule it'));
  const { actor, outcome } = await scheduledTurn(olga);
  expect(actor).toBe('ana');
  expect(outcome?.text).toContain(id);
  expect(outcome?.text).not.toContain(bens.id);
  expect(outcome?.text).toContain('not ana');
  // It is charged to her, and not to the agent through which she scheduled it.
  const ledger = new Ledger(changesFile(join(deployment, '.dirigent')));
  onTestFinished(() => ledger.close());
  const { requests } = ledger.sum({});
  expect([ledger.sum({ principal: 'ana' }).requests, requests]).toEqual([4, 4]);
});

const at = '2020-01-01T00:00:00Z';
function schedule(deployment: string, name: string, author: Author, fields = ''): void {
  makeStateDirectory(join(deployment, '.dirigent'));
  const journal = new ScheduleJournal(changesFile(join(deployment, '.dirigent')));
  journal.write(`${name}.md`, `---\nat: ${at}\n${fields}---\nlook\n`, author);
  journal.close();
}

/** What became of what is scheduled, by name; once none of it waits. */
const carriedOut = async (owner: Client): Promise<Map<string, string | null>> => {
  for (;;) {
    const all = await owner.get<ServedPrompt[]>('/v1/schedule');
    if (all.every(({ state }) => state === 'done'))
      return new Map(all.map(({ name, outcome }) => [name, outcome]));
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
};

test('nothing is carried out for somebody who was put out, whose role or agent does not allow it now, or who is one of two', async () => {
  const model = await scripted(() => says('looked'));
  const deployment = deployed(POLICY);
  const { client, service } = serve(deployment, model);
  const owner = client('olga', 'owner');
  for (const [actor, role, agent] of [
    ['ana', 'user'],
    ['ben', 'user'],
    ['vic', 'viewer'],
    ['kim', 'user', 'researcher'],
  ] as const)
    client(actor, role, agent);
  service.principals.remove('ben');
  const by = (actor: string, through?: string): Author => ({
    ...personAuthor(actor),
    ...(through === undefined ? {} : { actors: [through, actor] }),
  });
  const agents = { actors: ['assistant'], rights: ALL_RIGHTS };
  schedule(deployment, 'own', by('ana', 'assistant'));
  schedule(deployment, 'of-nobody-else', agents);
  schedule(deployment, 'gone', by('ben', 'assistant'));
  schedule(deployment, 'both', bothAuthors(by('ana'), by('olga')));
  schedule(deployment, 'with-the-person-in-charge', bothAuthors(by('ana'), agents));
  schedule(deployment, 'viewer', by('vic'));
  schedule(deployment, 'agent', by('kim'));
  const outcomes = await carriedOut(owner);
  expect(outcomes.get('own.md')).toBe('done');
  expect(outcomes.get('of-nobody-else.md')).toBe('done');
  expect(outcomes.get('with-the-person-in-charge.md')).toBe('done');
  expect(outcomes.get('agent.md')).toBe('done');
  expect(outcomes.get('gone.md')).toContain('ben is let in here no more');
  expect(outcomes.get('viewer.md')).toContain('vic is viewer here');
  expect(outcomes.get('both.md')).toContain('ana and olga');
  const turns = await owner.get<QueuedTurn[]>('/v1/messages');
  const ran = turns.map(({ actor, agent }) => `${actor} ${agent}`);
  expect(ran.sort()).toEqual(['ana null', 'ana null', 'kim researcher', 'user null']);
  expect(model.requests).toHaveLength(4);
});

test('of what an earlier version kept, which did not say who were people, nothing is carried out as the person in charge’s but what is theirs alone', async () => {
  const model = await scripted(() => says('looked'));
  const deployment = deployed(POLICY);
  const rows = [['ana'], ['ana', 'user'], ['assistant'], ['assistant', 'ana'], ['user']];
  for (const actors of rows) schedule(deployment, actors.join('-'), { actors, rights: ALL_RIGHTS });
  const database = new DatabaseSync(changesFile(join(deployment, '.dirigent')));
  database.exec("UPDATE schedule SET author = json_remove(author, '$.people')");
  database.close();
  const principals = new Principals(changesFile(join(deployment, '.dirigent')));
  principals.add('ana', 'user');
  principals.close();
  const owner = serve(deployment, model).client('olga', 'owner');
  const outcomes = await carriedOut(owner);
  const turns = await owner.get<QueuedTurn[]>('/v1/messages');
  expect(turns.map(({ actor }) => actor).sort()).toEqual(['ana', 'ana', 'user']);
  expect(outcomes.get('assistant.md')).toContain('assistant is let in here no more');
  expect(outcomes.get('assistant-ana.md')).toContain('assistant and ana have written it together');
});

test('somebody whom a channel lets in has the rights that the channel or a token gives them now, and no more', async () => {
  const model = await scripted(() => says('looked'));
  const deployment = deployed(POLICY);
  const { client } = serve(deployment, model, {
    people: [
      { actor: 'ana', agent: 'researcher' },
      { actor: 'ben', agent: null },
      { actor: 'kim', agent: 'researcher' },
      { actor: 'vic', agent: 'researcher' },
    ],
  });
  const owner = client('olga', 'owner');
  client('ben', 'viewer', 'researcher');
  client('kim', 'user', 'assistant');
  client('vic', 'viewer');
  for (const actor of ['ana', 'ben', 'kim', 'vic']) {
    const author = personAuthor(actor);
    schedule(deployment, actor, author);
    schedule(deployment, `${actor}-researcher`, author, 'agent: researcher\n');
    schedule(deployment, `${actor}-other`, author, 'agent: compact\n');
  }
  const outcomes = await carriedOut(owner);
  const turns = await owner.get<QueuedTurn[]>('/v1/messages');
  expect(turns.map(({ actor, agent }) => `${actor} ${agent}`).sort()).toEqual([
    'ana researcher',
    'ana researcher',
    'ben compact',
    'ben null',
    'ben researcher',
    'kim assistant',
    'kim researcher',
    'vic researcher',
    'vic researcher',
  ]);
  expect(outcomes.get('ana-other.md')).toBe(
    'ana has the rights of researcher here, and of no other agent',
  );
  expect(outcomes.get('kim-other.md')).toContain('rights of assistant or researcher here');
  expect(outcomes.get('vic-other.md')).toContain('rights of researcher here');
});

test('what somebody has said without bounds is not worked on once a channel alone lets them in, with an agent', async () => {
  const first = Promise.withResolvers<void>();
  const model = await scripted(() => ({ parts: [{ wait: first.promise }, { text: 'looked' }] }));
  const people = [{ actor: 'ana', agent: 'researcher' }];
  const { client, service } = serve(deployed(POLICY), model, { people });
  const [ana, olga] = [client('ana', 'user'), client('olga', 'owner')];
  const { id } = await begun(ana);
  const running = await said(ana, id, 'one');
  const waiting = await said(ana, id, 'two');
  await settled(olga, running, ['running']);
  service.principals.remove('ana');
  first.resolve();
  await settled(olga, running);
  expect(await settled(olga, waiting)).toMatchObject({
    state: 'failed',
    outcome: { error: expect.stringContaining('ana has the rights of researcher here') },
  });
});

test('what somebody has said is not worked on once they were put out', async () => {
  const first = Promise.withResolvers<void>();
  const model = await scripted(() => ({ parts: [{ wait: first.promise }, { text: 'looked' }] }));
  const { client, service } = serve(deployed(POLICY), model);
  const [ana, olga] = [client('ana', 'user'), client('olga', 'owner')];
  const { id } = await begun(ana);
  const running = await said(ana, id, 'one');
  const waiting = await said(ana, id, 'two');
  await settled(olga, running, ['running']);
  service.principals.remove('ana');
  first.resolve();
  await settled(olga, running);
  expect(await settled(olga, waiting)).toMatchObject({
    state: 'failed',
    outcome: { error: expect.stringContaining('ana is let in here no more') },
  });
});

test('in the world of somebody the schedule has their own prompts alone, and nobody else’s are written over', async () => {
  const state = temporaryDirectory();
  const journal = new ScheduleJournal(changesFile(state));
  onTestFinished(() => journal.close());
  journal.write('theirs.md', 'secret', personAuthor('ben'));
  const world = testWorld({ state }, { actor: 'ana' });
  const run = (command: string) =>
    world.exec(`cd /session/schedule; ${command}`, { context: { actor: 'ana', people: ['ana'] } });
  expect((await run('ls; cat theirs.md')).stdout).toBe('');
  expect((await run('echo mine > mine.md; cat *.md; ls')).stdout).toBe('mine\nmine.md\n');
  for (const each of ['echo x > theirs.md', 'echo x >> theirs.md', 'mv mine.md theirs.md'])
    expect((await run(each)).stderr).toContain('theirs.md');
  expect((await run('rm theirs.md')).exitCode).toBe(1);
  expect(journal.list().map(({ name, text }) => [name, text])).toEqual([
    ['theirs.md', 'secret'],
    ['mine.md', 'mine\n'],
  ]);
});
